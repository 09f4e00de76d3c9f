# cubby serve: documents as text, read in the box by what it has.
load ../lib
load ../serve

setup_file() {
	lib_env
	lib_image
	lib_python
}
setup() {
	lib_skipped
	lib_project
}
teardown() { serve_end; }

# What FILE says, as text.
content() {
	serve GET "/files/read?path=$1$2"
	jq -r .content <<<"$output"
}

# FILE NAME TEXT...: a zip of these
pack() {
	python3 - "$@" <<-'END'
		import sys, zipfile
		with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
		    for name, text in zip(sys.argv[2::2], sys.argv[3::2]):
		        z.writestr(name, text)
	END
}

W='xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A='xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
O='xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'

@test "documents: a text, its lines, a table" {
	serve_start
	pack a.docx word/document.xml "<w:document $W><w:body><w:p><w:r><w:t>First &amp; </w:t></w:r><w:r><w:t>foremöst</w:t><w:tab/><w:t>x</w:t><w:br/></w:r></w:p>
		<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:instrText>PAGE</w:instrText><w:t>two</w:t></w:r></w:p>
		<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>" \
		word/footnotes.xml "<w:footnotes $W><w:footnote><w:p><w:r><w:t>note</w:t></w:r></w:p></w:footnote></w:footnotes>"
	[ "$(content a.docx)" = $'First & foremöst\tx\n\ntwo\na\tb c\t\nnote' ]
	[ "$(jq -c '[.path, .total_lines]' <<<"$(serve GET '/files/read?path=a.docx'; echo "$output")")" = "[\"$LIB_PROJECT/a.docx\",5]" ]
	[ "$(content a.docx '&start_line=3&end_line=4')" = $'two\na\tb c\t' ]
	[ "$(content a.docx '&start_line=9')" = '' ]
	pack b.odt content.xml "<office:document-content $O><text:p>one<text:s text:c=\"2\"/>two<text:span> three</text:span></text:p><text:h>Head</text:h>
		<table:table><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell><table:table-cell><text:p>2</text:p></table:table-cell></table:table-row></table:table></office:document-content>"
	[ "$(content b.odt)" = $'one  two three\nHead\n1\t2\t' ]
}

@test "documents: rich text and messages" {
	local words
	serve_start
	# one that is UTF-8 is the text that it is; it is a document to be compared
	printf '%s' '{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}}{\*\generator x;}{\info{\title t}}' "\\'cf\\'f0 a\\{b\\}\\par" \
		'\uc1\u8364?\u-10179?\u-8704?{\uc2\u233 xy}z\tab\ldblquote q\rdblquote{\pict 00ff}{\header h}\bin3 {{{' $'\\\n' 'end\cell\row}' >a.rtf
	[[ $(content a.rtf) == '{\rtf1'* ]]
	{ cat a.rtf; printf '\377'; } >b.rtf
	words=$'Пр a{b}\n€😀éz\t“q”\nend\t'
	[ "$(content b.rtf)" = "$words"$'\nя' ]
	cat >a.eml <<-'END'
		From: =?utf-8?q?J=C3=B6rg?= <j@example.org>
		To: a@example.org,
		 b@example.org
		Subject: =?utf-8?b?R3LDvMOfZQ==?=
		MIME-Version: 1.0
		Content-Type: multipart/mixed; boundary=B

		--B
		Content-Type: multipart/alternative; boundary=C

		--C
		Content-Type: text/plain; charset=iso-8859-1
		Content-Transfer-Encoding: quoted-printable

		Sch=F6ne Gr=
		=FC=DFe
		--C
		Content-Type: text/html

		<p>never</p>
		--C--
		--B
		Content-Type: application/pdf; name="r=.pdf"
		Content-Disposition: attachment; filename="r.pdf"

		%PDF
		--B
		Content-Type: message/rfc822

		Subject: inner
		Content-Type: text/html; charset=nosuch

		<style>x</style><p>in &amp; out</p>
		--B--
	END
	{ cat a.eml; printf '\377'; } >b.eml
	[ "$(content b.eml)" = $'From: Jörg <j@example.org>\nTo: a@example.org, b@example.org\nSubject: Grüße\n\nSchöne Grüße\n[attachment: r.pdf, application/pdf]\nSubject: inner\n\n\nin & out' ]
	serve_json POST /files/compare '{"original":"a.eml","revised":"b.eml"}'
	[ "$(jq -c '[.additions, .deletions]' <<<"$output")" = '[0,0]' ]
	# what is none, and what would be without end
	printf 'x\377' >c.rtf
	serve_status GET '/files/read?path=c.rtf' 415
	python3 -c 'print("{\\rtf1" + "{" * 100000 + "\xff")' >c.rtf
	printf '\377' >>c.rtf
	serve_status GET '/files/read?path=c.rtf' 415
	python3 -c 'print("Content-Type: message/rfc822\n\n" * 5000)' >c.eml
	printf '\377' >>c.eml
	serve_status GET '/files/read?path=c.eml' 415
}

