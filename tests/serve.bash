# serve - a server for a bats file: cubby serve on a free port of loopback.
#   serve_start [OPTION]...    SERVE_URL, SERVE_ADDR, SERVE_KEY
#   serve METHOD PATH [CURL ARGUMENT]...          its answer in $output
#   serve_json METHOD PATH JSON [CURL ARGUMENT]...
#   serve_status METHOD PATH STATUS [CURL ARGUMENT]...
#   serve_end                  ends it as a service manager would, and waits
# shellcheck shell=bash

serve_start() {
	local listen=127.0.0.1:0 option
	for option; do [ "$option" != --listen ] || listen=; done
	: >"$LIB_PROJECT/serve.out" # what an earlier one said is no answer of this one
	cubby serve ${listen:+--listen "$listen"} "$@" >"$LIB_PROJECT/serve.out" 2>"$LIB_PROJECT/serve.err" 3>&- &
	SERVE_PID=$!
	until grep -qE '^(key|listening|\{)' "$LIB_PROJECT/serve.out"; do
		kill -0 "$SERVE_PID" || { cat "$LIB_PROJECT/serve.err"; return 1; }
		sleep 0.02
	done
	SERVE_URL=$(grep -oE 'https?://[^" ]+' "$LIB_PROJECT/serve.out" | head -n 1)
	SERVE_ADDR=${SERVE_URL#http*://}
	SERVE_KEY=$(sed -n 's/^key: //p' "$LIB_PROJECT/serve.out")
	export SERVE_PID SERVE_URL SERVE_ADDR SERVE_KEY
}

# serve_certificate: ca.pem, and s.pem and s.key for a server on loopback, in this directory;
# with all that clients want who are strict, as Python's is from 3.13 on
serve_certificate() {
	openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=ca -days 2 \
		-addext keyUsage=critical,keyCertSign,cRLSign
	openssl req -newkey rsa:2048 -nodes -keyout s.key -out s.csr -subj /CN=localhost
	printf '%s\n' subjectAltName=DNS:localhost,IP:127.0.0.1 subjectKeyIdentifier=hash authorityKeyIdentifier=keyid >ext
	openssl x509 -req -in s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out s.pem -days 2 -extfile ext
} 2>/dev/null

serve_end() {
	[ -n "${SERVE_PID-}" ] || return 0
	kill "$SERVE_PID" 2>/dev/null || true
	wait "$SERVE_PID" 2>/dev/null || true
	SERVE_PID=
}

serve() {
	run -0 curl -sS -m 60 -X "$1" -H "Authorization: Bearer $SERVE_KEY" "${@:3}" "$SERVE_URL$2"
}

serve_json() {
	serve "$1" "$2" -H 'Content-Type: application/json' -d "$3" "${@:4}"
}

serve_status() {
	run -0 curl -sS -m 60 -X "$1" -H "Authorization: Bearer $SERVE_KEY" -o "$LIB_PROJECT/serve.body" \
		-w '%{http_code}' "${@:4}" "$SERVE_URL$2"
	[ "$output" = "$3" ] || { echo "status $output"; cat "$LIB_PROJECT/serve.body"; return 1; }
}
