// What waits for the project: seen, taken over, thrown away.
import { json, text } from './api.js';
import { act, button, confirmed, el, say } from './dom.js';

function line(s) {
	const kind = /^(diff |index |new |deleted |old |--- |\+\+\+ |@@)/.test(s) ? 'head'
		: s.startsWith('+') ? 'add' : s.startsWith('-') ? 'del' : '';

	return el('span', { class: kind }, s);
}

export function changesPanel(box) {
	const base = `v1/boxes/${encodeURIComponent(box)}/changes`;
	const list = el('div', { class: 'card' });
	const patch = el('div', {});
	const take = button('Apply', act(apply), { class: 'main' });
	const drop = button('Discard', act(discard), { class: 'danger' });
	const back = button('Undo the last apply', act(undo));
	const node = el('section', { class: 'panel', 'aria-label': 'Changes' },
		el('div', { class: 'row' }, take, drop, back), list, patch);
	const chosen = new Set();
	let held = false;

	const label = () => {
		const some = chosen.size ? `${chosen.size} chosen` : 'all';

		take.textContent = `Apply ${some}`;
		drop.textContent = `Discard ${some}`;
	};

	async function post(what, body) {
		await json(`${base}/${what}`, { method: 'POST', body });
		await refresh();
	}

	async function apply() {
		if (chosen.size)
			await post('apply', { paths: [...chosen] });
		else if (!held)
			await post('apply', {});
		else if (await confirmed('Some of them act on this machine by themselves. Take over all of them?', 'Take over all'))
			await post('apply', { all: true });
		say('Taken over.');
	}

	async function discard() {
		if (await confirmed('It cannot be got back.', 'Throw away'))
			await post('discard', chosen.size ? { paths: [...chosen] } : { all: true });
	}

	async function undo() {
		await post('undo');
		say('Taken back.');
	}

	function row(c) {
		const path = c.path.replace(/^\//, '');
		const box = el('input', { type: 'checkbox', 'aria-label': `choose ${path}`, onchange: () => {
			if (box.checked)
				chosen.add(path);
			else
				chosen.delete(path);
			label();
		} });

		return el('tr', {}, el('td', {}, box),
			el('td', {}, button(path, act(() => show(path)), { class: 'link' })),
			el('td', { class: 'soft' }, c.kind),
			el('td', { class: 'number' }, el('span', { class: 'good' }, c.added ? `+${c.added} ` : ''),
				el('span', { class: 'bad' }, c.removed ? `-${c.removed}` : '')),
			el('td', { class: 'warn' }, c.why ?? (c.conflict ? 'changed here, too' : '')));
	}

	async function show(path) {
		const said = await text(`${base}/patch${path ? `?path=${encodeURIComponent(path)}` : ''}`);

		patch.replaceChildren(el('pre', { class: 'patch', tabindex: '0', 'aria-label': 'patch' },
			said.split('\n').slice(0, 5000).map(line)));
	}

	async function refresh() {
		let found;

		try {
			found = await json(base);
		} catch (e) {
			list.replaceChildren(el('p', { class: 'empty' }, e.message));
			return;
		}
		const changes = (Array.isArray(found) ? found : []).filter((c) => c.kind && !c.directory);

		held = changes.some((c) => c.class === 'held');
		chosen.clear();
		label();
		take.disabled = drop.disabled = !changes.length;
		patch.replaceChildren();
		list.replaceChildren(el('h2', {}, 'Changes that wait'), changes.length
			? el('table', {}, el('tbody', {}, changes.map(row)))
			: el('p', { class: 'empty' }, Array.isArray(found) ? 'Nothing waits for the project.'
				: 'Nothing waits. “cubby serve --project review” lets changes wait for you; else the box works on the project itself.'));
		if (changes.length && changes.length < 50)
			await show('');
	}

	return { node, show: act(refresh), hide() {} };
}
