# One Makefile, not recursive. Variants never mix: everything made lies below build/$(VARIANT)/.
#
#   make            build            make check      install what it needs, run all tests
#   make try        set up and run the main job on a sample repository
#   make install    PREFIX=/usr/local DESTDIR=
#   make check-vm    boot a guest with systemd and Debian's kernel, and test what needs one
#   make lint | analyze | asan | fuzz SECONDS=60 | fuzz-replay | check-inject | bench | cases | deps

VARIANT ?= plain
B := build/$(VARIANT)
PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
ifeq ($(origin CC),default)
CC := gcc
endif
VERSION := 0.1.0
# make V=1 shows the commands
Q := $(if $(V),,@)

# What building and testing need (Debian names), and what only the wider checks need on top.
DEPS := gcc libc6-dev make git git-lfs libjansson-dev libsodium-dev libseccomp-dev libcriterion-dev \
	perl python3 procps psmisc util-linux man-db shellcheck universal-ctags binutils strace
DEPS_VM := qemu-system-x86 debootstrap e2fsprogs
DEPS_WIDE := clang clang-tidy clang-format cppcheck libclang-rt-14-dev llvm debootstrap bubblewrap
# The goals that bring up a bare machine install what they need before anything is compiled.
WIDE := $(filter analyze fuzz fuzz-run bench fresh format-check,$(MAKECMDGOALS))
DEPS_FIRST := $(if $(WIDE)$(filter try check asan lint cases check-vm check-inject fuzz-replay,$(MAKECMDGOALS)),deps)

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wcast-qual -Werror
HARDEN := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fstack-clash-protection -fPIE
HARDEN_LD := -pie -Wl,-z,relro,-z,now,-z,noexecstack
CPPFLAGS += -D_GNU_SOURCE -DBOX_VERSION='"$(VERSION)"' -iquote libcommon -iquote . -iquote $(B)/gen
CFLAGS ?= -O2 -g
VARIANT_CFLAGS :=
VARIANT_LDFLAGS :=
ifeq ($(VARIANT),asan)
CFLAGS := -O1 -g
HARDEN := -fno-omit-frame-pointer -fPIE
VARIANT_CFLAGS := -fsanitize=address,undefined -fno-sanitize-recover=undefined
SAN_OPTIONS := $(B)/t/asan/options.o
VARIANT_LDFLAGS := -fsanitize=address,undefined
endif
ifeq ($(VARIANT),inject)
# One call of a whole process tree is made to fail: see t/inject/inject.c. Fortified names would escape --wrap.
HARDEN := -fPIE
INJECT := $(B)/t/inject/inject.o
WRAPS := $(shell cat t/inject/wraps)
VARIANT_LDFLAGS := $(INJECT) $(WRAPS:%=-Wl,--wrap=%)
endif
ifeq ($(VARIANT),fuzz)
CC := clang
WARN :=
HARDEN := -fno-omit-frame-pointer
HARDEN_LD :=
VARIANT_CFLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
VARIANT_LDFLAGS := -fsanitize=address,undefined
endif
ALL_CFLAGS = -std=gnu17 $(CFLAGS) $(WARN) $(HARDEN) $(VARIANT_CFLAGS)
ALL_LDFLAGS = $(HARDEN_LD) $(VARIANT_LDFLAGS) $(LDFLAGS)
STATIC_LIBS := -l:libjansson.a -l:libsodium.a
# Our programs are started for every command: without the dynamic loader that is a third faster.
PROG_LDFLAGS = $(if $(filter plain inject,$(VARIANT)),-static-pie) $(filter-out $(if $(filter plain inject,$(VARIANT)),-pie),$(ALL_LDFLAGS))

