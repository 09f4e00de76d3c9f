// What the page shows of characters that nobody would see is what base/text.c does: over all of
// Unicode, by the table that its test has, too (tests/unit/base/hidden.txt).
// usage: page_hidden.mjs DOM.JS TABLE
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const { seen } = await import(pathToFileURL(process.argv[2]));
const after = new Map();
let differ = 0;

for (const line of readFileSync(process.argv[3], 'utf8').trim().split('\n')) {
	const [what, from, to] = line.split(' ');
	const set = after.get(what) ?? new Set();

	for (let c = parseInt(from, 16); c <= parseInt(to, 16); c++)
		set.add(c);
	after.set(what, set);
}

function check(text, c, hidden) {
	if (/<U\+[0-9A-F]+>$/.test(seen(text)) !== hidden && differ++ < 20)
		console.log(`${JSON.stringify(text)} (${c.toString(16)}): base/text.c ${hidden ? 'shows' : 'leaves'} it`);
}

for (let c = 0; c < 0x110000; c++) {
	if (c >= 0xd800 && c <= 0xdfff)
		continue; // in no text
	if (!after.has(c.toString(16)) && c !== 9 && c !== 10)
		check(`a${String.fromCodePoint(c)}`, c, after.get('*').has(c));
	for (const [what, set] of after)
		if (what !== '*') {
			const last = parseInt(what, 16);

			check(String.fromCodePoint(c, last), c, set.has(c));
		}
}
console.log(`${differ} differences`);
process.exit(differ ? 1 : 0);
