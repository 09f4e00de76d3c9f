# cubby - one non-recursive Makefile.
#   make            the binary, build/release/cubby
#   make check      everything the tests need, then all tests
#   make demo       from a fresh machine to a picture converted in a box
#   make help       the other targets
#
# VARIANT=release|asan|cov|analyze|fuzz builds in build/$(VARIANT); V=1 shows the
# commands; WERROR= lets a compiler that we do not know warn without failing, and so do CFLAGS of yours.
VARIANT ?= release
PREFIX ?= /usr/local
DESTDIR ?=
O := build/$(VARIANT)
LAYERS := base rootfs runtime agent cli
VERSION := $(shell cat VERSION)

comma := ,

ifneq ($(findstring s,$(firstword -$(MAKEFLAGS))),) # make -s
Q := @
say = @true
else ifeq ($(V),)
Q := @
say = @printf '  %-7s %s\n'
else
Q :=
say = @true
endif

PKGS := libcjson
# Static in both programs: init has no libraries, and a start pays for each (docs/adr/0002).
# The second is for init alone (docs/adr/0034): nothing of it gets into the other.
PKGS_STATIC := libcap libpcre2-8
# Loaded on demand by their doors (docs/adr/0002): only their headers are needed here.
PKGS_HEADERS := vterm libcurl libarchive libcrypto md4c libedit
PKGS_BUILD := libseccomp # by scripts/mkfilters.c alone
PKGS_TEST := cmocka

# What a packager says of these, on the command line too, comes first; ours is added to it.
override CPPFLAGS += -D_GNU_SOURCE -I. -DCUBBY_VERSION='"$(VERSION)"'
# Warnings fail with these flags alone; with others compilers see more, or less.
ifeq ($(origin CFLAGS),undefined)
WERROR ?= -Werror
endif
CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu17 -Wall -Wextra $(WERROR) -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wpointer-arith -Wwrite-strings \
	-Wformat=2 -Wvla -Wundef -Wcast-qual -fno-common -fstack-protector-strong -fPIE
# A parameter without a name is not used: C23, which both compilers have; clang 14 would say so.
override CFLAGS += -Wno-c2x-extensions
# Bound at the start, once for the client and the monitor, which is its copy, and read-only from
# then on: the monitor hears what a box says.
override LDFLAGS += -pie -Wl,-z,relro,-z,now -Wl,--as-needed
override LDLIBS += -ldl
ifneq ($(VARIANT),release) # which makes instructions of what is in it
override LDLIBS += -lm
endif
STATIC_LIBS := -l:libcap.a
# Nothing else is installed; and a shared library cannot be made of what is static.
STATIC_LIBS += $(if $(filter release,$(VARIANT)),-l:libpcre2-8.a,-lpcre2-8)
INIT_LDFLAGS := -static -Wl,-z,relro -Wl,--gc-sections
SANITIZE := address,undefined
# The rules are those of version 14; another may format and warn otherwise.
CLANG := $(notdir $(firstword $(shell command -v clang-14 clang)))
CLANG_TIDY := $(notdir $(firstword $(shell command -v clang-tidy-14 clang-tidy)))
CLANG_FORMAT := $(notdir $(firstword $(shell command -v clang-format-14 clang-format)))
# Instrumented code confuses gcc's range analysis; the release build keeps these on.
UNSURE := -Wno-format-truncation -Wno-maybe-uninitialized -Wno-stringop-overflow
ifeq ($(VARIANT),release)
ifeq ($(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS)),)
override CPPFLAGS += -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
endif
else ifeq ($(VARIANT),asan) # where calls are made to fail, too
override CPPFLAGS += -DCUBBY_FAULT
# Compiling takes more of a test run than running: no optimisation, and lines alone of what
# a debugger could know.
override CFLAGS += -O0 -g1 -fsanitize=$(SANITIZE) -fno-omit-frame-pointer \
	-fno-sanitize-recover=all $(UNSURE)
