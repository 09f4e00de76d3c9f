// Tasks: begun, followed live, ended, read again.
import { events, json, stream } from './api.js';
import { act, button, el, field, say } from './dom.js';
import { openScreen } from './screen.js';

const dollars = (micro) => (micro === undefined || micro === null ? '' : `$${(micro / 1e6).toFixed(4)}`);

function words(message) {
	const content = message?.content;

	if (typeof content === 'string')
		return content;
	return (Array.isArray(content) ? content : []).map((c) => c.text ?? '').join('');
}

function call(r) {
	if (r.args?.command !== undefined)
		return `$ ${r.args.command}`;
	if (r.args?.code !== undefined)
		return `python\n${r.args.code}`;
	return `${r.tool} ${JSON.stringify(r.args ?? r.raw ?? '')}`;
}

function turn(kind, who, text) {
	return el('article', { class: `turn ${kind}` }, el('span', { class: 'who' }, who), el('pre', {}, text));
}

// A record of the transcript as a person reads it; null = nothing to see.
function shown(r) {
	switch (r.type) {
	case 'task': return turn('', 'task', r.task ?? '');
	case 'response': return words(r.message) ? turn('', 'model', words(r.message)) : null;
	case 'call': return r.tool === 'finish' ? null : turn('call', r.tool ?? 'call', call(r));
	case 'result': return r.outcome === 'finished' ? null : turn(r.outcome === 'error' || (r.exit ?? 0) ? 'fails' : '', 'result', r.text ?? '');
	case 'notice': return turn('', 'cubby', r.text ?? '');
	case 'user': return turn('', 'you', r.text ?? '');
	case 'error': return turn('fails', 'service', r.error ?? '');
	case 'end': return turn(r.reason === 'done' ? 'answer' : 'fails', r.reason ?? 'end', r.answer || r.error || '');
	default: return null;
	}
}

export function tasksPanel(box, goTo) {
	const base = `v1/boxes/${encodeURIComponent(box)}/tasks`;
	const task = el('textarea', { name: 'task', required: true, placeholder: 'convert cat.jpg into a png' });
	const model = el('input', { name: 'model', placeholder: 'the usual one', autocomplete: 'off', spellcheck: 'false' });
	const cost = el('input', { name: 'cost', placeholder: 'no limit', inputmode: 'decimal' });
	const list = el('div', { class: 'card' });
	const detail = el('div', { class: 'log' });
	let follow, screen;

	const form = el('form', { class: 'card log', onsubmit: act(begin), 'aria-label': 'New task' },
		field('What shall be done?', task),
		el('div', { class: 'row' },
			el('div', { class: 'grow' }, field('Model', model)),
			el('div', { class: 'grow' }, field('At most (dollars)', cost)),
			el('button', { class: 'main', type: 'submit' }, 'Begin')));
	const node = el('section', { class: 'panel', 'aria-label': 'Tasks' }, form, detail, list);

	function leave() {
		follow?.abort();
		screen?.close();
		follow = screen = undefined;
	}

	async function begin() {
		const body = { task: task.value };

		if (model.value)
			body.model = model.value;
		if (cost.value)
			body.max_cost = cost.value;
		say('The box is started, and the task begins…');
		const { task: name } = await json(base, { method: 'POST', body });

		say('');
		task.value = '';
		open(name);
		await refresh();
	}

	async function refresh() {
		const tasks = (await json(base).catch(() => [])).reverse(); // no box yet: no task

		list.replaceChildren(el('h2', {}, 'Tasks'), tasks.length ? el('table', {},
			el('tbody', {}, tasks.map((t) => el('tr', {},
				el('td', {}, button(t.text || t.name, () => open(t.name), { class: 'link' })),
				el('td', { class: t.end === 'running' ? 'good' : 'soft' }, t.end || 'broken off'),
				el('td', { class: 'number soft' }, t.rounds ? `${t.rounds} rounds` : ''),
				el('td', { class: 'number soft' }, t.tokens ? `${t.tokens} tokens` : '')))))
			: el('p', { class: 'empty' }, 'There is no task in this box yet.'));
	}

	function open(name) {
		const log = el('div', { class: 'log', 'aria-live': 'polite', 'data-task': name });
		const state = el('span', { class: 'good' }, 'running');
		const spent = el('span', { class: 'soft' });
		const place = el('div', { class: 'screen' });
		const stop = button('Interrupt', act(() =>
			json(`${base}/${encodeURIComponent(name)}/interrupt`, { method: 'POST' })), { class: 'danger' });
		const signal = (leave(), follow = new AbortController()).signal;
		const watched = el('details', {}, el('summary', {}, 'Terminal'), place);

		watched.addEventListener('toggle', () => {
			if (screen || !watched.open)
				return;
			screen = openScreen(place, { readOnly: true, label: `terminal of task ${name}` });
			const { term } = screen;
			stream(`${base}/${encodeURIComponent(name)}/terminal?follow=1`, (data) => term.write(data), { signal })
				.catch((e) => { if (!signal.aborted) say(e.message); });
		});
		detail.replaceChildren(el('section', { class: 'card log', 'aria-label': `Task ${name}` },
			el('div', { class: 'row' }, el('h2', { class: 'grow' }, name), state, spent, stop,
				button('Close', () => { leave(); detail.replaceChildren(); })),
			log, watched));
		events(`${base}/${encodeURIComponent(name)}/events`, (r) => {
			const one = shown(r);

			if (one)
				log.append(one);
			if (r.usage || r.cost_micro !== undefined)
				spent.textContent = dollars(r.cost_micro);
			if (r.type === 'end') {
				state.textContent = r.reason ?? 'ended';
				state.className = r.reason === 'done' ? 'good' : 'warn';
				spent.textContent = [`${(r.tokens_in ?? 0) + (r.tokens_out ?? 0)} tokens`, dollars(r.cost_micro)].filter(Boolean).join(' · ');
			}
		}, signal).then(() => {
			if (signal.aborted)
				return;
			if (state.textContent === 'running') {
				state.textContent = 'broken off';
				state.className = 'bad';
			}
			stop.replaceWith(button('See the changes', () => goTo('changes')));
			refresh().catch((e) => say(e.message));
		}).catch((e) => say(e.message));
	}

	return { node, show: act(refresh), hide: leave };
}