@test "documents: slides, sheets and books" {
	local part
	serve_start
	for part in 1 2 10; do echo "<p:sld xmlns:p=\"p\" $A><a:p><a:r><a:t>slide $part</a:t></a:r></a:p></p:sld>" >"s$part"; done
	pack a.pptx ppt/slides/slide10.xml "$(cat s10)" ppt/slides/slide2.xml "$(cat s2)" ppt/slides/slide1.xml "$(cat s1)"
	[ "$(content a.pptx)" = $'--- Slide 1 ---\nslide 1\n--- Slide 2 ---\nslide 2\n--- Slide 3 ---\nslide 10' ]
	pack a.xlsx xl/workbook.xml '<workbook xmlns:r="r"><sheets><sheet name="Sums" r:id="rId7"/></sheets></workbook>' \
		xl/_rels/workbook.xml.rels '<Relationships><Relationship Id="rId7" Target="worksheets/sheet1.xml"/></Relationships>' \
		xl/sharedStrings.xml '<sst><si><t>name</t></si><si><r><t>rich </t></r><r><t>text</t></r></si></sst>' \
		xl/worksheets/sheet1.xml '<worksheet><sheetData><row><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
			<row><c r="A2"><f>1+1</f><v>2</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" t="inlineStr"><is><t>in line</t></is></c></row></sheetData></worksheet>'
	[ "$(content a.xlsx)" = $'--- Sheet: Sums ---\nname\t\trich text\t\n2\tTRUE\tin line\t' ]
	pack a.epub META-INF/container.xml '<container><rootfiles><rootfile full-path="OPS/b.opf"/></rootfiles></container>' \
		OPS/b.opf '<package><manifest><item id="two" href="2.xhtml"/><item id="one" href="a%20b.xhtml"/></manifest><spine><itemref idref="one"/><itemref idref="two"/></spine></package>' \
		OPS/2.xhtml '<html><body><p>the end</p></body></html>' \
		'OPS/a b.xhtml' '<html><head><title>T</title><style>x</style></head><body><h1>Chapter</h1><p>a &lt; b<script>no</script></p></body></html>'
	[ "$(content a.epub | grep .)" = $'Chapter\na < b\nthe end' ]
}

# bats test_tags=long
@test "documents: what is none, lies or never ends is refused" {
	serve_start
	refused() { # STATUS FILE: the text of it
		serve_status GET "/files/read?path=$2" "$1"
		jq -r .detail serve.body
	}
	printf '\320\317\021\340' >a.xls
	[ "$(refused 415 a.xls)" = 'Unsupported binary file type: application/vnd.ms-excel (4 bytes); make an xlsx of it first: apt-get install libreoffice-calc; soffice --headless --convert-to xlsx FILE' ]
	printf 'PK\3\4\377\0' >a.docx
	[ "$(refused 415 a.docx)" = 'Unsupported binary file type: application/vnd.openxmlformats-officedocument.wordprocessingml.document: it cannot be read as one' ]
	pack b.docx word/document.xml '<w:t'
	refused 415 b.docx
	pack c.odt other ''
	refused 415 c.odt
	pack d.odt content.xml '<!DOCTYPE x [<!ENTITY e SYSTEM "/etc/passwd">]><p>a&e;b</p>'
	[[ "$(content d.odt)" != *root* ]]
	# much that is said of little: not kept, but refused
	python3 - <<-'END'
		import zipfile
		with zipfile.ZipFile("e.odt", "w", zipfile.ZIP_DEFLATED) as z:
		    z.writestr("content.xml", b"<p>" + b"x" * (20 << 20) + b"</p>")
	END
	[ "$(refused 413 e.odt)" = "the document's text is too long" ]
	mkfifo f.odt # nobody waits for it
	refused 400 f.odt
	# what is not there is said with what brings it
	printf '%%PDF-1.4\n\377\0' >a.pdf
	[ "$(refused 415 a.pdf)" = 'Unsupported binary file type: application/pdf: pdftotext is not in the box: apt-get install poppler-utils' ]
	refused 404 none.pdf
}

