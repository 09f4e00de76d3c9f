# The scripts that enforce the rules must fail when a rule is broken.
load ../lib

setup_file() { :; }
setup() {
	lib_env
	cp -r "$CUBBY_TEST_TOP/scripts" "$LIB_DIR/scripts"
	cd "$LIB_DIR"
	mkdir base rootfs runtime agent cli tests
}

teardown() {
	lib_done
}

layers() { # a source file from standard input breaks a rule in this way
	mkdir -p "$(dirname "$1")"
	cat >"$1"
	run -1 scripts/check-layers
	[ "$output" = "$2" ] || { echo "$output"; false; }
}

@test "check-layers: looking up" {
	layers base/a.c "base/a.c:1: layer 'base' may not include \"rootfs/b.h\"" <<-'END'
	#include "rootfs/b.h"
	END
}

@test "check-layers: agent does not see rootfs" {
	layers agent/task/a.c "agent/task/a.c:1: layer 'agent' may not include \"rootfs/b.h\"" <<-'END'
	#include "rootfs/b.h"
	END
}

@test "check-layers: a folder looks up, and at what is another's own" {
	layers runtime/wire/a.c "runtime/wire/a.c:1: folder 'runtime/wire' may not include \"runtime/gate/b.h\"
runtime/wire/a.c:2: \"runtime/net/impl.h\" is for runtime/net/ alone" <<-'END'
	#include "runtime/gate/b.h"
	#include "runtime/net/impl.h"
	END
}

@test "check-layers: folders that would form a circle cannot be written down" {
	sed -i 's#^folder runtime/net .*#& runtime/gate#' scripts/layers.conf
	run -1 scripts/check-layers
	[[ $output = *"folder 'runtime/net': 'runtime/gate' has no row above it" ]]
}

@test "check-layers: a library outside its door" {
	layers rootfs/store/a.c "rootfs/store/a.c:1: <curl/curl.h> is for base/http.c alone" <<-'END'
	#include <curl/curl.h>
	END
}

@test "check-layers: a raw system call, but not in comments, strings and members" {
	layers cli/a.c "cli/a.c:3: system call 'read': use its door sys_read (base/sys/sys.h)" <<-'END'
	/* read( */ int a = f("read(1)") + o->read(1) + o.read(2) + sys_read(3); // read(
	/* open(
	   open( */ int b = read (0);
	END
}

@test "check-layers: goto" {
	layers cli/a.c "cli/a.c:1: goto: destructors would see unset variables" <<-'END'
	void f(void) { goto out; out: return; }
	END
}

@test "check-layers: a header without guard and opening" {
	printf 'int x;\n' >base/a.h
	run -1 scripts/check-layers
	[ "${lines[0]}" = "base/a.h:1: no include guard 'BASE_A_H'" ]
	[ "${lines[1]}" = "base/a.h:1: a header opens with the words Needs:, Owns: and Never:" ]
}

@test "check-layers: the own header comes first" {
	printf '/* Needs: Owns: Never: */\n#ifndef BASE_A_H\n#define BASE_A_H\n#endif\n' >base/a.h
	layers base/a.c "base/a.c:1: the first include of a .c is its own header, \"base/a.h\"" <<-'END'
	#include <stdio.h>
	#include "base/a.h"
	END
}

@test "check-symbols: prefixes, writable data, calls that exit and print" {
	cat >base/a.c <<-'END'
	#include <stdio.h>
	#include <stdlib.h>
	static int count;
	static const char *const names[] = { "one", "two" };
	const char *a_name(int i) { return names[i]; }
	void other(void) { printf("%d\n", count++); exit(1); }
	END
	gcc -O2 -fPIE -c -o base/a.o base/a.c
	run -1 scripts/check-symbols objects .
	[ "${#lines[@]}" -eq 4 ] || { echo "$output"; false; }
	[[ $output == *"base/a.c: exported name 'other' does not begin with 'a'"* ]]
	[[ $output == *"base/a.c: writable data 'count' (.bss): pass state as an argument"* ]]
	[[ $output == *"base/a.c: 'exit' is not for layers below cli/"* ]]
	[[ $output == *"base/a.c: 'printf' is not for layers below cli/"* ]]
}

@test "check-symbols: a name that two files export, of which the linker takes one" {
	mkdir -p base/x base/y
	echo 'int a_name(void) { return 1; }' >base/x/a.c
	echo 'int a_name(void) { return 2; }' >base/y/a.c
	gcc -O2 -fPIE -c -o base/x/a.o base/x/a.c
	gcc -O2 -fPIE -c -o base/y/a.o base/y/a.c
	run -1 scripts/check-symbols objects .
	[ "$output" = "base/y/a.c: 'a_name' is exported by base/x/a.c, too" ]
}

@test "check-symbols: files that call each other in a circle" {
	mkdir base/one
	echo 'int b_get(int n); int a_get(int n) { return n ? b_get(n - 1) : 0; }' >base/one/a.c
	echo 'int c_get(int n); int b_get(int n) { return c_get(n); }' >base/one/b.c
	echo 'int a_get(int n); int d_get(void); int c_get(int n) { return a_get(n) + d_get(); }' >base/one/c.c
	echo 'int d_get(void) { return 1; }' >base/one/d.c
	for i in a b c d; do gcc -O2 -fPIE -c -o base/one/$i.o base/one/$i.c; done
	run -1 scripts/check-symbols objects .
	[ "${#lines[@]}" -eq 4 ] || { echo "$output"; false; }
	[[ ${lines[0]} == "a circle of files:"*" base/one/c.c"* && ${lines[0]} != *d.c* ]]
	[[ $output == *"base/one/a.c needs base/one/b.c: b_get"* ]]
	[[ $output == *"base/one/b.c needs base/one/c.c: c_get"* ]]
	[[ $output == *"base/one/c.c needs base/one/a.c: a_get"* ]]
	rm base/one/b.o
	scripts/check-symbols objects .
}

@test "check-symbols: a call that runs up, though nothing is included" {
	mkdir -p runtime/wire runtime/gate
	echo 'int dial_now(void); int wire_send(void) { return dial_now(); }' >runtime/wire/wire.c
	echo 'int hello_say(void); int dial_now(void) { return hello_say(); }' >runtime/gate/dial.c
	echo 'int hello_say(void) { return 1; }' >runtime/wire/hello.c
	for i in wire/wire gate/dial wire/hello; do gcc -O2 -fPIE -c -o runtime/$i.o runtime/$i.c; done
	run -1 scripts/check-symbols objects .
	[ "$output" = "runtime/wire/wire.c: 'dial_now' is above, in runtime/gate" ] || { echo "$output"; false; }
}

@test "check-symbols: a source without test, and lines that are no longer true" {
	mkdir -p tests/unit/base
	touch base/a.c base/b.c base/c.c tests/unit/base/test_c.c
	echo 'int x;' >tests/unit/base/test_c.c
	printf 'base/b.c\nbase/c.c  it is hard\nbase/d.c  gone\n' >tests/UNTESTED
	run -1 scripts/check-symbols tests
	[ "${#lines[@]}" -eq 4 ] || { echo "$output"; false; }
	[[ $output == *"tests/UNTESTED:1: no reason given for base/b.c"* ]]
	[[ $output == *"tests/UNTESTED:2: base/c.c has a test now: remove the line"* ]]
	[[ $output == *"tests/UNTESTED:3: base/d.c does not exist: remove the line"* ]]
	[[ $output == *"base/a.c: no tests/unit/base/test_a.c, and no reason in tests/UNTESTED"* ]]
}

@test "lint: a file of 701 lines, a line of 101 columns" {
	{
		echo '/* a'
		for ((i = 0; i < 699; i++)); do echo '	x'; done
		echo "*/ /* $(printf 'x%.0s' {1..95}) */"
	} >base/a.c
	run -1 scripts/lint lengths
	[ "${lines[0]}" = "base/a.c:701: wider than 100 columns" ] || { echo "$output"; false; }
	[ "${lines[1]}" = "base/a.c: 701 lines, 700 are the limit: split it by facility" ]
}

@test "lint: in a row, what cannot fail under set -e" {
	tr '>%' '\t@' >tests/a.bats <<'END'
%test "x" {
>! grep -q x y
>[ a = b ] && [ c = d ]
>[[ a == b ]] && [ c = d ]
>[ a = b ] && [ c = d ] || return 1
>[ a = b ] && c=d
>! grep -q x y || return 1
>run ! grep -q x y
>! grep -q x y
}
END
	run -1 scripts/lint rows
	[ "$output" = 'tests/a.bats:2: ! fails no row but in its last line: "run !"
tests/a.bats:3: a false [ A ] before && fails no row: one question a line
tests/a.bats:4: a false [ A ] before && fails no row: one question a line' ] || { echo "$output"; false; }
	sed -i 2,4d tests/a.bats
	run -0 scripts/lint rows
	[ -z "$output" ]
}