LIB_SRC := $(sort $(filter-out libcommon/sandbox/filter-gen.c,$(wildcard libcommon/*/*.c)))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
LIB := $(B)/libcommon.a
BOX_SRC := $(sort $(filter-out git-box/main-%.c,$(wildcard git-box/*.c)))
BOX_OBJ := $(BOX_SRC:%.c=$(B)/%.o)
HELPERS := git-box-monitor git-box-mason git-box-probe
PROGRAMS := $(B)/bin/git-box $(HELPERS:%=$(B)/libexec/git-box/%)
UNIT_SRC := $(sort $(wildcard t/unit/*.c))
UNITS := $(UNIT_SRC:t/unit/%.c=$(B)/unit/%)
HELPER_SRC := $(sort $(wildcard t/helper/*.c))
TEST_HELPERS := $(HELPER_SRC:t/helper/%.c=$(B)/helper/%)
PERF_SRC := $(sort $(wildcard t/perf/*.c))
PERF := $(PERF_SRC:t/perf/%.c=$(B)/perf/%)

.PHONY: all
all: $(PROGRAMS)

$(B)/%.o: %.c | $(DEPS_FIRST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(LIB): $(LIB_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

# The payload's seccomp programs, exported by libseccomp once, at build time.
$(B)/gen/filter-gen: libcommon/sandbox/filter-gen.c | $(DEPS_FIRST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -o $@ $< $(ALL_LDFLAGS) -lseccomp
$(B)/gen/filters.inc: $(B)/gen/filter-gen
	$(Q)$< >$@.tmp && mv $@.tmp $@
$(B)/libcommon/sandbox/filter.o: $(B)/gen/filters.inc

$(B)/bin/git-box: $(BOX_OBJ) $(SAN_OPTIONS) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(PROG_LDFLAGS) $(STATIC_LIBS)
$(B)/libexec/git-box/git-box-%: $(B)/git-box/main-%.o $(SAN_OPTIONS) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(PROG_LDFLAGS) $(STATIC_LIBS)

.PHONY: libs
libs: $(LIB)

.PHONY: units
units: $(UNITS)
$(B)/unit/%: t/unit/%.c $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(LIB) $(ALL_LDFLAGS) -lcriterion $(STATIC_LIBS)
$(B)/helper/%: t/helper/%.c | $(DEPS_FIRST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -o $@ $< $(ALL_LDFLAGS)
$(B)/perf/%: t/perf/%.c | $(DEPS_FIRST)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -o $@ $< $(ALL_LDFLAGS)

.PHONY: deps
deps:
	@t/deps.sh $(DEPS) $(if $(WIDE),$(DEPS_WIDE)) $(if $(filter check-vm,$(MAKECMDGOALS)),$(DEPS_VM))

# --- install: programs, man pages and completions (both made by the program itself), texts ---
BINDIR := $(DESTDIR)$(PREFIX)/bin
LIBEXECDIR := $(DESTDIR)$(PREFIX)/libexec/git-box
SHAREDIR := $(DESTDIR)$(PREFIX)/share
.PHONY: install
install: all
	install -d $(BINDIR) $(LIBEXECDIR) $(SHAREDIR)/man/man1 $(SHAREDIR)/doc/git-box
	install -m 755 $(B)/bin/git-box $(BINDIR)
	install -m 755 $(HELPERS:%=$(B)/libexec/git-box/%) $(LIBEXECDIR)
	$(B)/bin/git-box --man >$(SHAREDIR)/man/man1/git-box.1
	for v in $$($(B)/bin/git-box --complete '' | cut -f1); do \
		$(B)/bin/git-box --man $$v >$(SHAREDIR)/man/man1/git-box-$$v.1 || exit 1; done
	install -m 644 README.md LICENSE NOTICE SECURITY.md $(SHAREDIR)/doc/git-box
	install -D -m 644 completion/git-box.bash $(SHAREDIR)/bash-completion/completions/git-box
	install -D -m 644 completion/git-box.zsh $(SHAREDIR)/zsh/site-functions/_git-box
	install -D -m 644 completion/git-box.fish $(SHAREDIR)/fish/vendor_completions.d/git-box.fish

# The tests run the programs as installed, from here.
INST := $(abspath $(B))/inst
$(INST)/stamp: $(PROGRAMS) $(wildcard completion/git-box.*) README.md LICENSE NOTICE SECURITY.md
	@rm -rf $(INST)
	$(Q)$(MAKE) -s --no-print-directory VARIANT=$(VARIANT) DESTDIR=$(INST) PREFIX=/usr install >/dev/null
	@touch $@

# --- tests ---
T ?= $(sort $(wildcard t/t[0-9]*.sh))
export VARIANT BOX_MUST_WORK
.PHONY: check check-units check-shell
check: check-units check-shell $(if $(wildcard t/fuzz/*.c),fuzz-replay)
check-units: $(UNITS) | $(DEPS_FIRST)
	prove -j2 --failures --comments --exec t/unit.sh $(UNITS)
check-shell: $(INST)/stamp $(TEST_HELPERS) check-units
	prove -j2 --failures --comments $(T)

# Sanitizers: a report is a file in the log folder, since test frameworks swallow stderr and exit codes.
SAN_LOG := $(abspath build/asan/log)
.PHONY: asan
asan: deps
	@rm -rf $(SAN_LOG) && install -d -m 1777 $(SAN_LOG)
	ASAN_OPTIONS=log_path=$(SAN_LOG)/asan:detect_leaks=1 UBSAN_OPTIONS=log_path=$(SAN_LOG)/ubsan:print_stacktrace=1 \
		CRITERION_NO_EARLY_EXIT=1 $(MAKE) VARIANT=asan check
	@test -z "$$(ls -A $(SAN_LOG))" || { head -60 $(SAN_LOG)/*; echo "sanitizer reports above"; exit 1; }

.PHONY: cases
cases: | $(DEPS_FIRST)
	@t/cases.sh

.PHONY: try
try: $(INST)/stamp | deps
	@t/try.sh

.PHONY: fresh
fresh: | deps
	t/fresh.sh

# Real cgroups, systemd and an old kernel in a guest: minutes, hence not part of check.
.PHONY: check-vm
check-vm: $(INST)/stamp | deps
	t/vm/check.sh

.PHONY: lint
lint: all units | $(DEPS_FIRST)
	@t/lint/run.sh

.PHONY: analyze
ANALYZE_SRC := $(LIB_SRC) $(BOX_SRC) $(wildcard git-box/main-*.c)
analyze: $(B)/gen/filters.inc | $(DEPS_FIRST)
	@$(MAKE) -s VARIANT=analyze CFLAGS='-O1 -g -fanalyzer' HARDEN= all
	@t/analyze.sh $(B)/gen $(ANALYZE_SRC)

.PHONY: format-check
format-check: | $(DEPS_FIRST)
	clang-format --dry-run -Werror $(ANALYZE_SRC)

.PHONY: bench
bench: $(INST)/stamp $(PERF) | $(DEPS_FIRST)
	t/perf/bench.sh

# --- fuzzing: clang searches, the driver replays the corpus without it ---
FUZZ_WHAT := $(patsubst t/fuzz/fuzz-%.c,%,$(sort $(wildcard t/fuzz/fuzz-*.c)))
$(B)/fuzz/%: t/fuzz/fuzz-%.c $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(LIB) $(ALL_LDFLAGS) -fsanitize=fuzzer $(STATIC_LIBS)
$(B)/replay/%: t/fuzz/fuzz-%.c t/fuzz/driver.c $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -o $@ $< t/fuzz/driver.c $(LIB) $(ALL_LDFLAGS) $(STATIC_LIBS)

.PHONY: fuzz fuzz-run fuzz-replay
fuzz: | $(DEPS_FIRST)
	@$(MAKE) -s --no-print-directory VARIANT=fuzz SECONDS=$(SECONDS) fuzz-run
fuzz-run: $(FUZZ_WHAT:%=$(B)/fuzz/%)
	@t/fuzz/run.sh $(SECONDS) $^
fuzz-replay: $(FUZZ_WHAT:%=$(B)/replay/%) | $(DEPS_FIRST)
	@for what in $(FUZZ_WHAT); do $(B)/replay/$$what t/fuzz/corpus/$$what || exit 1; done

# Every call of three verbs, a quarter of an hour; BOX_INJECT_EVERY=8 makes each eighth fail.
.PHONY: check-inject inject-run
check-inject: | $(DEPS_FIRST)
	@$(MAKE) -s --no-print-directory VARIANT=inject inject-run
inject-run: $(INST)/stamp
	@t/inject.sh
$(LIB) $(B)/gen/filter-gen: | $(INJECT)

.PHONY: clean
clean:
	rm -rf build

-include $(shell find $(B) -type f -name '*.d' 2>/dev/null)
.DELETE_ON_ERROR:
.SECONDARY:
