// A person's shell in the box, which stays when the page is loaded again.
import { json, socket } from './api.js';
import { act, button, el, say } from './dom.js';
import { openScreen } from './screen.js';

const PASTE = 64 << 10; // a piece of what is pasted

export function shellPanel(box) {
	const place = el('div', { class: 'screen tall', 'data-shell': '' });
	const again = button('New shell', act(() => begin(true)));
	const node = el('section', { class: 'panel full', 'aria-label': 'Shell' },
		el('div', { class: 'row' }, again,
			el('span', { class: 'soft' }, 'Once used, it goes on for an hour when this page is closed. Ctrl+F6 leaves it for the tabs.')),
		place);
	const slot = `cubby-shell-${box}`;
	const encoder = new TextEncoder();
	const heard = []; // what listens to the screen for one shell
	let screen, ws, turn;

	function leave() {
		ws?.close();
		ws = undefined;
		for (const one of heard.splice(0))
			one.dispose();
	}

	function drop() {
		leave();
		screen?.close();
		screen = turn = undefined;
	}

	function connect(id) {
		ws = socket(`api/terminals/${encodeURIComponent(id)}?box=${encodeURIComponent(box)}`);
		const mine = ws;
		const size = () => mine.readyState === WebSocket.OPEN &&
			mine.send(JSON.stringify({ type: 'resize', rows: screen.term.rows, cols: screen.term.cols }));

		ws.addEventListener('open', () => { size(); screen.term.focus(); });
		ws.addEventListener('message', (e) => {
			if (mine === ws && e.data instanceof ArrayBuffer)
				screen.term.write(new Uint8Array(e.data), () => { place.dataset.shell = id; });
		});
		ws.addEventListener('close', (e) => {
			if (mine !== ws)
				return;
			sessionStorage.removeItem(slot);
			if (e.code === 4004)
				begin(true).catch((x) => say(x.message));
			else
				screen.term.write('\r\n[the shell has ended]\r\n');
		});
		heard.push(screen.term.onResize(size), screen.term.onData((text) => {
			const data = encoder.encode(text);

			for (let i = 0; i < data.length && mine.readyState === WebSocket.OPEN; i += PASTE)
				mine.send(data.subarray(i, i + PASTE));
		}), screen.term.onBinary((text) => mine.send(Uint8Array.from(text, (c) => c.charCodeAt(0)))));
	}

	const forget = (id) => json(`api/terminals/${encodeURIComponent(id)}`, { method: 'DELETE', box }).catch(() => {});

	// The one before ends first: nobody finds it any more, and there may be so many.
	async function another(before) {
		sessionStorage.removeItem(slot);
		if (before)
			await forget(before);
		return json('api/terminals', { method: 'POST', box });
	}

	async function begin(fresh) {
		const before = sessionStorage.getItem(slot);
		const known = fresh ? null : before;
		const asked = known ? { id: known } : another(before);

		const mine = turn = {};
		leave(); // the terminal is drawn while the shell starts, or emptied if there is one
		screen?.term.write('\x1bc'); // behind what is still to be drawn of the last shell
		screen ??= openScreen(place, { label: `shell in ${box}` });
		const { id } = await asked;

		if (mine !== turn) { // another view, or another shell, in the meantime
			if (!known)
				await forget(id);
			return;
		}
		sessionStorage.setItem(slot, id);
		connect(id);
	}

	return { node, show: act(() => begin(false)), hide: drop };
}
