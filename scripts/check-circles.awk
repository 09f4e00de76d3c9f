# Files that call each other in circles, and calls that run up, by what nm -A -f sysv says of
# the objects. An object that uses a name needs the object that exports it; every strongly
# connected part of more than one object is a circle. It runs up where the folder of the name
# has its row in layers.conf below that of the user: a declaration written by hand does that
# without any include.
#
# usage: nm -A -f sysv OBJECT... | awk -F '|' -v conf=scripts/layers.conf -f scripts/check-circles.awk

BEGIN {
	while ((getline line < conf) > 0)
		if (split(line, word, " ") > 1 && word[1] == "folder")
			rank[word[2]] = ++rows
}

function folder(file) {
	sub(/\/[^\/]*$/, "", file)
	return file
}

# A file may use many names of another: they stand in one line.
function need(from, to, name) {
	if (!((from, to) in names))
		needs[from] = needs[from] " " to
	names[from, to] = names[from, to] " " name
}

function report(part,    file, n, i, j) {
	n = split(part, file, " ")
	bad = 1
	print "a circle of files:" part > "/dev/stderr"
	for (i = 1; i <= n; i++)
		for (j = 1; j <= n; j++)
			if ((file[i], file[j]) in names)
				print "\t" file[i] " needs " file[j] ":" \
				      names[file[i], file[j]] > "/dev/stderr"
}

# Tarjan: a part is complete when nothing in it reaches a file that was met before it.
function visit(x,    y, n, i, part) {
	met[x] = low[x] = ++count
	stack[++depth] = x
	open[x] = 1
	n = split(needs[x], y, " ")
	for (i = 1; i <= n; i++) {
		if (!(y[i] in met))
			visit(y[i])
		if (open[y[i]] && low[y[i]] < low[x])
			low[x] = low[y[i]]
	}
	if (low[x] < met[x])
		return
	for (n = 0; stack[depth + 1] != x; n++) {
		part = " " stack[depth] part
		open[stack[depth]] = 0
		depth--
	}
	if (n > 1)
		report(part)
}

{
	gsub(/ /, "")
	if (split($1, at, ":") < 2 || $3 == "")
		next
	sub(/\.o$/, ".c", at[1])
	sub(/@.*/, "", at[2])
	if ($3 == "U")
		uses[++n_uses] = at[1] " " at[2]
	else if ($3 ~ /^[A-Z]$/)
		owner[at[2]] = at[1]
}
END {
	for (i = 1; i <= n_uses; i++) {
		split(uses[i], use, " ")
		if (use[2] in owner && owner[use[2]] != use[1]) {
			if (!(use[1] in needs))
				first[++n_first] = use[1]
			need(use[1], owner[use[2]], use[2])
			from = folder(use[1])
			to = folder(owner[use[2]])
			if (from in rank && to in rank && rank[from] < rank[to]) {
				bad = 1
				print use[1] ": \047" use[2] "\047 is above, in " to > "/dev/stderr"
			}
		}
	}
	for (i = 1; i <= n_first; i++)
		if (!(first[i] in met))
			visit(first[i])
	exit bad
}
