# Every command line of README.md and docs/: blocks that are marked "sh" run, each page in a
# directory of its own; a block that cannot says why in its source ("<!-- not run: REASON -->").
# Blocks are fenced: what is only indented says neither.
load ../lib

# blocks FILE: what is to run of a page into $1.sh files in $BATS_TEST_TMPDIR; prints for each
# block "run LINE" or "not LINE REASON", and "bare LINE" for what is not marked.
blocks() {
	awk -v dir="$BATS_TEST_TMPDIR" '
		/^<!-- not run: .* -->$/ { why = substr($0, 15, length($0) - 18); next }
		/^```/ && !on {
			on = FNR; sh = $0 == "```sh"; bare = 0
			file = sprintf("%s/%04d.sh", dir, FNR)
			if (sh && why != "") print "not", FNR, why
			else if (sh) { print "run", FNR; printf "" >file }
			next
		}
		/^```/ { if (bare && !sh && why == "") print "bare", on; on = 0; why = ""; next }
		on && sh && why == "" { print >file }
		on && /^(\$ )?cubby / { bare = 1 }
		!on && /^(    |\t)/ && blank { print "bare", FNR }
		!on && NF { why = "" }
		{ blank = !NF }
	' "$1"
}

page() {
	local line kind at why
	while read -r kind at why; do
		case $kind in
		bare)
			echo "$1:$at: commands in a block that is neither \`\`\`sh nor marked as not run, or one without a fence"
			return 1
			;;
		not) echo "# not run: $1:$at: $why" >&3 ;;
		run)
			printf 'set -eu\n%s\n' "$(cat "$BATS_TEST_TMPDIR/$(printf %04d "$at").sh")" >"$BATS_TEST_TMPDIR/now"
			timeout "$(lib_longer 120)" sh "$BATS_TEST_TMPDIR/now" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- </dev/null || {
				echo "$1:$at ends with $?:"
				cat "$BATS_TEST_TMPDIR/out"
				return 1
			}
			;;
		esac
	done < <(blocks "$1")
}

@test "book: what README.md says runs" { page "$CUBBY_TEST_TOP/README.md"; }

@test "book: what docs/start.md says runs" { page "$CUBBY_TEST_TOP/docs/start.md"; }

# bats test_tags=long
@test "book: what docs/boxes.md says runs" { page "$CUBBY_TEST_TOP/docs/boxes.md"; }

@test "book: what docs/troubleshooting.md says runs" { page "$CUBBY_TEST_TOP/docs/troubleshooting.md"; }

@test "book: what docs/python.md says runs" {
	lib_python
	lib_skipped
	page "$CUBBY_TEST_TOP/docs/python.md"
}

@test "book: what docs/troubleshooting.md says one sees is said" {
	local text n=0
	while read -r text; do
		n=$((n + 1))
		grep -qrF --include='*.c' -e "$text" "$CUBBY_TEST_TOP"/{base,rootfs,runtime,cli} || {
			echo "no message says '$text'"
			return 1
		}
	done < <(awk -F'|' '/^\| .*`/ { print $2 }' "$CUBBY_TEST_TOP/docs/troubleshooting.md" |
		awk -F'`' '{ for (i = 2; i <= NF; i += 2) print $i }' | sed 's/…$//; s/^\.git//' | grep '[ .]')
	[ "$n" -ge 5 ]
}

# bats test_tags=long
@test "book: what the pages of commands say runs" {
	local file
	for file in "$CUBBY_TEST_TOP"/docs/commands/*.md; do
		lib_project
		rm -f "$BATS_TEST_TMPDIR"/*.sh
		page "$file"
		cubby rm --all --force -q 2>/dev/null || true
	done
}

@test "book: what the other pages say runs" {
	local file
	for file in "$CUBBY_TEST_TOP"/docs/*.md; do
		case $file in */start.md | */boxes.md | */troubleshooting.md | */python.md) continue ;; esac
		lib_project
		rm -f "$BATS_TEST_TMPDIR"/*.sh
		page "$file"
	done
}

@test "book: each page is in the index, and what pages link to is there" {
	cd "$CUBBY_TEST_TOP/docs"
	local file to
	for file in *.md; do
		[ "$file" = README.md ] || grep -q "($file)" README.md || { echo "$file is not in docs/README.md"; false; }
		grep -oE '\]\([^)#: ]+' "$file" | cut -c3- | while read -r to; do
			[ -e "$to" ] || { echo "$file: '$to' is not there"; exit 1; }
		done
	done
}
