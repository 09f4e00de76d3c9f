# tests/fuzz/replay.c: what fails in a fuzzer's function is seen without libFuzzer, too.
load ../lib

setup_file() {
	lib_env
	command -v gcc >/dev/null && echo 'int main(void) { return 0; }' >"$LIB_DIR/a.c" &&
		gcc -fsanitize=address -o "$LIB_DIR/a" "$LIB_DIR/a.c" ||
		lib_skip_file "no gcc with the address sanitizer"
}
setup() {
	lib_skipped
	lib_project
	mkdir corpus
	printf 'abcdefgh' >corpus/one
	printf 'ijklmnop' >corpus/two
}

fuzzer() { # BODY of the function
	printf '#include <assert.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n' >f.c
	printf 'int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)\n{\n%s\nreturn 0;\n}\n' "$1" >>f.c
	gcc -D_GNU_SOURCE -I"$CUBBY_TEST_TOP" -g1 -fsanitize=address,undefined -fno-sanitize-recover=all \
		-o f "$CUBBY_TEST_TOP/tests/fuzz/replay.c" f.c
}

finds() { compgen -G 'find-*' | wc -l; }

@test "replay: a function without fault passes, and says what it was given" {
	fuzzer '(void)data; (void)size;'
	run -0 ./f 100 1 find- corpus
	[ "$output" = "2 inputs and 100 mutants, seed 1" ]
	[ "$(finds)" = 0 ]
}

@test "replay: one byte beyond an input is seen, and the input kept" {
	fuzzer 'if (size > 8) return data[size] == 1;'
	run ./f 1000 1 find- corpus
	[ "$status" -ne 0 ]
	[[ $output == *"heap-buffer-overflow"*"the input is kept in find-"* ]]
	[ "$(finds)" = 1 ]
	[ "$(stat -c %s find-*)" -gt 8 ]
	cat find-* >corpus/again
	run ./f 0 1 find- corpus # it fails as an input of the corpus
	[ "$status" -ne 0 ]
}

@test "replay: an assertion, undefined behaviour and a leak fail" {
	fuzzer 'assert(!memmem(data, size, "ab", 2) || !memmem(data, size, "mn", 2));'
	run ./f 5000 1 find- corpus
	[ "$status" -ne 0 ]
	[[ $output == *"Assertion"*"the input is kept in find-"* ]]
	grep -q ab find-* && grep -q mn find-*
	fuzzer 'int n = 0x7ffffff0; for (size_t i = 0; i < size; i++) n += data[i] == 0xff ? 255 : 0;'
	run ./f 5000 1 find- corpus
	[ "$status" -ne 0 ]
	[[ $output == *"signed integer overflow"*"the input is kept in find-"* ]]
	fuzzer 'if (size == 3) { volatile char *p = malloc(size); *p = *data; p = NULL; }'
	run ./f 5000 1 find- corpus
	[ "$status" -ne 0 ]
	[[ $output == *"LeakSanitizer: detected memory leaks"* ]]
}

@test "replay: the same seed makes the same mutants, another others" {
	fuzzer 'size_t h = size; while (size) h = h * 31 + data[--size]; if (getenv("SUM")) dprintf(2, "%zx\n", h);'
	SUM=1 ./f 200 1 find- corpus 2>one
	SUM=1 ./f 200 1 find- corpus 2>again
	SUM=1 ./f 200 2 find- corpus 2>two
	[ "$(wc -l <one)" = 202 ]
	cmp one again
	run ! cmp -s one two
	[ "$(sort -u one | wc -l)" -gt 150 ]
}

@test "replay: without a corpus, or with an input that is too large, it fails" {
	fuzzer '(void)data; (void)size;'
	mkdir none
	run -1 ./f 1 1 find- none
	[ "$output" = "no corpus in none" ]
	run -1 ./f 1 1 find- nosuch
	truncate -s 1M corpus/large
	run -1 ./f 1 1 find- corpus
	[ "$output" = "input 'large' cannot be read, or is not below 1048576 bytes" ]
}
