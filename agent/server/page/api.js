// Requests. The key is in the memory of this tab and in its session storage, and goes into
// a header or the first message of a WebSocket: never into a URL.
const KEY = 'cubby-key';
let key = sessionStorage.getItem(KEY);
let onLost = () => {};

export function hasKey() {
	return key !== null;
}

export function setKey(value) {
	key = value;
	sessionStorage.setItem(KEY, value);
}

export function dropKey() {
	key = null;
	sessionStorage.clear();
}

export function whenLost(fn) {
	onLost = fn;
}

async function ask(path, { method = 'GET', body, box, signal, headers = {} } = {}) {
	const raw = body instanceof FormData;
	const answer = await fetch(path, {
		method, signal,
		credentials: 'omit',
		headers: {
			Authorization: `Bearer ${key}`,
			...(body && !raw ? { 'Content-Type': 'application/json' } : {}),
			...(box ? { 'X-Cubby-Box': box } : {}),
			...headers,
		},
		body: raw || !body ? body : JSON.stringify(body),
	});

	if (answer.ok)
		return answer;
	if (answer.status === 401) {
		dropKey();
		onLost();
		throw new Error('the key is not the server’s');
	}
	let text = answer.statusText;
	try {
		const said = await answer.json();
		text = typeof said.detail === 'string' ? said.detail : said.error ?? text;
	} catch { /* it said nothing that can be read */ }
	throw new Error(text);
}

export async function json(path, options) {
	return (await ask(path, options)).json();
}

export async function text(path, options) {
	return (await ask(path, options)).text();
}

export async function blob(path, options) {
	return (await ask(path, options)).blob();
}

// Bytes as they come, until the end or signal.
export async function stream(path, take, options) {
	const reader = (await ask(path, options)).body.getReader();

	for (;;) {
		const { done, value } = await reader.read();

		if (done)
			return;
		take(value);
	}
}

// Server-sent events: each object, in order. A stream that breaks is gone on with.
export async function events(path, take, signal) {
	let last = 0;

	for (let tries = 0; tries < 5; tries++) {
		const decoder = new TextDecoder();
		let rest = '';

		try {
			await stream(path, (data) => {
				const parts = (rest + decoder.decode(data, { stream: true })).split('\n\n');

				rest = parts.pop();
				for (const part of parts) {
					const id = /^id: (\d+)$/m.exec(part);
					const line = /^data: (.*)$/m.exec(part);

					if (!line)
						continue;
					last = id ? Number(id[1]) : last;
					tries = 0;
					take(JSON.parse(line[1]));
				}
			}, { signal, headers: last ? { 'Last-Event-ID': String(last) } : {} });
			return;
		} catch (e) {
			if (signal.aborted)
				return;
			if (tries === 4)
				throw e;
			await new Promise((r) => setTimeout(r, 500 * (tries + 1)));
		}
	}
}

export function socket(path) {
	const url = new URL(path, location.href);

	url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
	const ws = new WebSocket(url);
	ws.binaryType = 'arraybuffer';
	ws.addEventListener('open', () => ws.send(JSON.stringify({ type: 'auth', token: key })));
	return ws;
}
