// Elements of the page. A string becomes text, never markup: what comes from a box can be
// anything.

// What a person does not see, nor that it turns the text around it: as base/text.c has it, which
// tests/fake/page_hidden.mjs proves. What joins or varies pictures (of keys: varies alone), or
// letters of a script that is written so, is seen there.
const PICTURES = '\\xa9\\xae\\u203c\\u2049\\u2122\\u2139\\u2190-\\u2bff\\u3030-\\u303d\\u3297-\\u3299\\u{1f000}-\\u{1faff}';
const HIDDEN = new RegExp(`(?<![#*0-9${PICTURES}])[\\ufe0e\\ufe0f]|(?<![\\u0600-\\u0dff])\\u200c|` +
	`(?<![\\u0600-\\u0dff\\ufe0f${PICTURES}])\\u200d|(?![\\n\\t\\u200c\\u200d\\ufe0e\\ufe0f]|\\r\\n)` +
	'[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\ufff0-\\ufffb]', 'gu');

export function seen(text) {
	return text.replace(HIDDEN, (c) => `<U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}>`);
}

export function el(tag, props = {}, ...children) {
	const node = document.createElement(tag);

	for (const [name, value] of Object.entries(props)) {
		if (value === undefined || value === null || value === false)
			continue;
		if (name.startsWith('on'))
			node.addEventListener(name.slice(2), value);
		else if (name === 'value' || name === 'checked' || name === 'disabled')
			node[name] = value;
		else
			node.setAttribute(name, value === true ? '' : value);
	}
	node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false)
		.map((c) => (c instanceof Node ? c : seen(String(c)))));
	return node;
}

export function button(text, onclick, props = {}) {
	return el('button', { type: 'button', onclick, ...props }, text);
}

// A label and its field: the field is returned, too, for its value.
export function field(text, input) {
	return el('label', {}, text, input);
}

let timer;

// For the eye and the screen reader; an empty text takes it away.
export function say(text) {
	const node = document.getElementById('said');

	node.textContent = seen(text);
	clearTimeout(timer);
	timer = setTimeout(() => { node.textContent = ''; }, 8000);
}

// Runs what a button does: the button rests meanwhile, and a failure is said.
export function act(fn) {
	return async (event) => {
		const node = event?.currentTarget;

		event?.preventDefault();
		if (node instanceof HTMLButtonElement)
			node.disabled = true;
		try {
			await fn(event);
		} catch (e) {
			say(e.message);
		} finally {
			if (node instanceof HTMLButtonElement)
				node.disabled = false;
		}
	};
}

// A question with an answer of its own; false = it was not given.
export function confirmed(question, yes) {
	return new Promise((resolve) => {
		const box = el('dialog', { 'aria-label': question },
			el('form', { method: 'dialog' },
				el('p', {}, question),
				el('div', { class: 'row' },
					el('button', { value: 'yes', class: 'main' }, yes),
					el('button', { value: 'no' }, 'Cancel'))));

		box.addEventListener('close', () => {
			box.remove();
			resolve(box.returnValue === 'yes');
		});
		document.body.append(box);
		box.showModal();
	});
}

export function bytes(n) {
	const units = ['B', 'KiB', 'MiB', 'GiB'];
	let i = 0;

	for (; n >= 1024 && i < 3; i++)
		n /= 1024;
	return `${i && n < 10 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

export function table(heads, rows) {
	return el('table', {},
		el('thead', {}, el('tr', {}, heads.map((h) => el('th', { scope: 'col' }, h)))),
		el('tbody', {}, rows));
}
