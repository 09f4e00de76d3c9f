# Pictures that a model looks at: those of the box, and those that go with a task.
load ../lib
load model

teardown() { model_done; }

png() { # FILE WIDTH HEIGHT
	python3 - "$@" <<-'END'
	import struct, sys, zlib
	w, h = int(sys.argv[2]), int(sys.argv[3])
	def chunk(kind, data):
	    return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
	rows = zlib.compress((b'\0' + b'\x80' * (3 * w)) * h)
	open(sys.argv[1], 'wb').write(b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, 8, 2, 0, 0, 0))
	    + chunk(b'IDAT', rows) + chunk(b'IEND', b''))
	END
}

@test "pictures: view_image shows one to the model, behind the results of its turn" {
	png a.png 4 3
	model <<-END
	{"calls":[{"name":"view_image","args":{"path":"a.png"}},{"name":"shell","args":{"command":"echo after"}}]}
	{"expect":"a.png: PNG, 4x3; it follows as PNG","calls":[{"name":"view_image","args":{"path":"none"}}]}
	{"expect":"No such file","calls":[{"name":"finish","args":{"answer":"grey"}}]}
	END
	run -0 task -q "look"
	[ "$output" = grey ]
	jq -se "[.[].body.messages[]? | select(.role == \"user\") | .content | arrays | .[].image_url.url? // empty] | length == 2 and all(. == \"data:image/png;base64,$(base64 -w0 a.png)\")" "$BATS_TEST_TMPDIR/requests"
	grep -q '"type":"picture"' "$XDG_DATA_HOME"/cubby/boxes/*/transcripts/*.jsonl
}

@test "pictures: a model that takes none is told what it was" {
	png a.png 4 3
	model <<-END
	{"config":{"append_only":false}}
	{"calls":[{"name":"view_image","args":{"path":"a.png"}}]}
	{"status":400,"body":{"error":{"message":"Invalid content type. image_url is only supported by certain models."}}}
	{"expect":"this model takes none","expect_not":"base64","calls":[{"name":"finish","args":{"answer":"blind"}}]}
	END
	run -0 task -q "look"
	[ "$output" = blind ]
}

@test "pictures: what is too large, or no picture, is said in a line" {
	png big.png 2000 10
	echo text >t.png
	model <<-END
	{"calls":[{"name":"view_image","args":{"path":"big.png"}},{"name":"view_image","args":{"path":"t.png"}}]}
	{"expect":"no PNG, JPEG, GIF or WebP picture","calls":[{"name":"finish","args":{"answer":"done"}}]}
	END
	run -0 task -q "look"
	jq -se '[.[].body.messages[]? | select(.role == "tool") | .content] | any(test("PNG picture of 2000x10, more than can be shown .*install imagemagick"))' "$BATS_TEST_TMPDIR/requests"
}

@test "pictures: one that is too large is made smaller by a program of the box" {
	local jpeg=/9j/4AAQSkZJRgABAQAAAQABAAD/wgARCAAwAEADAAAAAAAAAAA=
	png big.png 2000 10
	cubby exec -q -- sh -c 'cat >/usr/local/bin/magick && chmod +x /usr/local/bin/magick' <<-END
	#!/bin/sh
	[ "\$*" = "big.png[0] -auto-orient -resize 1568x1568> -quality 85 jpeg:-" ] && echo $jpeg | base64 -d
	END
	model <<-END
	{"calls":[{"name":"view_image","args":{"path":"big.png"}}]}
	{"expect":"big.png: PNG, 2000x10, shown as 64x48; it follows as JPEG, ","calls":[{"name":"finish","args":{"answer":"seen"}}]}
	END
	run -0 task -q "look"
	[ "$output" = seen ]
	grep -qF "data:image/jpeg;base64,$jpeg" "$BATS_TEST_TMPDIR/requests"
}

@test "pictures: --attach gives pictures and texts with the task" {
	png a.png 4 3
	echo "line of the file" >note.txt
	printf 'a\0b' >binary
	png big.png 2000 10
	model <<-END
	{"expect":"a.png: PNG, 4x3, from the person","calls":[{"name":"finish","args":{"answer":"seen"}}]}
	END
	run -0 task -q --attach a.png --attach note.txt "look"
	[ "$output" = seen ]
	jq -se '[.[] | select(.body)][0].body.messages | .[1].content | contains("look\n\nThe file note.txt, from the person:\nline of the file")' "$BATS_TEST_TMPDIR/requests"
	run -2 task --attach binary "look"
	[[ $output == *"--attach: 'binary' is neither text nor a PNG, JPEG, GIF or WebP; "* ]]
	run -2 task --attach big.png "look"
	[[ $output == *"--attach: 'big.png' is 2000x10, more than 1568x1568 or 1 MB; "* ]]
	echo secret >../outside
	ln -s "$(realpath ../outside)" link
	ln -s ../outside up
	mkfifo pipe
	mkdir sub
	ln -s ../note.txt sub/in
	for name in link up; do
		run -2 task --attach $name "look"
		[[ $output == *"--attach: '$name' leads by a link out of a directory that a box can write; name the place that you mean"* ]]
	done
	run -2 task --attach pipe "look"
	[[ $output == *"--attach: 'pipe' is no file"* ]]
	model <<-END
	{"text":"ok"}
	END
	run -0 task -q --attach sub/in --attach ../outside --attach <(echo "of a pipe") "look"
	jq -se '[.[] | select(.body)][-1].body.messages | .[1].content | contains("The file sub/in, from the person:\nline of the file") and contains("secret") and contains("of a pipe")' "$BATS_TEST_TMPDIR/requests"
	run -2 task --attach missing "look"
	[[ $output == *"--attach: cannot open 'missing': No such file or directory"* ]]
}
