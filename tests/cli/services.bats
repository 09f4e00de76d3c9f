# What single services are like, from end to end: addresses, keys, prices, contexts.
load ../lib
load model

teardown() { model_done; }

gets() { jq -r 'select(.get) | .get' "$BATS_TEST_TMPDIR/requests"; }

config() {
	mkdir -p "$LIB_PROJECT/conf/cubby"
	cat >"$LIB_PROJECT/conf/cubby/config.json"
	export XDG_CONFIG_HOME=$LIB_PROJECT/conf
}

# The server is the proxy, so that any name leads to it.
@test "services: Azure: deployment, api-version, the key in its own header" {
	model <<-END
	{"config":{"key_header":"api-key","path":"/openai/deployments/dep/chat/completions?api-version=2024-10-21"}}
	{"raw":"data: {\"id\":\"\",\"choices\":[],\"prompt_filter_results\":[]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"from the deployment\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"content_filter_results\":{}}]}\n\ndata: [DONE]\n\n"}
	END
	export http_proxy=http://127.0.0.1:$MODEL_PORT
	OPENAI_BASE_URL="http://res.openai.azure.test/openai/deployments/dep?api-version=2024-10-21" \
		run -0 task -q "hello"
	[ "$output" = "from the deployment" ]
	[ "$(jq -r 'select(.path) | .body | has("max_completion_tokens")' "$BATS_TEST_TMPDIR/requests")" = true ]
}

@test "services: Azure: the host alone, and its filter" {
	model <<-END
	{"config":{"key_header":"api-key","path":"/openai/v1/chat/completions"}}
	{"status":400,"body":{"error":{"code":"content_filter","message":"The response was filtered"}}}
	END
	export http_proxy=http://127.0.0.1:$MODEL_PORT
	OPENAI_BASE_URL=http://res.openai.azure.test run -1 task "hello"
	[[ $output = *"The response was filtered"* ]]
}

@test "services: Gemini: its path, a list of errors, a word for a signature" {
	model <<-END
	{"config":{"path":"/v1beta/openai/chat/completions"}}
	{"calls":[{"name":"shell","args":{"command":"true"}}]}
	{"status":503,"body":[{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}]}
	{"text":"done"}
	END
	OPENAI_BASE_URL=http://127.0.0.1:$MODEL_PORT/v1beta/openai run -0 task --model gemini-x "hello"
	[ "$(jq -r 'select(.path) | .body.messages[2].tool_calls[0].extra_content.google.thought_signature' \
		"$BATS_TEST_TMPDIR/requests" | tail -1)" = skip_thought_signature_validator ]
	[[ $output = *"overloaded"*"done"* ]]
}

@test "services: a server that was named is asked how large its context is" {
	model <<-END
	{"config":{"models":["qwen"],"cards":{"qwen":{"max_model_len":12345}}}}
	{"text":"done"}
	END
	run -0 task --model qwen --save-transcript=t.jsonl "hello"
	[ "$(gets)" = /v1/models ]
	[ "$(jq -r 'select(.type == "model") | .params.window' t.jsonl)" = 12345 ]
	[ "$(jq -r 'select(.get) | .key' "$BATS_TEST_TMPDIR/requests")" = "$KEY" ]
}

@test "services: the configuration's own word on context and prices" {
	model <<-'END'
	{"usage":[1000,100],"text":"done"}
	END
	export CORP_KEY=$KEY
	config <<-END
	{"providers":{"corp":{"base-url":"$OPENAI_BASE_URL","key-env":"CORP_KEY","context":9000}},
	 "prices":{"big":{"input":10,"output":100}}}
	END
	run -0 --separate-stderr task --model corp:big --max-cost 1 --save-transcript=t.jsonl "hello"
	[[ $stderr = "cubby: corp:big in "*"1.0k tokens in, 100 out, about \$0.0200"* ]]
	[ "$(jq -r 'select(.type == "model") | .params.window' t.jsonl)" = 9000 ]
	[ "$(jq -r 'select(.type == "end") | .cost_micro' t.jsonl)" = 20000 ]
	[ -z "$(gets)" ]
}

@test "services: --max-cost ends the task with 3, and needs a price: else 2" {
	model < <(printf '{"usage":[1000,100],"calls":[{"name":"shell","args":{"command":"echo %s"}}]}\n' 1 2
		echo '{"usage":[1000,100],"text":"as far as two","expect":"No more calls"}')
	config <<<'{"prices":{"big":{"input":10,"output":100}}}'
	run -3 --separate-stderr task --model big --max-cost 0.04 "count"
	[ "$output" = "as far as two" ]
	[[ $stderr = *"the limit of cost for this task is reached"* ]]
	run -2 --separate-stderr task --model other --max-cost 0.04 "count"
	[ "$stderr" = "cubby run: --max-cost: what 'other' costs at $OPENAI_BASE_URL is not known; say it in the configuration, under \"prices\"" ]
	[ "$(requests)" = 3 ]
}

