#!/usr/bin/env node
// http2_front - HTTP/2 over TLS in front of a server that speaks HTTP/1.1.
//
// usage: http2_front CERT KEY PORT       (PORT: of the server behind, on loopback)
//
// Offers h2 alone by ALPN, so a client that does not ask for it gets nothing. Prints its own port,
// then a line for each request, and ends with its standard input.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createSecureServer } from 'node:http2';

const [cert, key, port] = process.argv.slice(2);
const front = createSecureServer({ cert: readFileSync(cert), key: readFileSync(key), allowHTTP1: false });
const hops = ['connection', 'transfer-encoding', 'keep-alive'];
const without = (headers, bad) => Object.fromEntries(Object.entries(headers).filter(([name]) => !bad(name)));

front.on('request', (asked, answer) => {
	const behind = request({
		host: '127.0.0.1', port, method: asked.method, path: asked.url,
		headers: without(asked.headers, (name) => name.startsWith(':')),
	}, (said) => {
		answer.writeHead(said.statusCode, without(said.headers, (name) => hops.includes(name)));
		said.pipe(answer);
		said.on('error', () => answer.stream.close());
	});

	console.log(`HTTP/${asked.httpVersion} ${asked.method} ${asked.url}`);
	behind.on('error', () => answer.stream.close());
	asked.pipe(behind);
});
front.listen(0, '127.0.0.1', () => console.log(front.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