override LDFLAGS += -fsanitize=$(SANITIZE)
# But for what looks at each byte of much.
$(addprefix $(O)/,agent/terminal/fold.o base/buf.o base/diff.o base/json.o base/json_scan.o base/sha1.o \
	base/sha256.o base/text.o cli/show/cols.o cli/show/wrap.o): override CFLAGS += -O1
else ifeq ($(VARIANT),cov)
override CFLAGS += -O0 --coverage $(UNSURE)
override LDFLAGS += --coverage
else ifeq ($(VARIANT),analyze)
override CPPFLAGS += -DCUBBY_ANALYZE
# gcc 12 loses pointers that are kept in arrays of structs; the leak sanitizer does not.
# From 13 on it knows descriptors, but not those that cleanups close, nor what dup2() is
# for; tests/unit counts them after each failure. ret.h compares numbers of any type.
override CFLAGS += -O1 -fanalyzer -Wno-analyzer-malloc-leak -Wno-analyzer-fd-leak -Wno-type-limits $(UNSURE)
else ifeq ($(VARIANT),fuzz)
CC := $(CLANG)
# gcc is the judge of warnings; macros of the kernel's headers cast const away. A parameter
# without a name, which is not used, is of C23, and clang 14 would say so.
override CFLAGS += -O1 -fsanitize=fuzzer-no-link,$(SANITIZE) -fno-omit-frame-pointer \
	-fno-sanitize-recover=all -Wno-cast-qual -Wno-c2x-extensions
override LDFLAGS += -fsanitize=$(SANITIZE)
else
$(error VARIANT is release, asan, cov, analyze or fuzz, not '$(VARIANT)')
endif

# Their code is in a library of its own (TESTLIB).
ifneq ($(filter asan fuzz,$(VARIANT)),)
override CFLAGS := $(CFLAGS:-fPIE=-fPIC)
endif

# Targets that work before the packages are there.
BARE := demo deps help clean check check-long check-vm check-fresh rootfs uninstall dist check-rules
TESTING := unit faults headers lint tidy
ifneq ($(filter-out $(BARE),$(or $(MAKECMDGOALS),all)),)
NEEDED := $(PKGS) $(PKGS_STATIC) $(PKGS_HEADERS) $(PKGS_BUILD) $(if $(filter $(TESTING),$(MAKECMDGOALS)),$(PKGS_TEST))
MISSING := $(shell pkg-config --print-errors --exists $(NEEDED) 2>&1 | head -1)
ifneq ($(MISSING),)
$(error packages are missing ($(MISSING)); run scripts/install-deps$(if \
	$(filter $(TESTING),$(MAKECMDGOALS)), --check))
endif
override CPPFLAGS += $(shell pkg-config --cflags $(PKGS) $(PKGS_STATIC) $(PKGS_HEADERS))
override LDLIBS += $(STATIC_LIBS) $(shell pkg-config --libs $(PKGS))
endif

SRC := $(foreach l,$(LAYERS),$(wildcard $(l)/*.c $(l)/*/*.c $(l)/*/*/*.c))
HDR := $(foreach l,$(LAYERS),$(wildcard $(l)/*.h $(l)/*/*.h $(l)/*/*/*.h)) tests/unit/unit.h
OBJ := $(SRC:%.c=$(O)/%.o)
LIBOBJ := $(filter-out $(O)/cli/main.o $(O)/cli/main_init.o,$(OBJ))
LIB := $(O)/libcubby.a
# What the tests of the variants that nobody installs are linked with: hundreds of programs
# that share one copy of the code and its debug information.
TESTLIB := $(LIB)
ifneq ($(filter asan fuzz,$(VARIANT)),)
TESTLIB := $(O)/libcubby.so
endif
BIN := $(O)/cubby
# pid 1 of a box: static, because after the pivot every library is the image's.
INIT := $(O)/cubby-init
UNIT_SRC := $(wildcard tests/unit/*/test_*.c tests/unit/*/*/test_*.c \
	tests/unit/*/*/*/test_*.c)
UNIT := $(UNIT_SRC:%.c=$(O)/%)
FAULT_SRC := $(wildcard tests/unit/*/fault_*.c tests/unit/*/*/fault_*.c)
FAULT := $(FAULT_SRC:%.c=$(O)/%)
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)
FUZZ := $(FUZZ_SRC:%.c=$(O)/%)
# Hostile programs for the box tests; static, for they run in any image.
PROBE_SRC := $(wildcard tests/box/probes/*.c)
PROBE := $(PROBE_SRC:%.c=$(O)/%)
TEST_SRC := $(UNIT_SRC) $(FAULT_SRC) $(FUZZ_SRC) tests/fuzz/replay.c tests/cli/fits.c \
	$(wildcard tests/unit/*.c)

.PHONY: all
all: $(BIN) check-rules
# A static program cannot be instrumented.
ifeq ($(VARIANT),release)
all: $(INIT)
endif

# Proved on every build, for it takes no time: the layers, and what objects export.
ifeq ($(VARIANT),release)
all: $(O)/symbols.ok
endif
$(O)/symbols.ok: $(OBJ) scripts/check-symbols scripts/check-circles.awk scripts/layers.conf
	$(Q)scripts/check-symbols objects $(O)
	@touch $@

# The page of `cubby serve`, with a terminal from npm. Without npm only the page is missing.
PAGE := $(O)/page
PAGE_SRC := $(wildcard agent/server/page/*)
.PHONY: page
page: $(PAGE)/index.html
$(PAGE)/index.html: scripts/mkpage $(PAGE_SRC)
	$(say) PAGE $(PAGE)
	$(Q)scripts/mkpage $(PAGE) && touch $@

# As `make install` does: what a linker writes piece by piece is in small folios of the
# page cache, which each start then maps one by one (docs/measurements.md). Also for whoever
# builds with a umask of 077: users of a box execute init.
copied = rm -f $@ && cp $@.linked $@ && chmod 755 $@ && rm $@.linked

$(BIN): $(O)/cli/main.o $(LIB)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@.linked $^ $(LDLIBS) && $(copied)

$(INIT): $(O)/cli/main_init.o $(LIB)
	$(say) LINK $@
	$(Q)$(CC) $(filter-out -fPIE,$(CFLAGS)) $(INIT_LDFLAGS) -o $@.linked $^ $(STATIC_LIBS) && $(copied)

$(LIB): $(LIBOBJ)
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/libcubby.so: $(LIBOBJ)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) -shared $(filter-out -pie,$(LDFLAGS)) \
		$(TESTLD) -o $@ $^ $(LDLIBS)

# VARIANT=analyze is for this: it finds, and does not link.
.PHONY: objects
objects: $(OBJ)

$(O)/%.o: %.c Makefile VERSION
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The system call filters are made here and are bytes in the program (docs/adr/0006).
FILTERS := $(O)/filters
$(O)/mkfilters: $(addprefix $(O)/,scripts/mkfilters.o runtime/confine/secfilter_gen.o \
	runtime/confine/secfilter_table.o base/err.o)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $$(pkg-config --libs $(PKGS_BUILD))
$(FILTERS)/made: $(O)/mkfilters
	$(say) FILTERS $(FILTERS)
	$(Q)$< $(FILTERS) && touch $@
$(O)/runtime/confine/secfilter.o: $(FILTERS)/made
$(O)/runtime/confine/secfilter.o: override CPPFLAGS += -DCUBBY_FILTERS='"$(FILTERS)"'
$(O)/runtime/confine/secfilter.tidy: override CPPFLAGS += -DCUBBY_FILTERS='"$(FILTERS)"'

# What "cubby help COMMAND" and the man pages say besides the tables, and the pages of the book
# that are "cubby help PAGE" (in its order), in one piece.
TOPICS := start boxes boxfile snapshots images network project agents models python mcp servers \
	security troubleshooting recipes session events json
PAGES := $(O)/commands.md
$(PAGES): $(wildcard docs/commands/*.md) Makefile $(TOPICS:%=docs/%.md) scripts/mkpages
	@mkdir -p $(@D)
	$(Q)scripts/mkpages $(TOPICS) >$@
$(O)/cli/opt/manual.o: $(PAGES)
$(O)/cli/opt/manual.o $(O)/cli/opt/manual.tidy: override CPPFLAGS += -DCUBBY_MANUAL='"$(PAGES)"'

$(O)/agent/session/shell.o: $(wildcard agent/session/*.sh)
$(O)/agent/server/files/document.o: agent/server/files/document.py
$(O)/agent/server/jupyter/notebook.o: agent/server/jupyter/notebook.py
$(O)/agent/server/about/openapi.o: agent/server/about/openapi.json agent/server/about/rest.json
$(O)/cli/cmd/inside/shell.o: cli/cmd/inside/shell.sh
$(O)/agent/python/shim.o: agent/python/shim.py
$(O)/rootfs/image/bootstrap.o: scripts/mkrootfs
$(O)/cli/project/setup_plan.o: cli/project/execute_cli.sh
$(O)/agent/tool/toolset.o: agent/tool/tools.json
$(O)/agent/task/prompt.o: agent/task/prompt.md
$(O)/cli/task/record/page.o: cli/task/record/page.css

-include $(OBJ:.o=.d) $(TEST_SRC:%.c=$(O)/%.d)

# ---- tests ------------------------------------------------------------------------
UNIT_LIBS := $(shell pkg-config --libs $(PKGS_TEST) 2>/dev/null)
# A faster linker, where there is one, and no debug information that is in the objects.
# clang's sanitizer has symbols that gold cannot export.
GOLD := $(if $(filter fuzz,$(VARIANT)),,$(shell command -v ld.gold))
TESTLD := $(if $(GOLD),-fuse-ld=gold) \
	$(if $(filter release,$(VARIANT)),-Wl$(comma)-S) \
	$(if $(filter %.so,$(TESTLIB)),-Wl$(comma)-rpath$(comma)$(CURDIR)/$(O))
UNIT_OBJ := $(patsubst %.c,$(O)/%.o,$(wildcard tests/unit/*.c))

$(UNIT) $(FAULT): $(O)/%: $(O)/%.o $(UNIT_OBJ) $(TESTLIB)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(TESTLD) -o $@ $^ $(LDLIBS) $(UNIT_LIBS)

# In another variant than fuzz, a main() of our own runs the corpus and mutants of it.
ifeq ($(VARIANT),fuzz)
FUZZ_MAIN := -fsanitize=fuzzer
else
FUZZ_MAIN := $(O)/tests/fuzz/replay.o
$(FUZZ): $(FUZZ_MAIN)
endif
$(FUZZ): $(O)/%: $(O)/%.o $(TESTLIB)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(TESTLD) -o $@ $< $(FUZZ_MAIN) $(TESTLIB) $(LDLIBS)
.PRECIOUS: $(O)/%.o
.DELETE_ON_ERROR:

.PHONY: unit unit-build faults-build fuzz-build probes-build cli-build
# What the tests of commands compare JSON with.
cli-build: $(O)/tests/cli/fits
$(O)/tests/cli/fits: $(O)/%: $(O)/%.o $(LIB)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
probes-build: $(PROBE)
PROBE_FLAGS := -static
# The sanitizer refuses to be static: this one runs in images of the same release.
$(O)/tests/box/probes/asan: PROBE_FLAGS := -fsanitize=address -static-libasan
$(PROBE): $(O)/%: %.c Makefile
	$(say) PROBE $@
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -std=gnu17 -O1 -Wall -Wextra $(WERROR) $(PROBE_FLAGS) -o $@ $<
unit-build: $(UNIT)
unit: $(UNIT)
	$(Q)for t in $(UNIT); do $$t || exit 1; done
faults-build: $(FAULT)
fuzz-build: $(FUZZ)

# T=name runs the part of that name (tests/run --help).
.PHONY: check check-long check-vm check-fresh
check:
	$(Q)tests/run $(T)
check-long:
	$(Q)tests/run --long $(T)
check-vm:
	$(Q)tests/vm/run $(T)
check-fresh:
	$(Q)T=$(T) scripts/check-fresh

# ---- rules ------------------------------------------------------------------------
.PHONY: check-rules
check-rules:
	$(Q)scripts/check-layers

# Each header compiles alone.
HDR_OK := $(HDR:%=$(O)/%.ok)
$(HDR_OK): $(O)/%.ok: % Makefile
	$(say) HEADER $<
	@mkdir -p $(@D)
	$(Q)printf '#include "%s"\n' $< | $(CC) $(CPPFLAGS) $(CFLAGS) -fsyntax-only \
		-MMD -MP -MT $@ -MF $@.d -x c -
	@touch $@
-include $(HDR_OK:%=%.d)
.PHONY: headers
headers: $(HDR_OK)

# clang-tidy takes seconds for a file, so each has a stamp; the object's dependencies
# are those of the stamp.
TIDY_SRC := $(SRC) $(wildcard tests/unit/*.c)
TIDY := $(TIDY_SRC:%.c=$(O)/%.tidy)
$(TIDY): $(O)/%.tidy: $(O)/%.o .clang-tidy
	$(say) TIDY $*.c
	$(Q)$(CLANG_TIDY) --quiet $*.c -- $(CPPFLAGS) -std=gnu17 2>$@.err || \
		{ cat $@.err; false; }
	@rm -f $@.err; touch $@
.PHONY: tidy lint
tidy: $(TIDY)
lint: check-rules headers tidy
	$(Q)scripts/check-symbols tests
	$(Q)scripts/lint

.PHONY: format
format:
	$(Q)git ls-files '*.c' '*.h' | xargs $(CLANG_FORMAT) -i

# ---- everything round it ------------------------------------------------------------
.PHONY: deps rootfs demo bench
deps:
	$(Q)scripts/install-deps
rootfs:
	$(Q)scripts/mkrootfs
demo:
	$(Q)scripts/demo
BENCH := $(addprefix $(O)/scripts/bench/,floor hop measure roundtrip agent \
	sessionbench netbench)
$(BENCH): $(O)/%: $(O)/%.o
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS) $(UNIT_LIBS)
$(O)/scripts/bench/agent: $(LIB)
$(O)/scripts/bench/sessionbench: $(O)/tests/unit/hostport.o $(LIB)
$(O)/scripts/bench/netbench: $(addprefix $(O)/tests/unit/,netbox.o unit.o) $(LIB)
.PHONY: bench-build
bench-build: $(BIN) $(INIT) $(BENCH)
bench: bench-build
	$(Q)TMPDIR=$${TMPDIR:-/var/tmp} tests/on-journal scripts/bench/run; status=$$?; scripts/bench/net && exit $$status

MANDIR := $(DESTDIR)$(PREFIX)/share/man/man1
SHARE := $(DESTDIR)$(PREFIX)/share
COMPDIR := $(SHARE)/bash-completion/completions
ZSHDIR := $(SHARE)/zsh/site-functions
FISHDIR := $(SHARE)/fish/vendor_completions.d
DOCDIR := $(SHARE)/doc/cubby
COMPLETIONS := $(addprefix $(O)/completion/,bash zsh fish)
$(COMPLETIONS): $(O)/completion/%: $(BIN) scripts/completion
	$(say) MAKE $@
	@mkdir -p $(@D)
	$(Q)scripts/completion $* $(BIN) >$@.new && mv $@.new $@
.PHONY: completions man
completions: $(COMPLETIONS)
$(O)/man/cubby.1: $(BIN) scripts/mkman docs/cubby.1
	$(say) MAN $(@D)
	$(Q)scripts/mkman $(@D) $(BIN)
man: $(O)/man/cubby.1
.PHONY: install install-strip uninstall dist
install: $(BIN) $(INIT) $(COMPLETIONS) $(O)/man/cubby.1
	install -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/cubby
	install -D -m 755 $(INIT) $(DESTDIR)$(PREFIX)/libexec/cubby/cubby-init
	install -d $(MANDIR)
	install -m 644 $(O)/man/*.1 $(MANDIR)
	install -D -m 644 $(O)/completion/bash $(COMPDIR)/cubby
	install -D -m 644 $(O)/completion/zsh $(ZSHDIR)/_cubby
	install -D -m 644 $(O)/completion/fish $(FISHDIR)/cubby.fish
	@if [ -e $(PAGE)/index.html ]; then install -d $(SHARE)/cubby/page && \
		install -m 644 $(PAGE)/* $(SHARE)/cubby/page; \
	else echo "the page of 'cubby serve' is left out: 'make page' makes it, with npm" >&2; fi
	install -d $(DOCDIR)
	install -m 644 README.md CHANGELOG.md LICENSE $(filter-out docs/README.md,$(wildcard docs/*.md)) $(DOCDIR)
	@# There the README lies among the pages, and the book's own has another name.
	sed -i 's,](docs/README\.md),](book.md),g; s,](docs/,](,g' $(DOCDIR)/README.md
	install -m 644 docs/README.md $(DOCDIR)/book.md
	install -d $(DOCDIR)/adr $(DOCDIR)/pictures $(DOCDIR)/recipes $(DOCDIR)/schemas
	install -m 644 docs/adr/*.md $(DOCDIR)/adr
	install -m 644 docs/schemas/*.json $(DOCDIR)/schemas
	install -m 644 docs/recipes/*.service $(DOCDIR)/recipes
	install -m 755 docs/recipes/git*-* $(DOCDIR)/recipes
	install -m 644 docs/pictures/*.png $(DOCDIR)/pictures
# As GNU has it; what is stripped, no debugger reads.
STRIP ?= strip
install-strip: install
	$(STRIP) $(DESTDIR)$(PREFIX)/bin/cubby $(DESTDIR)$(PREFIX)/libexec/cubby/cubby-init
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/cubby $(MANDIR)/cubby.1 \
		$(patsubst docs/commands/%.md,$(MANDIR)/cubby-%.1,$(wildcard docs/commands/*.md)) $(COMPDIR)/cubby \
		$(ZSHDIR)/_cubby $(FISHDIR)/cubby.fish
	rm -rf $(DESTDIR)$(PREFIX)/libexec/cubby $(DOCDIR) $(SHARE)/cubby
dist:
	@mkdir -p build
	git archive --prefix=cubby-$(VERSION)/ HEAD | gzip -9n >build/cubby-$(VERSION).tar.gz

.PHONY: package
package: $(BIN) $(INIT)
	$(Q)scripts/package

.PHONY: clean help
clean:
	$(Q)rm -rf build
help:
	@echo 'make             the binary, build/release/cubby (VARIANT=asan|cov|analyze|fuzz)'
	@echo 'make page        the page of cubby serve (with npm)'
	@echo 'make deps        install what building and running needs (scripts/install-deps)'
	@echo 'make check       install what tests need, then all tests; T=name for a part'
	@echo '                 (T=quick: what takes a minute and a half)'
	@echo 'make check-long  clang-tidy, the analyzer, libFuzzer, more of the box tests'
	@echo 'make check-vm    the box tests under other kernels and set-ups, in qemu'
	@echo 'make check-fresh both commands of the README in new roots of Debian and Ubuntu'
	@echo 'make demo        a picture converted in a box, from a fresh machine'
	@echo 'make bench       cubby beside its peers (scripts/install-deps --bench)'
	@echo 'make lint        format, clang-tidy, budgets, layers, symbols, scripts'
	@echo 'make format      apply .clang-format'
	@echo 'make rootfs      a root filesystem tarball from this host'"'"'s package mirror'
	@echo 'make install     binary, man pages, docs, completion (PREFIX=/usr/local, DESTDIR=);'
	@echo '                 install-strip: without what debuggers read'
	@echo 'make uninstall   remove them'
	@echo 'make dist        a source tarball of the last commit'
	@echo 'make package     a Debian package for the distribution that it is built on'
	@echo 'make clean       remove build/'