@test "services: an output limit that is too high is lowered to what the service says" {
	model <<-'END'
	{"status":400,"body":{"error":{"type":"invalid_request_error","message":"max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for x"}}}
	{"text":"done"}
	END
	run -0 task -q --model anthropic:x "hello"
	[ "$(jq -r 'select(.path) | .body.max_tokens' "$BATS_TEST_TMPDIR/requests" | tail -1)" = 4096 ]
}

@test "services: nothing runs twice, and every call of a turn gets its result" {
	model <<-'END'
	{"calls":[{"name":"shell","args":{"command":"echo a >>log"}},{"name":"nosuch","args":{}},{"name":"shell","args":"{broken"},{"name":"shell","args":{"command":"echo b >>log"}}],"cut_at":0.95}
	{"calls":[{"name":"shell","args":{"command":"echo a >>log"}},{"name":"nosuch","args":{}},{"name":"shell","args":"{broken"},{"name":"shell","args":{"command":"echo b >>log"}}]}
	{"text":"done"}
	END
	run -0 task "hello"
	[ "$(cat log)" = a$'\n'b ]
	[ "$(jq -r 'select(.path) | .body.messages | map(select(.role == "tool")) | length' \
		"$BATS_TEST_TMPDIR/requests" | tail -1)" = 4 ]
}

# docs/events.md says what programs may rely on.
@test "services: --json says nothing that docs/events.md does not" {
	model <<-'END'
	{"text":"half","cut_at":0.6}
	{"reasoning":"hm","text":"I look.","calls":[{"name":"shell","args":{"command":"echo out; touch new"}},{"name":"shell","args":"{broken"}]}
	{"text":"done"}
	END
	run -0 --separate-stderr task --json "look"
	[ "$(jq -r '.review[].path' <<<"$stderr")" = /new ]
	local doc=$CUBBY_TEST_TOP/docs/events.md
	[ "$(jq -r .event <<<"$output" | sort -u | xargs)" = \
		"call discarded end output reasoning result retry round start turn words" ]
	for word in $(jq -r 'keys[], (.event // empty), (.files[]? | keys[]), (.review[]? | keys[])' <<<"$output$stderr" | sort -u); do
		grep -q "\`$word\`" "$doc" || { echo "$word is not in docs/events.md"; false; }
	done
	[ "$(jq -r .event <<<"$output" | tail -1)" = end ]
	[ "$(jq -r 'select(.event == "call" and .number == 2) | .arguments' <<<"$output")" = "{broken" ]
}

@test "services: models are listed with what is known of them" {
	model <<-END
	{"config":{"models":["gpt-5.1","odd"],"cards":{"odd":{"context_length":9000}}}}
	END
	run -0 --separate-stderr cubby models
	[[ ${lines[0]} == MODEL*CONTEXT*WIRE*INPUT* ]]
	[[ ${lines[1]} == gpt-5.1*400000*openai* ]]
	[[ ${lines[2]} == odd*9000*openai* ]]
	[[ $stderr == *" are of March 2026" ]]
	run -0 cubby models --model anthropic: --json
	[ "$(jq -r '.[0].wire' <<<"$output")" = anthropic ]
	OPENAI_BASE_URL=http://127.0.0.1:1 run -4 cubby models
	[[ $output == *127.0.0.1:1* ]]
}

@test "services: models that are known without asking: of the configuration, the last answers, the table" {
	rm -f "$XDG_DATA_HOME/cubby/models.json"
	model <<-'END'
	{"config":{"models":["gpt-5.1","odd/one:7b","$(touch here)","a b","-x"]}}
	END
	run -0 cubby models
	printf '{"model":"mine","aliases":{"fast":"gpt-5-mini"},"prices":{"odd2":{"input":1,"output":2}},"providers":{"lab":{"base-url":"http://127.0.0.1:9/v1"}}}' >config.json
	mkdir cubby
	mv config.json cubby
	export XDG_CONFIG_HOME=$PWD OPENAI_BASE_URL=http://127.0.0.1:1/v1
	run -0 --separate-stderr cubby models --known --json
	[ "$(jq -r '.[] | select(.from != "table") | .model' <<<"$output" | tr '\n' ' ')" = "mine fast odd2 lab: gpt-5.1 odd/one:7b " ]
	jq -e 'map(select(.model == "gpt-5.1")) | length == 1' <<<"$output"
	jq -e 'map(select(.model == "claude-sonnet-4-5" and .from == "table")) | length == 1' <<<"$output"
	run -0 cubby models --known
	[[ ${lines[0]} == MODEL*FROM ]]
	echo '{"openai":["$(touch here)"],"lab":["x-1"],"ollama":["llama3.2:3b"]}' >"$XDG_DATA_HOME/cubby/models.json"
	run -0 cubby models --known --json
	[ "$(jq -r '.[] | select(.from == "service") | .model' <<<"$output" | tr '\n' ' ')" = "lab:x-1 ollama:llama3.2:3b " ]
	echo 'no JSON' >"$XDG_DATA_HOME/cubby/models.json"
	run -0 cubby models --known
}
