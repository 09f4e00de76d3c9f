// A terminal on the page.
import { FitAddon } from './addon-fit.mjs';
import { Terminal } from './xterm.mjs';

// The terminal writes <style> elements, which the page's policy does not take. It is given
// <template> elements instead, and what it writes there becomes sheets of the document.
function openWithSheets(term, node) {
	const create = document.createElement;
	const sheets = [];
	const drop = () => {
		document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => !sheets.includes(s));
	};

	document.createElement = (tag, options) => {
		if (tag !== 'style')
			return create.call(document, tag, options);
		const text = create.call(document, 'template');
		const sheet = new CSSStyleSheet();

		sheets.push(sheet);
		document.adoptedStyleSheets.push(sheet);
		new MutationObserver(() => sheet.replaceSync(text.textContent))
			.observe(text, { childList: true, characterData: true, subtree: true });
		return text;
	};
	try {
		term.open(node);
	} finally {
		delete document.createElement;
	}
	return drop;
}

// readOnly: of a task, which nobody types into; it has no say about its size.
export function openScreen(node, { readOnly = false, label } = {}) {
	const term = new Terminal({
		cols: readOnly ? 100 : 80,
		rows: readOnly ? 18 : 24,
		convertEol: false,
		disableStdin: readOnly,
		cursorBlink: false,
		fontFamily: 'ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace',
		fontSize: 13,
		scrollback: 5000,
		screenReaderMode: !readOnly,
		linkHandler: { activate: () => {} }, // a link of the box leads nowhere
		theme: { background: '#15181a', foreground: '#dfe4e4', cursor: '#74bfa8' },
	});
	const fit = new FitAddon();
	let resize;

	const inside = document.createElement('div'); // as high as its rows may be: without padding

	node.append(inside);
	term.loadAddon(fit);
	const drop = openWithSheets(term, inside);

	term.textarea.setAttribute('aria-label', label ?? 'terminal');
	term.attachCustomKeyEventHandler((e) => { // every other key is the program's
		if (e.key !== 'F6' || !e.ctrlKey)
			return true;
		document.querySelector('[role=tab][aria-selected=true]').focus();
		return false;
	});
	if (!readOnly) {
		resize = new ResizeObserver(() => { if (node.clientWidth) fit.fit(); });
		resize.observe(node);
		fit.fit();
	}
	return {
		term,
		close() {
			resize?.disconnect();
			term.dispose();
			inside.remove();
			drop();
		},
	};
}
