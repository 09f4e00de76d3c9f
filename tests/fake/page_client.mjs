#!/usr/bin/env node
// page_client - the page of cubby serve in a headless Chromium, as a person uses it.
//
// usage: page_client URL KEY SCENARIO [ARGUMENT...]      (scenarios: the table at the end)
//
// Speaks the DevTools protocol over a pipe, so neither node's packages nor a port are needed.
// CHROMIUM names the program; PICTURES a directory for pictures of the page.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIMIT = 60000;
const [url, key, scenario, ...args] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'page-client-'));
const chromium = spawn(process.env.CHROMIUM ?? 'chromium', [
	'--headless=new', '--remote-debugging-pipe', '--no-first-run', '--disable-gpu', '--disable-extensions',
	'--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-default-browser-check',
	'--force-device-scale-factor=1', '--window-size=1180,760', `--user-data-dir=${profile}`,
	...(process.getuid() === 0 ? ['--no-sandbox'] : []), 'about:blank',
], { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: profile } });
const complaints = [];
const calls = new Map();
let number = 0, session, rest = '';

chromium.on('error', (e) => fail(e));
chromium.stdio[4].on('data', (data) => {
	const parts = (rest + data).split('\0');

	rest = parts.pop();
	parts.map((p) => JSON.parse(p)).forEach(hear);
});

function hear(m) {
	const call = calls.get(m.id);

	calls.delete(m.id);
	if (call && m.error)
		call.no(new Error(m.error.message));
	else if (call)
		call.yes(m.result);
	if (m.method === 'Runtime.exceptionThrown')
		complaints.push(m.params.exceptionDetails.exception?.description ?? m.params.exceptionDetails.text);
	if (m.method === 'Log.entryAdded' && m.params.entry.level === 'error' && !m.params.entry.text.includes('404'))
		complaints.push(m.params.entry.text);
	if (m.method === 'Page.javascriptDialogOpening')
		complaints.push(`dialog: ${m.params.message}`);
}

function send(method, params = {}, of = session) {
	return new Promise((yes, no) => {
		calls.set(++number, { yes, no });
		chromium.stdio[3].write(`${JSON.stringify({ id: number, method, params, sessionId: of })}\0`);
	});
}

function end(status) {
	chromium.on('close', () => {
		const limit = Date.now() + 5000;

		for (;;) { // its helpers write until they have ended, too
			try {
				rmSync(profile, { recursive: true, force: true });
				break;
			} catch (e) {
				if (Date.now() > limit)
					throw e;
			}
		}
		process.exit(status);
	});
	try {
		process.kill(-chromium.pid, 'SIGKILL'); // all of its processes
	} catch { /* it has ended */ }
}

function fail(e) {
	console.error(`page_client: ${scenario}: ${e.stack ?? e}`);
	complaints.slice(0, 5).forEach((c) => console.error(`the page said: ${c}`));
	end(1);
}

/* ---- what a person does ---- */

async function evaluate(expression) {
	const r = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });

	if (r.exceptionDetails)
		throw new Error(`${expression}: ${r.exceptionDetails.exception?.description ?? r.exceptionDetails.text}`);
	return r.result.value;
}

async function until(expression, what = expression) {
	const end = Date.now() + LIMIT;

	for (;;) {
		const value = await evaluate(expression);

		if (value)
			return value;
		if (Date.now() > end)
			throw new Error(`waited for: ${what}; the page has: ${await evaluate('document.body.innerText.slice(0, 1500)')}`);
		await new Promise((r) => setTimeout(r, 30));
	}
}

const has = (text) => until(`document.body.innerText.includes(${JSON.stringify(text)})`, text);
const button = (text) => `[...document.querySelectorAll('button, a')].find((b) => b.textContent.trim() === ${JSON.stringify(text)} && !b.disabled)`;

async function press(text) {
	await until(`!!${button(text)}`, `a button '${text}'`);
	await evaluate(`${button(text)}.click()`);
}

async function type(text) {
	for (const c of text) {
		await send('Input.dispatchKeyEvent', { type: 'keyDown', text: c, key: c });
		await send('Input.dispatchKeyEvent', { type: 'keyUp', key: c });
	}
}

const KEYS = { Enter: ['\r', 13], ArrowRight: ['', 39], F6: ['', 117] };

async function strike(name, ctrl = false) {
	const [text, code] = KEYS[name];
	const what = { key: name, code: name, windowsVirtualKeyCode: code, modifiers: ctrl ? 2 : 0 };

	await send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...what });
	await send('Input.dispatchKeyEvent', { type: 'keyUp', ...what });
}

async function fill(name, text) {
	await until(`!!document.querySelector('[name=${name}]')`);
	await evaluate(`document.querySelector('[name=${name}]').focus()`);
	await type(text);
}

async function picture(name, dark = false) {
	if (!process.env.PICTURES)
		return;
	await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
	await new Promise((r) => setTimeout(r, 400));
	const { data } = await send('Page.captureScreenshot', { format: 'png' });

	writeFileSync(join(process.env.PICTURES, `${name}.png`), Buffer.from(data, 'base64'));
}

function check(what, yes) {
	if (!yes)
		throw new Error(`not so: ${what}`);
}

async function login() {
	await fill('key', key);
	await strike('Enter');
	await until('!!document.querySelector("[role=tablist]")', 'the boxes');
}

const tab = (name) => evaluate(`document.getElementById('tab-${name}').click()`);
const rows = () => evaluate('document.querySelector(".xterm-accessibility-tree, .xterm-rows")?.innerText ?? ""');

async function shell(text) {
	await tab('shell');
	await until('document.querySelector(".xterm-helper-textarea") === document.activeElement', 'a shell with the focus');
	await new Promise((r) => setTimeout(r, 300));
	await type(text);
	await strike('Enter');
}

const onScreen = async (text) => {
	const end = Date.now() + LIMIT;

	while (!(await rows()).replaceAll('\u00a0', ' ').includes(text)) {
		if (Date.now() > end)
			throw new Error(`waited for '${text}' on the screen, which has: ${await rows()}`);
		await new Promise((r) => setTimeout(r, 30));
	}
};

function spread(times) {
	times.sort((a, b) => a - b);
	return `median ${times[times.length >> 1].toFixed(1)} ms, most ${times.at(-1).toFixed(1)} ms`;
}

/* ---- scenarios ---- */

const scenarios = {
	// a wrong key, the right one, no trace of it in addresses; keys alone move between the views
	async login() {
		await picture('login');
		await fill('key', 'wrong-wrong-wrong');
		await strike('Enter');
		await has('the key is not the server’s');
		await login();
		await has('There is no task in this box yet.');
		check('the key is in no address', !(await evaluate('location.href + performance.getEntries().map((e) => e.name).join()')).includes(key));
		check('the key is in no cookie and no lasting storage', await evaluate('document.cookie + JSON.stringify(localStorage)') === '{}');
		await evaluate('document.getElementById("tab-tasks").focus()');
		await strike('ArrowRight');
		await until('document.activeElement.id === "tab-shell" && document.activeElement.getAttribute("aria-selected") === "true"');
		check('each control has a name', await evaluate(`[...document.querySelectorAll('button, a, input, textarea, [role=tabpanel]')]
			.every((n) => n.textContent.trim() || n.labels?.length || n.ariaLabel || n.getAttribute('aria-labelledby'))`));
		complaints.splice(0, complaints.length, ...complaints.filter((c) => !c.includes('401')));
	},

	// a shell, which is there again when the page is loaded again
	async shell() {
		await login();
		await shell('echo a$((20+22))b; printf "\\033[38;2;255;0;0mred\\033[0m\\n"');
		await onScreen('a42b');
		await until(`[...document.querySelectorAll('.xterm-rows span')].some((s) => s.textContent === 'red' && getComputedStyle(s).color === 'rgb(255, 0, 0)')`, 'a red word');
		check('all rows are seen', await evaluate(`document.querySelector('.xterm-rows').lastElementChild.getBoundingClientRect().bottom
			<= document.querySelector('[data-shell]').getBoundingClientRect().bottom`));
		await picture('shell');
		await send('Page.reload');
		await onScreen('a42b');
		await strike('F6', true);
		await until('document.activeElement.id === "tab-shell"', 'the focus out of the terminal');
		const old = await evaluate('document.querySelector("[data-shell]").dataset.shell');
		await press('New shell');
		await until(`document.querySelector("[data-shell]").dataset.shell !== ${JSON.stringify(old)}`, 'another shell');
		await until(`fetch('api/terminals', { headers: { Authorization: 'Bearer ' + sessionStorage.getItem('cubby-key') } })
			.then((r) => r.json()).then((all) => all.length === 1 && all[0].id !== ${JSON.stringify(old)})`, 'the end of the old one');
		// one more, which comes when the view was left
		await evaluate(`(() => {
			window.plain = window.fetch;
			window.asked = [];
			window.fetch = async (path, o) => {
				const answer = plain(path, o);

				if (path.startsWith('api/terminals'))
					asked.push(o.method);
				while (o.method === 'POST' && document.getElementById('tab-shell').ariaSelected === 'true')
					await new Promise((r) => setTimeout(r, 10));
				return answer;
			};
			${button('New shell')}.click();
		})()`);
		await until('asked.includes("POST")', 'a shell that is asked for');
		await tab('files');
		await until('asked.join() === "DELETE,POST,DELETE"', 'the end of the shell before, and of the one that was left');
		await evaluate('window.fetch = plain, 0');
		await until(`fetch('api/terminals', { headers: { Authorization: 'Bearer ' + sessionStorage.getItem('cubby-key') } })
			.then((r) => r.json()).then((all) => all.length === 0)`, 'the end of the one that was left');
		await shell('echo c$((20+22))d');
		await onScreen('c42d');
	},

	// names and output of the box are text
	async hostile() {
		await login();
		await shell(`printf '\\033]0;<img src=x onerror=alert(1)>\\007<script>document.title=1</script>\\033]8;;javascript:alert(1)\\007link\\033]8;;\\007 over\\n'`);
		await onScreen('link over');
		await tab('files');
		await has('<img src=x onerror=alert(1)>.txt');
		check('no element came of it', await evaluate('!document.querySelector("main img:not([src=\'page/icon.svg\']), main script, main iframe")'));
		await press('<img src=x onerror=alert(1)>.txt');
		await has('<b>not bold</b>');
		check('nor of the content', await evaluate('!document.querySelector("main b")'));
		await has('<U+202E>gpj.exe');
		await press('<U+202E>gpj.exe');
		await has('if<U+200B> <U+2066>x<U+001B>[1m \u{1f469}\u200d\u{1f4bb} \u06cc\u200c\u06a9 <U+FEFF>y');
		check('what cannot be seen is shown', await evaluate('!/[\\u202e\\u2066\\u200b\\x1b]/.test(document.body.innerText)'));
		check('the policy takes no markup', await evaluate(`(() => { try { document.body.innerHTML = '<b>x</b>'; return false; } catch { return true; } })()`));
		check('nor code', await evaluate(`new Promise((r) => { const s = document.createElement('style'); s.textContent = 'body { display: none }'; document.head.append(s); r(getComputedStyle(document.body).display !== 'none'); s.remove(); })`));
		complaints.splice(0, complaints.length, ...complaints.filter((c) => !/TrustedHTML|inline style/.test(c)));
	},

	// a task from its text to its end, its changes, and some of them taken over
	async task() {
		await login();
		await fill('task', 'make a page about cats');
		await press('Begin');
		await has('$ ');
		await evaluate('document.querySelector("details").open = true');
		await has('the page is there');
		await has('done');
		await evaluate('document.querySelector(".screen").scrollIntoView()'); // what is not seen is not drawn
		await onScreen('page about cats');
		await evaluate('document.querySelector("details").open = false');
		await picture('task');
		await picture('task-dark', true);
		await press('See the changes');
		await has('cats.html');
		await has('+<h1>Cats</h1>');
		await picture('changes');
		await evaluate('document.querySelector("[aria-label=\'choose cats.html\']").click()');
		await press('Apply 1 chosen');
		await has('Taken over.');
		await until('!document.querySelector("[aria-label=\'choose cats.html\']")');
		await press('Discard all');
		await press('Throw away');
		await has('Nothing waits for the project.');
	},

	// a box is made, used, stopped and removed; another one is not touched
	async boxes() {
		await fill('key', key);
		await strike('Enter');
		await has('There is no box yet. Make one.');
		await fill('name', 'first');
		await strike('Enter');
		await until('document.querySelector("a[aria-current=page]")?.textContent === "first"', 'the box');
		await until('!!document.querySelector("a[aria-current=page] .dot.running")', 'that it runs');
		await shell('pwd; echo $((6*7)) >made');
		await onScreen('/first');
		await tab('files');
		await has('made');
		await evaluate('location.hash = "#/%zz/shell"');
		await until('document.querySelector("a[aria-current=page]")?.textContent === "first"', 'the box in spite of a bad address');
		await evaluate('document.getElementById("tab-tasks").click()');
		await press('Stop');
		await until('!!document.querySelector("a[aria-current=page] .dot.stopped")', 'that it stopped');
		await press('Remove');
		await evaluate('[...document.querySelectorAll("dialog button")].find((b) => b.textContent === "Remove").click()');
		await has('There is no box yet. Make one.');
	},

	// rules and record
	async network() {
		await login();
		await tab('network');
		await has('No rules: there is no box');
		await shell('echo up=$?');
		await onScreen('up=0');
		await tab('network');
		await has('Any public name is allowed');
		await fill('host', 'bad.example');
		await press('Deny');
		await has('deny bad.example');
		await shell('getent hosts bad.example; echo asked=$?');
		await onScreen('asked=2');
		await tab('network');
		await has('refused');
		await picture('network');
		await press('Take out');
		await until('!document.body.innerText.includes("deny bad.example")');
	},

	// how long from a key to what the shell answers, in milliseconds
	async speed() {
		await login();
		await shell('cat');
		const times = [];

		for (let i = 0; i < 30; i++) {
			await evaluate(`window.took = new Promise((yes) => {
				let began;

				document.addEventListener('keydown', () => { began = performance.now(); }, { capture: true, once: true });
				new MutationObserver((_, seen) => began && yes(performance.now() - began, seen.disconnect()))
					.observe(document.querySelector('.xterm-rows'), { childList: true, subtree: true, characterData: true });
			}), true`);
			await type('x');
			times.push(await evaluate('window.took'));
		}
		console.log(`from a key to what it shows: ${spread(times)}`);
		const first = [];

		for (let i = 0; i < 10; i++)
			first.push(await evaluate(`(async () => {
				const fresh = ${button('New shell')};
				const place = document.querySelector('[data-shell]');
				const old = place.dataset.shell;
				const before = performance.now();

				fresh.click();
				await new Promise((yes) => {
					const look = (_, seen) => place.dataset.shell !== old && requestAnimationFrame(() => yes(seen.disconnect()));

					new MutationObserver(look).observe(place, { attributes: true });
				});
				return performance.now() - before;
			})()`));
		console.log(`from the click to a new shell's first byte: ${spread(first)}`);
	},
};

async function main() {
	const { targetInfos } = await send('Target.getTargets', {}, undefined);
	const target = targetInfos.find((t) => t.type === 'page');

	session = (await send('Target.attachToTarget', { targetId: target.targetId, flatten: true }, undefined)).sessionId;
	await send('Runtime.enable');
	await send('Log.enable');
	await send('Page.enable');
	await send('Page.navigate', { url });
	await scenarios[scenario](...args);
	check('the page complains about nothing', complaints.length === 0);
	end(0);
}

main().catch(fail);
