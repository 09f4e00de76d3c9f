# The rules of scripts/check-layers; first argument is layers.conf, then sources.
# Written for any POSIX awk (mawk, gawk, busybox): no extensions.

BEGIN {
	# Wrappers of system calls. A call is a door's business: what base/sys/ does
	# not offer is added there.
	split("_exit accept accept4 access acct add_key adjtimex bind bpf brk " \
	      "capget capset chdir chmod chown chroot clock_nanosleep clone " \
	      "clone3 close close_range connect copy_file_range creat daemon dup " \
	      "dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_wait " \
	      "eventfd execl execle execlp execv execve execveat execvp execvpe " \
	      "faccessat fallocate fchdir fchmod fchmodat fchown fchownat fcntl " \
	      "fdatasync fexecve fgetxattr flistxattr flock fork fremovexattr " \
	      "fsconfig fsetxattr fsmount fsopen fstat fstatat fstatfs fstatvfs " \
	      "fsync ftruncate futimens getcwd getdents64 getegid geteuid getgid " \
	      "getgroups getpeername getpgid getpgrp getpid getppid getrandom " \
	      "getresgid getresuid getrlimit getrusage getsid getsockname " \
	      "getsockopt getuid getxattr inotify_add_watch inotify_init " \
	      "inotify_init1 ioctl isatty kcmp keyctl kill lchown lgetxattr link " \
	      "linkat listen listxattr llistxattr lremovexattr lseek lsetxattr " \
	      "lstat madvise memfd_create mkdir mkdirat mkfifo mkfifoat mknod " \
	      "mknodat mlock mmap mount mount_setattr move_mount mprotect msync " \
	      "munmap name_to_handle_at nanosleep open open_by_handle_at " \
	      "open_tree openat openat2 pause personality pidfd_getfd pidfd_open " \
	      "pidfd_send_signal pipe pipe2 pivot_root poll posix_fadvise " \
	      "posix_fallocate posix_openpt posix_spawn posix_spawnp ppoll prctl pread preadv " \
	      "prlimit process_vm_readv process_vm_writev pselect ptrace pwrite " \
	      "pwritev raise read readahead readlink readlinkat readv recv recvfrom recvmmsg " \
	      "recvmsg remove removexattr rename renameat renameat2 rmdir " \
	      "sched_setaffinity sched_yield seccomp select send sendfile sendmmsg " \
	      "sendmsg sendto setdomainname setegid seteuid setfsgid setfsuid " \
	      "setgid setgroups sethostname setns setpgid setpgrp setpriority " \
	      "setregid setresgid setresuid setreuid setrlimit setsid setsockopt " \
	      "setuid setxattr shutdown sigaction signal signalfd sigprocmask " \
	      "sigsuspend sigtimedwait sigwait sigwaitinfo sleep socket socketpair " \
	      "splice stat statfs statvfs statx symlink symlinkat sync sync_file_range " \
	      "syncfs syscall sysinfo tcflush tcgetattr tcgetpgrp tcsetattr " \
	      "tcsetpgrp tee tgkill timerfd_create timerfd_settime truncate umask " \
	      "umount umount2 uname unlink unlinkat unshare userfaultfd usleep " \
	      "utime utimensat utimes vfork vmsplice wait wait3 wait4 waitid " \
	      "waitpid write writev", list, " ")
	for (i in list)
		syscalls[list[i]] = 1
	n = split(headers, list, " ")
	for (i = 1; i <= n; i++)
		have[list[i]] = 1
}

function refuse(text)
{
	printf "%s:%d: %s\n", FILENAME, FNR, text > "/dev/stderr"
	bad = 1
}

function starts(s, prefix)
{
	return substr(s, 1, length(prefix)) == prefix
}

# Is the file one of the space-separated patterns (an exact name, or PREFIX*)?
function among(file, patterns,    list, n, i, p)
{
	n = split(patterns, list, " ")
	for (i = 1; i <= n; i++) {
		p = list[i]
		if (p == file)
			return 1
		if (p ~ /\*$/ && starts(file, substr(p, 1, length(p) - 1)))
			return 1
	}
	return 0
}

# ---- layers.conf -----------------------------------------------------------

function rest_from(k,    i, s)
{
	s = ""
	for (i = k; i <= NF; i++)
		s = s (i > k ? " " : "") $i
	return s
}

# A folder includes those that stand above it, so that no circle can be written down.
function read_folder(    i)
{
	for (i = 3; i <= NF; i++)
		if (!($i in beneath))
			refuse("folder '" $2 "': '" $i "' has no row above it")
	beneath[$2] = " " rest_from(3) " "
}

