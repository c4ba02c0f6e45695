# libautocdc: AUTO CDC for SQLite.
#
#   make                the loadable extension
#   make static         libautocdc.a, to embed (compiled with -DSQLITE_CORE)
#   make setup          install what building and testing need (Debian, Ubuntu;
#                       elsewhere print the line to run)
#   make demo           set up, build, and merge two real change logs
#   make test           set up, build, and run every test that is quick
#   make install        DESTDIR, PREFIX, LIBDIR, INCLUDEDIR are honoured
#   make uninstall
#   make bench          throughput (tests/bench/run)
#   make asan           the tests under AddressSanitizer and UBSan
#   make check-valgrind part of the tests under valgrind
#   make format         blanks, tabs, line lengths, comment style
#   make clean
#
# Variables: CC, CFLAGS, LDFLAGS, WERROR=1, BUILD (folder of the objects),
# OUT (folder of the results), JOBS (parallel compilations).

CC         ?= cc
AR         ?= ar
PKG_CONFIG ?= pkg-config
INSTALL    ?= install
CFLAGS     ?= -O2
BUILD      ?= build
OUT        ?= .

PREFIX     ?= /usr/local
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include

# Compilations run side by side unless make was told how many (JOBS=1).
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1)
ifeq ($(MAKELEVEL),0)
ifeq (,$(filter clean,$(MAKECMDGOALS)))
MAKEFLAGS += -j$(JOBS)
endif
endif

VERSION := $(shell sed -n 's/^.define AUTOCDC_VERSION  *"\(.*\)".*/\1/p' include/autocdc.h)
SRC     := $(sort $(wildcard ext/*.c ext/*/*.c))
OBJ     := $(SRC:%.c=$(BUILD)/so/%.o)
AOBJ    := $(SRC:%.c=$(BUILD)/static/%.o)

# What the host calls a loadable library, and how its exports are limited.
HOST := $(shell $(CC) -dumpmachine 2>/dev/null)
ifneq (,$(findstring darwin,$(HOST)))
  EXT     := dylib
  SHARED  := -dynamiclib -undefined dynamic_lookup
  EXPORTS := $(BUILD)/exports.list
  EXPFLAG := -Wl,-exported_symbols_list,$(EXPORTS)
else ifneq (,$(findstring mingw,$(HOST)))
  EXT     := dll
  SHARED  := -shared
  EXPORTS := $(BUILD)/exports.def
  EXPFLAG := $(EXPORTS)
else
  EXT     := so
  SHARED  := -shared
  EXPORTS := $(BUILD)/exports.map
  EXPFLAG := -Wl,--version-script=$(EXPORTS) -Wl,-z,relro,-z,now \
    $(if $(findstring fsanitize,$(CFLAGS)),,-Wl,-z,defs)
endif
LIB  := $(OUT)/libautocdc.$(EXT)
ALIB := $(OUT)/libautocdc.a

# libsqlite3 itself is never linked: the host program brings it.
LIBPKGS := libcjson libpcre2-8
DEPFLAGS = $(eval DEPFLAGS := $$(shell $(PKG_CONFIG) --cflags sqlite3 $(LIBPKGS)))$(DEPFLAGS)
DEPLIBS  = $(eval DEPLIBS := $$(shell $(PKG_CONFIG) --libs $(LIBPKGS)))$(DEPLIBS)

override ALLCFLAGS = -std=c99 -Wall -Wextra $(if $(WERROR),-Werror) -fPIC \
  -fvisibility=hidden -Iinclude $(DEPFLAGS) $(CPPFLAGS) $(CFLAGS)

all: $(LIB)
static: $(ALIB)

$(LIB): $(OBJ) $(EXPORTS) $(BUILD)/so/objects
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) $(SHARED) -o $@ $(OBJ) $(EXPFLAG) $(DEPLIBS) -lm
	@echo 'Built $@. In the sqlite3 shell: .load $(OUT)/libautocdc'

$(ALIB): $(AOBJ) $(BUILD)/static/objects
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $(AOBJ)

# The entry points are all in this file: it alone is compiled with default
# visibility, and the export list cuts what else it defines.
$(BUILD)/so/ext/autocdc.o: VISIBLE := -fvisibility=default

