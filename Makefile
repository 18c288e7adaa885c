# One Makefile, not recursive. Variants never mix: everything made lies below build/$(VARIANT)/.
#
#   make            build            make check      install what it needs, run all tests
#   make try        set up and run the main job on a sample repository
#   make install    PREFIX=/usr/local DESTDIR=
#   make lint | analyze | asan | fuzz SECONDS=60 | fuzz-replay | check-inject | bench | cases | deps

VARIANT ?= plain
B := build/$(VARIANT)
PREFIX ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
CC ?= gcc
VERSION := 0.1.0

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
VARIANT_LDFLAGS := -fsanitize=address,undefined
endif
ifeq ($(VARIANT),inject)
VARIANT_CFLAGS := -DBOX_INJECT=1
endif
ALL_CFLAGS = -std=gnu17 $(CFLAGS) $(WARN) $(HARDEN) $(VARIANT_CFLAGS)
ALL_LDFLAGS = $(HARDEN_LD) $(VARIANT_LDFLAGS) $(LDFLAGS)
STATIC_LIBS := -l:libjansson.a -l:libsodium.a

LIB_SRC := $(sort $(filter-out libcommon/sandbox/filter-gen.c,$(wildcard libcommon/*/*.c)))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
LIB := $(B)/libcommon.a
BOX_SRC := $(sort $(filter-out git-box/main-%.c,$(wildcard git-box/*.c)))
BOX_OBJ := $(BOX_SRC:%.c=$(B)/%.o)
HELPERS := git-box-monitor git-box-mason
PROGRAMS := $(B)/bin/git-box $(HELPERS:%=$(B)/libexec/git-box/%)
UNIT_SRC := $(sort $(wildcard t/unit/*.c))
UNITS := $(UNIT_SRC:t/unit/%.c=$(B)/unit/%)
HELPER_SRC := $(sort $(wildcard t/helper/*.c))
TEST_HELPERS := $(HELPER_SRC:t/helper/%.c=$(B)/helper/%)
PERF_SRC := $(sort $(wildcard t/perf/*.c))
PERF := $(PERF_SRC:t/perf/%.c=$(B)/perf/%)

.PHONY: all
all: $(PROGRAMS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(LIB): $(LIB_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

# The payload's seccomp programs, exported by libseccomp once, at build time.
$(B)/gen/filter-gen: libcommon/sandbox/filter-gen.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -o $@ $< $(ALL_LDFLAGS) -lseccomp
$(B)/gen/filters.inc: $(B)/gen/filter-gen
	$(Q)$< >$@.tmp && mv $@.tmp $@
$(B)/libcommon/sandbox/filter.o: $(B)/gen/filters.inc

$(B)/bin/git-box: $(BOX_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LDFLAGS) $(STATIC_LIBS)
$(B)/libexec/git-box/%: $(B)/git-box/main-%.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LDFLAGS) $(STATIC_LIBS)
$(B)/libexec/git-box/git-box-%: $(B)/git-box/main-%.o $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LDFLAGS) $(STATIC_LIBS)

.PHONY: libs
libs: $(LIB)

.PHONY: units
units: $(UNITS)
$(B)/unit/%: t/unit/%.c $(LIB)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(LIB) $(ALL_LDFLAGS) -lcriterion $(STATIC_LIBS)
$(B)/helper/%: t/helper/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -o $@ $< $(ALL_LDFLAGS)
$(B)/perf/%: t/perf/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) -o $@ $< $(ALL_LDFLAGS)

.PHONY: clean
clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' 2>/dev/null)
.DELETE_ON_ERROR:
