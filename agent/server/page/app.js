// The frame of the page: the key, the boxes, and what is looked at in one of them.
import { dropKey, hasKey, json, setKey, whenLost } from './api.js';
import { changesPanel } from './changes.js';
import { act, button, confirmed, el, field, say } from './dom.js';
import { filesPanel } from './files.js';
import { networkPanel } from './network.js';
import { shellPanel } from './shell.js';
import { tasksPanel } from './tasks.js';

const TABS = [['tasks', 'Tasks', tasksPanel], ['shell', 'Shell', shellPanel], ['changes', 'Changes', changesPanel],
	['files', 'Files', filesPanel], ['network', 'Network', networkPanel]];
const app = document.getElementById('app');
let known = { boxes: [], several: false, version: '' };
let panel, frame;

const go = (box, tab) => { location.hash = `#/${encodeURIComponent(box)}/${tab}`; };
const brand = () => el('div', { class: 'brand' }, el('img', { src: 'page/icon.svg', alt: '' }), el('h1', {}, 'cubby'));

function place() {
	const [, name, tab] = location.hash.split('/');
	let box;

	try {
		box = decodeURIComponent(name ?? '');
	} catch { /* an address that nobody of us wrote */ }
	return { box: box || (known.boxes[0]?.id ?? (known.several ? null : 'here')),
		tab: TABS.some((t) => t[0] === tab) ? tab : 'tasks' };
}

/* ---- the key ---- */

function login() {
	const key = el('input', { type: 'password', name: 'key', required: true, autocomplete: 'current-password' });

	panel?.hide();
	panel = undefined;
	app.replaceChildren(el('form', { class: 'login', onsubmit: act(async () => {
		setKey(key.value.trim());
		await load();
	}) }, brand(), field('Key of the server', key),
	el('button', { class: 'main', type: 'submit' }, 'Log in'),
	el('p', { class: 'soft' }, '“cubby serve” shows it when it begins.')));
	key.focus();
}

/* ---- the frame ---- */

function side(box) {
	const name = el('input', { name: 'name', required: true, pattern: '[A-Za-z0-9_][A-Za-z0-9_\\-]*', autocomplete: 'off' });
	const boxes = known.boxes.some((b) => b.id === box) || !box ? known.boxes : [...known.boxes, { id: box, state: 'stopped' }];

	return el('nav', { class: 'side', 'aria-label': 'Boxes' }, brand(),
		el('ul', {}, boxes.map((b) => el('li', {}, el('a', { href: `#/${encodeURIComponent(b.id)}/tasks`,
			'aria-current': b.id === box && 'page' },
		el('span', { class: `dot ${b.state}`, role: 'img', 'aria-label': b.state }), b.id)))),
		known.several && el('form', { class: 'log', 'aria-label': 'New box', onsubmit: act(async () => {
			await json(`v1/boxes/${encodeURIComponent(name.value)}`, { method: 'PUT' });
			go(name.value, 'tasks');
			await load();
		}) }, field('New box', name), el('button', { type: 'submit' }, 'Make')),
		el('div', { class: 'foot' }, button('Log out', () => { dropKey(); login(); }), `cubby ${known.version}`));
}

function actions(box, state) {
	const path = `v1/boxes/${encodeURIComponent(box)}`;
	const runs = state === 'running' || state === 'lingering';

	return [runs
		? button('Stop', act(async () => { await json(`${path}/stop`, { method: 'POST' }); await load(); }))
		: button('Start', act(async () => { await json(path, { method: 'PUT' }); await load(); })),
	button('Remove', act(async () => {
		if (!await confirmed('All that was installed in the box goes; its directory stays.', 'Remove'))
			return;
		await json(path, { method: 'DELETE' });
		location.hash = '';
		await load();
	}), { class: 'danger' })];
}

function head(box) {
	const one = known.boxes.find((b) => b.id === box);
	const state = one?.state ?? 'stopped';

	return el('header', {}, el('h1', {}, box), el('span', { class: 'where' }, one?.directory ?? '', ` · ${state}`),
		actions(box, state));
}

function tabs(box, tab) {
	return el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Views', onkeydown: (e) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
		const at = TABS.findIndex((t) => t[0] === tab);

		if (step)
			go(box, TABS[(at + step + TABS.length) % TABS.length][0]);
	} }, TABS.map(([name, title]) => el('button', { type: 'button', role: 'tab', id: `tab-${name}`,
		'aria-selected': String(name === tab), tabindex: name === tab ? '0' : '-1',
		onclick: () => go(box, name) }, title)));
}

function draw() {
	const { box, tab } = place();
	const focus = document.activeElement?.getAttribute('role') === 'tab';

	panel?.hide();
	panel = undefined;
	if (!box) {
		app.replaceChildren(el('div', { class: 'frame' }, side(box),
			el('p', { class: 'empty' }, 'There is no box yet. Make one.')));
		return;
	}
	panel = TABS.find((t) => t[0] === tab)[2](box, (other) => go(box, other));
	panel.node.setAttribute('role', 'tabpanel');
	panel.node.setAttribute('aria-labelledby', `tab-${tab}`);
	frame = { box, side: side(box), head: head(box) };
	app.replaceChildren(el('div', { class: 'frame' }, frame.side, el('div', { class: 'work' },
		frame.head, tabs(box, tab), panel.node)));
	document.title = `${box} · cubby`;
	if (focus)
		document.getElementById(`tab-${tab}`).focus();
	panel.show().then(renew);
}

async function load() {
	known = await json('v1/boxes');
	draw();
}

// What is said of the boxes, without what is looked at.
async function renew() {
	if (!hasKey() || document.hidden || !frame?.side.isConnected)
		return;
	const now = await json('v1/boxes').catch(() => known);
	const busy = frame.side.contains(document.activeElement) || frame.head.contains(document.activeElement);

	if (JSON.stringify(now) === JSON.stringify(known) || busy)
		return;
	known = now;
	const next = { box: frame.box, side: side(frame.box), head: head(frame.box) };

	frame.side.replaceWith(next.side);
	frame.head.replaceWith(next.head);
	frame = next;
}

whenLost(login);
setInterval(renew, 15000);
window.addEventListener('hashchange', () => { if (hasKey()) draw(); });
if (hasKey())
	load().catch((e) => say(e.message));
else
	login();