function read_rule()
{
	if (/^[ \t]*(#|$)/)
		return
	if ($1 == "lib") {
		lib[++libs] = $2
		door[libs] = rest_from(3)
	} else if ($1 == "private") {
		priv[++privs] = $2
		owner[privs] = rest_from(3)
	} else if ($1 == "only") {
		only[$2] = rest_from(3)
	} else if ($1 == "folder") {
		read_folder()
	} else {
		may[$1] = " " rest_from(2) " "
	}
}

# ---- source lines -----------------------------------------------------------

function close_file()
{
	if (file == "")
		return
	if (is_header && !seen_guard)
		whole_file("no include guard '" guard "'")
	if (is_header && layer != "tests" && !part && opening != 7)
		whole_file("a header opens with the words Needs:, Owns: and Never:")
	if (in_comment)
		whole_file("a comment is not closed")
}

function whole_file(text)
{
	printf "%s:1: %s\n", file, text > "/dev/stderr"
	bad = 1
}

function open_file(    i)
{
	close_file()
	file = FILENAME
	layer = file
	sub(/\/.*/, "", layer)
	is_header = file ~ /\.h$/
	in_comment = seen_guard = opening = includes = 0
	guard = toupper(file)
	gsub(/[^A-Z0-9]/, "_", guard)
	own = file
	sub(/\.c$/, ".h", own)
	if (own == file || !(own in have))
		own = ""
	raw = file ~ /^base\/sys\/[^\/]*\.h$/ || layer == "tests"
	part = 0 # a piece of another header has no opening of its own
	for (i = 1; i <= privs; i++)
		if (starts(file, priv[i]))
			part = 1
	folder = file
	sub(/\/[^\/]*$/, "", folder)
	if (!(layer in may))
		refuse("layer '" layer "' is not in scripts/layers.conf")
	else if (layer != "tests" && !(folder in beneath))
		refuse("folder '" folder "' is not in scripts/layers.conf")
}

# The line without comments; strings and characters become "" and ''.
function code_of(s,    out, c, p)
{
	out = ""
	for (;;) {
		if (in_comment) {
			p = index(s, "*/")
			if (!p)
				return out
			s = substr(s, p + 2)
			in_comment = 0
			out = out " "
		}
		if (!match(s, /["']|\/[*\/]/))
			return out s
		c = substr(s, RSTART, 1)
		out = out substr(s, 1, RSTART - 1)
		s = substr(s, RSTART)
		if (c == "/") {
			if (substr(s, 2, 1) == "/")
				return out
			in_comment = 1
			s = substr(s, 3)
		} else if (c == "\"" ? match(s, /^"([^"\\]|\\.)*"/) : match(s, /^'([^'\\]|\\.)*'/)) {
			out = out c c
			s = substr(s, RLENGTH + 1)
		} else {
			return out
		}
	}
}

function check_project(target,    to, dir, i, n, list, ok)
{
	to = target
	sub(/\/.*/, "", to)
	if (target !~ /^[a-z]+\/[a-z0-9_\/]+\.h$/) {
		refuse("include \"" target "\": write \"layer/file.h\"")
		return
	}
	dir = target
	sub(/\/[^\/]*$/, "", dir)
	if (index(may[layer], " " to " ") == 0)
		refuse("layer '" layer "' may not include \"" target "\"")
	else if (layer != "tests" && dir != folder && index(beneath[folder], " " dir " ") == 0)
		refuse("folder '" folder "' may not include \"" target "\"")
	else if (layer != "tests" && dir != folder && target ~ /\/impl\.h$/)
		refuse("\"" target "\" is for " dir "/ alone")
	for (i = 1; i <= privs; i++)
		if (starts(target, priv[i]) && !among(file, owner[i]) && layer != "tests")
			refuse("\"" target "\" is for " owner[i] " alone")
	if (file in only) {
		ok = 0
		n = split(only[file], list, " ")
		for (i = 1; i <= n; i++)
			if (starts(target, list[i]))
				ok = 1
		if (!ok)
			refuse("\"" target "\": this file may include only " only[file])
	}
}

function check_include(line,    target, i)
{
	sub(/^[ \t]*#[ \t]*include[ \t]*/, "", line)
	target = substr(line, 2)
	sub(/[">].*/, "", target)
	includes++
	if (own != "" && includes == 1 && target != own)
		refuse("the first include of a .c is its own header, \"" own "\"")
	if (substr(line, 1, 1) == "\"") {
		check_project(target)
		return
	}
	# tests look behind the doors: they make the archives and servers to test with
	if (layer == "tests" && target != "cmocka.h")
		return
	for (i = 1; i <= libs; i++)
		if (starts(target, lib[i]) && !among(file, door[i]))
			refuse("<" target "> is for " door[i] " alone")
}

function refuse_call(name)
{
	if (name != "close")
		refuse("system call '" name "': use its door sys_" name " (base/sys/sys.h)")
	else if (file != "base/scope.h")
		refuse("close: let scope_close() do it (base/scope.h)")
}

function check_calls(s,    name, before)
{
	while (match(s, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
		name = substr(s, RSTART, RLENGTH - 1)
		sub(/[ \t]+$/, "", name)
		if (name in syscalls) {
			before = RSTART > 1 ? substr(s, RSTART - 1, 1) : " "
			if (RSTART > 2 && substr(s, RSTART - 2, 2) == "->")
				before = "."
			if (before != ".")
				refuse_call(name)
		}
		s = substr(s, RSTART + RLENGTH)
	}
}

FILENAME == ARGV[1] {
	read_rule()
	next
}

FNR == 1 {
	open_file()
}

is_header && FNR < 60 && opening != 7 {
	if (index($0, "Needs:") && int(opening) % 2 == 0)
		opening += 1
	if (index($0, "Owns:") && int(opening / 2) % 2 == 0)
		opening += 2
	if (index($0, "Never:") && int(opening / 4) % 2 == 0)
		opening += 4
}

{
	if (!in_comment && /^[ \t]*#[ \t]*include/)
		check_include($0)
	code = code_of($0)
	if (code !~ /[A-Za-z]/)
		next
	if (is_header && !seen_guard && code ~ ("#ifndef[ \t]+" guard "$"))
		seen_guard = 1
	if (code ~ /(^|[^A-Za-z0-9_])goto[^A-Za-z0-9_]/)
		refuse("goto: destructors would see unset variables")
	if (!raw && index(code, "("))
		check_calls(code)
}

END {
	close_file()
	exit bad
}