$(OBJ): $(BUILD)/so/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) $(VISIBLE) -MMD -MP -c -o $@ $<

$(AOBJ): $(BUILD)/static/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALLCFLAGS) -DSQLITE_CORE -MMD -MP -c -o $@ $<

-include $(OBJ:.o=.d) $(AOBJ:.o=.d)

$(BUILD)/exports.map:
	@mkdir -p $(@D)
	@printf '{\n  global: sqlite3_autocdc_init; sqlite3_autocdc_nofs_init;\n  local: *;\n};\n' >$@
$(BUILD)/exports.list:
	@mkdir -p $(@D)
	@printf '_sqlite3_autocdc_init\n_sqlite3_autocdc_nofs_init\n' >$@
$(BUILD)/exports.def:
	@mkdir -p $(@D)
	@printf 'EXPORTS\n  sqlite3_autocdc_init\n  sqlite3_autocdc_nofs_init\n' >$@

# Rewritten only when their content changes, so that other flags recompile and
# a source that came or went links again.
$(BUILD)/flags: FORCE | needs
	@mkdir -p $(@D)
	@echo '$(subst ','"'"',$(CC) $(ALLCFLAGS))' | cmp -s - $@ || \
	  echo '$(subst ','"'"',$(CC) $(ALLCFLAGS))' >$@
$(BUILD)/so/objects: FORCE
	@mkdir -p $(@D)
	@echo '$(OBJ)' | cmp -s - $@ || echo '$(OBJ)' >$@
$(BUILD)/static/objects: FORCE
	@mkdir -p $(@D)
	@echo '$(AOBJ)' | cmp -s - $@ || echo '$(AOBJ)' >$@

needs:
	@CC='$(CC)' PKG_CONFIG='$(PKG_CONFIG)' sh tests/setup.sh --check

setup:
	@sh tests/setup.sh build

demo:
	@sh tests/setup.sh build
	@$(MAKE) --no-print-directory -s all
	@sh sql/demo/run $(LIB)

test:
	@sh tests/setup.sh build
	@bash tests/run

asan:
	@sh tests/setup.sh build
	@bash tests/run asan

check-valgrind:
	@sh tests/setup.sh all
	@bash tests/run valgrind

bench: all
	@tests/bench/run --ext $(LIB)

format:
	@python3 tests/format

$(BUILD)/autocdc.pc: autocdc.pc.in include/autocdc.h
	@mkdir -p $(@D)
	@sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	  -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' $< >$@

# libautocdc.a goes along if `make static` was run before.  The .pc file is
# made anew each time: PREFIX may have changed.
install: $(LIB)
	@rm -f $(BUILD)/autocdc.pc
	@$(MAKE) --no-print-directory -s $(BUILD)/autocdc.pc
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)
	$(INSTALL) -m 755 $(LIB) $(DESTDIR)$(LIBDIR)/
	if [ -f $(ALIB) ]; then $(INSTALL) -m 644 $(ALIB) $(DESTDIR)$(LIBDIR)/; fi
	$(INSTALL) -m 644 include/autocdc.h $(DESTDIR)$(INCLUDEDIR)/
	$(INSTALL) -m 644 $(BUILD)/autocdc.pc $(DESTDIR)$(LIBDIR)/pkgconfig/
	@if [ -z '$(DESTDIR)' ] && command -v ldconfig >/dev/null; then \
	  ldconfig || echo 'ldconfig failed: .load libautocdc needs the full path, or LD_LIBRARY_PATH=$(LIBDIR)'; fi

uninstall:
	rm -f $(DESTDIR)$(LIBDIR)/$(notdir $(LIB)) $(DESTDIR)$(LIBDIR)/$(notdir $(ALIB)) \
	  $(DESTDIR)$(INCLUDEDIR)/autocdc.h $(DESTDIR)$(LIBDIR)/pkgconfig/autocdc.pc

clean:
	rm -rf $(BUILD)
	rm -f $(LIB) $(ALIB)

FORCE:
.PHONY: all static needs setup demo test asan check-valgrind bench format install uninstall clean FORCE
.DELETE_ON_ERROR:
