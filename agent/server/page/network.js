// What the box may reach, and what it did.
import { json, text } from './api.js';
import { act, button, el, field, say, table } from './dom.js';

const RECENT = 300;

export function networkPanel(box) {
	const base = `v1/boxes/${encodeURIComponent(box)}/network`;
	const host = el('input', { name: 'host', placeholder: 'example.org or *.example.org:443', autocomplete: 'off', spellcheck: 'false' });
	const rules = el('div', { class: 'card' });
	const record = el('div', { class: 'card' });
	const node = el('section', { class: 'panel', 'aria-label': 'Network' },
		el('form', { class: 'row', onsubmit: act(() => change('allow', host.value)), 'aria-label': 'New rule' },
			el('div', { class: 'grow' }, field('Host', host)),
			el('button', { type: 'submit' }, 'Allow'),
			button('Deny', act(() => change('deny', host.value)), { class: 'danger' })),
		rules, record);

	async function change(what, name) {
		if (!name)
			throw new Error('Name a host first.');
		await json(base, { method: 'POST', body: { [what]: [name] } });
		host.value = '';
		say(`${what === 'allow' ? 'Allowed' : what === 'deny' ? 'Denied' : 'Taken out'}: ${name}`);
		await refresh();
	}

	function event(e) {
		const name = e.name ?? e.address ?? '';

		return el('tr', {},
			el('td', { class: 'soft' }, (e.time ?? '').slice(11, 19)),
			el('td', {}, e.event ?? ''),
			el('td', { class: e.verdict === 'allowed' ? 'good' : 'bad' }, e.verdict ?? ''),
			el('td', {}, `${name}${e.port ? `:${e.port}` : ''}`),
			el('td', { class: 'soft' }, e.process?.name ?? '', e.why ? ` ${e.why}` : ''),
			el('td', {}, name && el('div', { class: 'row' },
				button('Allow', act(() => change('allow', name)), { 'aria-label': `allow ${name}` }),
				button('Deny', act(() => change('deny', name)), { 'aria-label': `deny ${name}`, class: 'danger' }))));
	}

	async function refresh() {
		let now;

		try {
			now = await json(base);
		} catch (e) { // to look starts no box
			rules.replaceChildren(el('p', { class: 'empty' }, `No rules: ${e.message}.`));
			record.replaceChildren();
			return;
		}
		const lines = (await text(`${base}/log`)).split('\n').filter(Boolean).slice(-RECENT).reverse();

		rules.replaceChildren(el('h2', {}, now.open ? 'Any public name is allowed, but for what is denied here'
			: 'Only what is allowed here, and not denied'),
		el('table', {}, el('tbody', {}, (now.rules ?? []).map((r) => el('tr', {}, el('td', {}, r),
			el('td', { class: 'number' }, button('Take out', act(() => change('drop', r.replace(/^\S+ /, '')))))))))
		);
		record.replaceChildren(el('h2', {}, 'Record'), lines.length
			? table(['Time', 'Event', '', 'Where', 'By', ''], lines.map((l) => event(JSON.parse(l))))
			: el('p', { class: 'empty' }, 'Nothing went out of this box yet.'));
	}

	return { node, show: act(refresh), hide() {} };
}
