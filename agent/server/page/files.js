// The files of the box, as a program in it sees them.
import { blob, json } from './api.js';
import { act, bytes, button, el, field, say } from './dom.js';

const SHOWN = 400000; // characters of a text

export function filesPanel(box) {
	const path = el('input', { name: 'path', 'aria-label': 'Directory', spellcheck: 'false', autocomplete: 'off' });
	const list = el('div', { class: 'card' });
	const shown = el('div', {});
	const chosen = el('input', { type: 'file' });
	const node = el('section', { class: 'panel', 'aria-label': 'Files' },
		el('form', { class: 'row', onsubmit: act(() => open(path.value)), 'aria-label': 'Go to a directory' },
			el('div', { class: 'grow' }, path),
			el('button', { type: 'submit' }, 'Go'),
			button('Up', act(() => open(path.value.replace(/\/[^/]*\/?$/, '') || '/')))),
		list, shown,
		el('form', { class: 'row card', onsubmit: act(upload), 'aria-label': 'Upload' },
			el('div', { class: 'grow' }, field('Put a file here', chosen)),
			el('button', { type: 'submit' }, 'Upload')));

	const join = (name) => `${path.value.replace(/\/$/, '')}/${name}`;

	async function upload() {
		const form = new FormData();

		if (!chosen.files.length)
			throw new Error('Choose a file first.');
		form.append('file', chosen.files[0]);
		await json(`files/upload?directory=${encodeURIComponent(path.value)}`, { method: 'POST', box, body: form });
		say('Uploaded.');
		await open(path.value);
	}

	async function download(name) {
		const data = await blob(`files/view?path=${encodeURIComponent(join(name))}`, { box });
		const url = URL.createObjectURL(new Blob([data], { type: 'application/octet-stream' }));
		const link = el('a', { href: url, download: name });

		link.click();
		setTimeout(() => URL.revokeObjectURL(url), 60000);
	}

	async function read(name) {
		const said = await json(`files/read?path=${encodeURIComponent(join(name))}`, { box }).catch((e) => {
			throw e instanceof SyntaxError ? new Error('This is no text. Download it to look at it.') : e; // a picture
		});

		shown.replaceChildren(el('div', { class: 'card' }, el('h2', {}, name),
			el('pre', { class: 'patch', tabindex: '0', 'aria-label': name }, (said.content ?? '').slice(0, SHOWN))));
	}

	function row(f) {
		const directory = f.type === 'directory';

		return el('tr', {},
			el('td', {}, button(directory ? `${f.name}/` : f.name,
				act(() => (directory ? open(join(f.name)) : read(f.name))), { class: 'link' })),
			el('td', { class: 'number soft' }, directory ? '' : bytes(f.size)),
			el('td', { class: 'number soft when' }, new Date(f.modified * 1000).toLocaleString()),
			el('td', { class: 'number' }, directory ? '' : button('Download', act(() => download(f.name)),
				{ 'aria-label': `download ${f.name}` })));
	}

	async function open(directory) {
		const found = await json(`files/list?directory=${encodeURIComponent(directory || '.')}`, { box });

		path.value = found.dir;
		shown.replaceChildren();
		list.replaceChildren(found.entries.length ? el('table', {}, el('tbody', {}, found.entries.map(row)))
			: el('p', { class: 'empty' }, 'This directory is empty.'));
	}

	return { node, show: act(() => open(path.value)), hide() {} };
}