@test "documents: two are compared by what they say, and one with a text" {
	serve_start
	pack a.docx word/document.xml "<w:document $W><w:body><w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p></w:body></w:document>"
	pack b.odt content.xml "<office:document-content $O><text:p>one</text:p><text:p>2</text:p></office:document-content>"
	printf 'one\ntwo\n' >c.txt
	compare() { # STATUS ORIGINAL REVISED
		serve_status POST /files/compare "$1" -H 'Content-Type: application/json' -d "{\"original\":\"$2\",\"revised\":\"$3\"}"
	}
	compare 200 a.docx b.odt
	[ "$(jq -c '[.additions, .deletions, .original.name, (.hunks[0].lines[] | [.type, .content])]' serve.body)" = \
		'[1,1,"a.docx",["context","one"],["removed","two"],["added","2"]]' ]
	compare 200 c.txt a.docx
	[ "$(jq -c '[.additions, .deletions, .hunks]' serve.body)" = '[0,0,[]]' ]
	compare 200 a.docx c.txt
	[ "$(jq -c .hunks serve.body)" = '[]' ]
	printf 'PK\3\4\377\0' >d.docx
	compare 422 c.txt d.docx
	[ "$(jq -r .detail serve.body)" = 'd.docx: it cannot be read as a document' ]
	printf '%%PDF-1.4\n' >e.pdf
	compare 415 e.pdf c.txt
	[ "$(jq -r .detail serve.body)" = 'e.pdf: pdftotext is not in the box: apt-get install poppler-utils' ]
	mkfifo f.odt
	compare 404 f.odt c.txt
	python3 -c 'import zipfile; zipfile.ZipFile("g.odt", "w", zipfile.ZIP_DEFLATED).writestr("content.xml", b"<p xmlns=\"x\">" + b"x" * (9 << 20) + b"</p>")'
	compare 422 g.odt c.txt
	[ "$(jq -r .detail serve.body)" = 'g.odt: more than 2 million characters or 50,000 lines' ]
}

# bats test_tags=long
@test "documents: those who read slowly do not have the server keep all of it" {
	serve_start
	python3 -c 'import zipfile; zipfile.ZipFile("a.odt", "w", zipfile.ZIP_DEFLATED).writestr("content.xml", b"<p xmlns=\"x\">" + b"x" * (14 << 20) + b"</p>")'
	serve GET '/files/read?path=a.odt'
	python3 - "$SERVE_ADDR" "$SERVE_KEY" <<-'END'
		import socket, sys
		host, port = sys.argv[1].rsplit(":", 1)
		def ask():
		    s = socket.create_connection((host, int(port)))
		    s.sendall(f"GET /files/read?path=a.odt HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {sys.argv[2]}\r\n\r\n".encode())
		    s.settimeout(60)
		    return s
		codes = [s.recv(12) for s in [ask() for _ in range(6)]]
		assert all(c.endswith(b"200") for c in codes), codes
	END
	[ "$(lib_memory "$SERVE_PID")" -lt 40000 ]
	serve GET '/files/read?path=a.odt' # they have gone
}

# bats test_tags=long
@test "documents: a PDF by the box's pdftotext" {
	serve_start
	serve_json POST '/execute?wait=200' '{"command":"apt-get update -q && apt-get install -q -y --no-install-recommends poppler-utils"}'
	serve_json POST '/execute?wait=20' '{"command":"command -v pdftotext"}'
	[ "$(jq .exit_code <<<"$output")" = 0 ] || skip "the distribution's mirror cannot be reached"
	python3 - <<-'END'
		text = b"BT /F1 12 Tf 72 700 Td (Hello from page one) Tj ET"
		objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		    b"<</Length %d>>stream\n%s\nendstream" % (len(text), text), b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
		out, at = b"%PDF-1.4\n%\xff\xfe\n", []
		for i, o in enumerate(objects, 1):
		    at.append(len(out))
		    out += b"%d 0 obj%s endobj\n" % (i, o)
		start = len(out)
		out += b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % n for n in at)
		open("a.pdf", "wb").write(out + b"trailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % start)
	END
	[[ "$(content a.pdf)" == *'Hello from page one'* ]]
	printf '%%PDF-1.4\n\377\0' >b.pdf
	serve_status GET '/files/read?path=b.pdf' 415
	[ "$(jq -r .detail serve.body)" = 'Unsupported binary file type: application/pdf: it cannot be read as one' ]
}
