# SPDX-License-Identifier: BSD-2-Clause
#
# A thin front for CMake; `make help` lists the targets.  Each target first installs the packages that it lacks
# (tools/setup, which asks all users but root).

.DEFAULT_GOAL = all
BUILD = build

# For `make`, `make install` and `make uninstall`; tools/install explains them.
PREFIX ?= /usr/local
DESTDIR ?=
LIBDIR ?=
COMMAND ?=
STRIP ?= yes
DEBUG_FILES ?= no
USER_BUILD ?= $(BUILD)/user
INSTALL = PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' LIBDIR='$(LIBDIR)' COMMAND='$(COMMAND)' STRIP='$(STRIP)' \
	DEBUG_FILES='$(DEBUG_FILES)' USER_BUILD='$(USER_BUILD)' CONFIGURE='$(CONFIGURE)' tools/install

# Parallel jobs: one per processor, but at most 8, to limit memory use.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); [ "$$n" -le 8 ] || n=8; echo "$$n")
# The interpreter of the distribution, which has its pytest, before any other.
PYTEST = $(or $(wildcard /usr/bin/python3),python3) -B -m pytest -q -rs -p no:cacheprovider

# .ci/run uses --short.
BINDINGS ?=

# Options of cprng-tour for `make run`: TOUR=--targets.
TOUR ?=

# More options of ctest for `make test`: TESTS='-L unit'.
TESTS ?=

# The architectures of `make static`; .ci/run has one.
STATIC ?= x86_64 aarch64

# .ci/run uses `make windows-test WINDOWS=--short`.
WINDOWS ?=

# How long `make soak` and `make fuzz` take.
MINUTES ?= 10

# Pairs of boundaries that `make explore` tries for each operation and two events; -1: all of them, which takes many hours.
PAIRS ?= 300

# Another C library for `make soak` and `make explore`, on x86-64: musl, or glibc-2.31, of Debian 11 (tests/support/libc).
LIBC ?=

# More options of cmake, for the targets that build in $(BUILD).
CONFIGURE ?=

# Missing packages: yes installs them, no never does; otherwise tools/setup asks where it has to.
SETUP ?=
export CPRNG_SETUP = $(SETUP)
export JOBS

# The parts that `make lab` runs, and their options.
LAB_COMMANDS ?= all others sizes draw sweep streams levels
LAB_ARGS ?=

# The benchmarks of the document of randp by its names, and the commands of cprng-lab that are no sweep (docs/lab.md).
RANDP = mutex num-blocks others prng-params reseed-countdown
RANDP_mutex = sweep placement
RANDP_others = others --only cprng,randp,randp-design,rdrand,rdseed,getentropy,arc4random

# Options of lab/checks/run for `make lab-checks`, and of lab/compare for `make lab-revisions`.
CHECKS_ARGS ?=
BEFORE ?= HEAD~1
AFTER ?= HEAD
REVISIONS_ARGS ?=
LAB_RUNS = $(patsubst %,$(BUILD)/lab-%.json,$(LAB_COMMANDS))

# The folders with the sources of NetBSD's kernel for `make netbsd-test`, and of FreeBSD's for `make freebsd-test`.
NETBSD ?=
FREEBSD ?=

# The number of defects that `make mutants-sample` tries, and the seed of their choice.
MUTANTS ?= 12
MUTANTS_SEED ?= 1
MUTANTS_PROGRAMS = $(addprefix cprng_test_,draw erasure fortuna fuzz lengths os seed_file unit) cprng_test_dropins

# The newest, which docs/lab.md shows as a picture.
KEPT_RUN = $(lastword $(sort $(wildcard lab/results/lab-*.json)))

# The architectures of CROSS on which the command is also compiled and tested, which takes most of the time.
CROSS = aarch64 s390x riscv64 ppc64el powerpc i686
CROSS_COMMAND ?= aarch64 s390x riscv64
# CROSS_TESTS='unit fortuna': these alone.
CROSS_TESTS ?=

.PHONY: help all run install uninstall setup clean format lint
.PHONY: test test-large dropin-test explore soak fuzz ct-test erasure-test cross-test cross-vm-test posix-test port-test windows-test sanitize tsan msan vm-test newcomer-test
.PHONY: statistics statistics-large mutants mutants-sample proofs
.PHONY: $(RANDP) lab lab-test lab-checks lab-revisions lab-instructions report-test report-picture
.PHONY: kernel-test kernel-debug-test kernel-mutants netbsd-test freebsd-test
.PHONY: site site-test one dist dist-test static wheels deb conan-test recipes-test
.PHONY: bindings-test bindings-python-test bindings-rust-test bindings-go-test bindings-java-test bindings-node-test

help:
	@echo 'make               what a user needs: $(USER_BUILD)/cprng, libcprng.so, libcprng.a; COMMAND=no: the library alone'
	@echo 'make install       that, into PREFIX; LIBDIR, DESTDIR, STRIP=no and DEBUG_FILES=yes: docs/start/installing.md'
	@echo 'make uninstall     removes from PREFIX what make install put there, by the list that it kept'
	@echo 'make run           the tour: what the library does, and how fast (TOUR=--quick: only to see that it works)'
	@echo 'make test          the tests of library and command, on every level of instruction set that this CPU has'
	@echo 'make test-large    the same with large volumes, which take several minutes'
	@echo 'make lab           builds the lab and measures all there is (LAB_ARGS=--quick: to try it);'
	@echo '                   the page is $(BUILD)/lab-report.html'
	@echo 'make $(RANDP)'
	@echo '                   the benchmarks of the document of randp, with the lab'
	@echo 'make lab-test      builds the lab and tests it, without a measurement'
	@echo 'make lab-instructions  counts what emulators execute of engines and draws: lab/results/emulated.json again'
	@echo 'make lab-checks    do its rows of other generators agree with plain programs? CHECKS_ARGS=$(CHECKS_ARGS)'
	@echo 'make lab-revisions  two revisions measured in turns: BEFORE=$(BEFORE) AFTER=$(AFTER) REVISIONS_ARGS=$(REVISIONS_ARGS)'
	@echo 'make soak          all at once that may cut a draw, and no output twice; MINUTES=$(MINUTES) LIBC=musl'
	@echo 'make fuzz          libFuzzer searches for inputs where library or command differ from a model; MINUTES=$(MINUTES)'
	@echo 'make explore       operations step by step, with something happening at each; PAIRS=$(PAIRS) LIBC=musl'
	@echo 'make ct-test       does any timing depend on a key? every engine, under valgrind or by the clock'
	@echo 'make erasure-test  is anything left of what was served? every compiler and level of optimisation'
	@echo 'make mutants       defects put into the library one by one, each of which a test must notice'
	@echo 'make mutants-sample    MUTANTS=$(MUTANTS) of them, one of each kind at the least'
	@echo 'make proofs        models of generations and keys by SPIN, in every order of their steps; the buffer by CBMC'
	@echo 'make statistics    numbers of streams through tests of dieharder; statistics-large: all of them, for hours'
	@echo 'make report-test   the report in a headless Chromium, which is installed'
	@echo 'make report-picture    docs/images/lab-report.png again'
	@echo 'make site          the documentation as pages with a search: $(BUILD)/site/index.html'
	@echo 'make site-test     its links and its search; every program and command in it is run'
	@echo 'make lint          style, includes, symbols, spelling, manual pages; gcc and clang without a warning'
	@echo 'make format        rewrite the sources in the style of .clang-format'
	@echo 'make cross-test    build and test for $(CROSS), emulated'
	@echo 'make cross-vm-test the tests of draws on AArch64 in an emulated machine, whose kernel has restartable sequences'
	@echo 'make dropin-test   the drop-ins in PostgreSQL, Redis, nginx, Node.js, OpenJDK, and the tests of OpenSSL itself'
	@echo 'make posix-test    the library without what Linux has beyond POSIX, with what the BSDs have, and with what macOS has: what of the tests applies'
	@echo 'make port-test     the library's one file compiled by zig for the BSDs, macOS, WASI and AArch64 big-endian, and run on the last two; the library for glibc 2.17, and run with two'
	@echo 'make windows-test  library, command and bindings compiled for Windows, the library also by zig, and tested under wine; WINDOWS=--short or --bindings'
	@echo 'make sanitize      the tests under the address and undefined-behaviour sanitizers; SANITIZE=short: a part of them'
	@echo 'make tsan          the tests of Fortuna under the thread sanitizer'
	@echo 'make msan          the headers in programs with the memory sanitizer'
	@echo 'make vm-test       in emulated virtual machines, whose kernels come from the distribution: clones, other CPUs'
	@echo 'make kernel-test   the kernel module, in the same'
	@echo 'make kernel-mutants        mistakes in the module that a test must notice, one after the other'
	@echo 'make kernel-debug-test     the same in a kernel that watches locks and memory, which is compiled first'
	@echo 'make netbsd-test   the drop-ins in the kernel of NetBSD, of which NETBSD= has the sources (docs/netbsd.md)'
	@echo 'make freebsd-test  the drop-in in the random(4) of FreeBSD, of which FREEBSD= has the files (docs/freebsd.md)'
	@echo 'make one           the library as two files, for any compiler: $(BUILD)/one/cprng.c and cprng.h'
	@echo 'make dist          the release of this commit, its list of components and checksums: $(BUILD)/dist'
	@echo 'make static        the same, and the command for any Linux on x86-64 and on AArch64, statically linked'
	@echo 'make wheels        the Python package for any Linux on x86-64, Windows and macOS (WHEELS="bookworm trixie": tried there)'
	@echo 'make dist-test     that it is the same twice, that the list is valid, that the unpacked release tests itself'
	@echo 'make deb           Debian packages, built and tested in clean installations of Debian: $(BUILD)/deb'
	@echo 'make conan-test    the Conan package, in an environment of its own'
	@echo 'make recipes-test  the recipes for RPM, Docker, Alpine, vcpkg, Nix and Homebrew, as far as Debian has their tools'
	@echo 'make bindings-test the bindings of other languages, installed from what is built; BINDINGS=--short for a minute each'
	@echo 'make newcomer-test the README, word by word, in clean installations of Debian; the packages too, after make deb'
	@echo 'make setup         install every package that any of these needs'
	@echo 'make clean         remove $(BUILD)/'
	@echo 'Variables: JOBS=$(JOBS)  PREFIX=$(PREFIX)  DESTDIR=$(DESTDIR)  LIBDIR=$(LIBDIR)'
	@echo '           COMMAND=$(COMMAND)  STRIP=$(STRIP)  DEBUG_FILES=$(DEBUG_FILES)  SETUP=$(SETUP)  MINUTES=$(MINUTES)  PAIRS=$(PAIRS)'
	@echo '           LAB_COMMANDS=$(LAB_COMMANDS)  LAB_ARGS=$(LAB_ARGS)'

all:
	@$(INSTALL) build

run:
	@$(INSTALL) run $(TOUR)

lab:
	@tools/setup build run report
	@tools/quietly cmake --preset lab -DCPRNG_LAB_DOWNLOAD=ON $(CONFIGURE)
	@tools/quietly --progress cmake --build --preset lab -j $(JOBS)
	@set -e; for command in $(LAB_COMMANDS); do \
		echo "cprng-lab $$command: its tables go to $(BUILD)/lab-$$command.txt"; \
		$(BUILD)/cprng-lab $$command --json $(BUILD)/lab-$$command.json $(LAB_ARGS) >$(BUILD)/lab-$$command.txt; \
	done
	@$(BUILD)/cprng-lab report $(LAB_RUNS) -o $(BUILD)/lab-report.html
	@echo 'The report: $(BUILD)/lab-report.html'

$(RANDP):
	@tools/setup build run
	@tools/quietly cmake --preset lab $(CONFIGURE)
	@tools/quietly --progress cmake --build --preset lab -j $(JOBS)
	@$(BUILD)/cprng-lab $(or $(RANDP_$@),sweep $@) --json $(BUILD)/randp-$@.json $(LAB_ARGS)

# The same build as `make lab`.
lab-checks:
	@tools/setup build run
	cmake --preset lab -DCPRNG_LAB_DOWNLOAD=ON $(CONFIGURE)
	cmake --build --preset lab -j $(JOBS) -t cprng_lab
	lab/checks/run $(BUILD)/cprng-lab --json $(BUILD)/lab-checks.json $(CHECKS_ARGS)

# A reviewer's measurement of a change: make lab-revisions BEFORE=main AFTER=HEAD REVISIONS_ARGS='-- fortuna --seconds 0.1'
lab-revisions:
	@tools/setup build run report
	lab/compare --directory $(BUILD)/compare --jobs $(JOBS) $(BEFORE) $(AFTER) $(REVISIONS_ARGS)

test:
	@tools/setup build test
	cmake --preset default $(CONFIGURE)
	cmake --build --preset default -j $(JOBS)
	@status=0; ctest --preset default -j $(JOBS) $(TESTS) || status=1; tests/support/skips $(BUILD); exit $$status

# Ten times the draws, signals, forks and experiments of `make test`, and requests of hundreds of MiB.
test-large:
	CPRNG_TEST_LARGE=1 $(MAKE) test

# Exact, so that the kept file changes only with the code or a compiler.
lab-instructions:
	@tools/setup build cross instructions
	lab/instructions/run --jobs $(JOBS) --build $(BUILD)/instructions --json lab/results/emulated.json

lab-test:
	@tools/setup build run test report ct
	cmake --preset lab $(CONFIGURE)
	cmake --build --preset lab -j $(JOBS)
	ctest --preset lab -j $(JOBS)

# Debian programs with the drop-ins, more than in `make test`; and OpenSSL's own tests of RAND.
dropin-test:
	@tools/setup build test dropin
	cmake --preset default $(CONFIGURE)
	cmake --build --preset default -j $(JOBS)
	@status=0; CPRNG_DROPIN_LARGE=1 ctest --preset default -L dropin || status=1; tests/support/skips $(BUILD); exit $$status

# POSIX=short: without the command.
posix-test:
	@tools/setup build test
	cmake --preset posix -DCPRNG_COMMAND=$(if $(POSIX),OFF,ON)
	cmake --build --preset posix -j $(JOBS)
	$(if $(POSIX),,cmake --build --preset posix -j $(JOBS) -t cprng_command)
	ctest --preset posix -j $(JOBS)
	for system in bsd macos; do \
		cmake --preset $$system && cmake --build --preset $$system -j $(JOBS) && ctest --preset $$system -j $(JOBS) || exit 1; \
	done

# docs/systems.md; PORT: some of the targets of tests/system/port/run, or short.
port-test:
	@tools/setup port $(if $(filter bullseye,$(or $(PORT),bullseye)),deb)
	tests/system/port/run $(BUILD)/port $(PORT)

# docs/systems.md; WINDOWS=--short: without zig and the bindings, as in .ci/run; --bindings: these alone.
windows-test:
	@tools/setup windows $(if $(filter --short,$(WINDOWS)),,port bindings-python wheels bindings-node)
	tests/system/windows/run $(BUILD)/windows $(WINDOWS)

# $(call large,PROGRAM,COMMANDS): compile PROGRAM, and run COMMANDS, in which $$build/tests has it.
define large
	@tools/setup build $(if $(LIBC),deb port test)
	$(if $(LIBC),tests/support/libc '$(LIBC)' $(1),cmake --preset default $(CONFIGURE) && \
	cmake --build --preset default -j $(JOBS) -t cprng_$(1) && build=$(BUILD) sh -c) '$(2)'
endef

# Exits 1 if anything was repeated (docs/testing.md); SOAK: further options of build/tests/soak.
soak:
	$(call large,soak,$$build/tests/soak --minutes=$(MINUTES) --evidence=$(BUILD)/soak-evidence.txt $(SOAK))

# Exits 1 if a difference was found (docs/testing.md); FUZZ: options of tests/fuzz/run, such as the names of targets.
fuzz:
	@tools/setup build fuzz
	cmake --preset fuzz -DCMAKE_C_COMPILER=$$(tools/llvm clang) -DCMAKE_CXX_COMPILER=$$(tools/llvm clang++)
	cmake --build --preset fuzz -j $(JOBS)
	tests/fuzz/run $(BUILD)/fuzz --minutes $(MINUTES) $(FUZZ)

# docs/testing.md; EXPLORE: further options of build/tests/explore.
explore:
	$(call large,explore,status=0; \
	$$build/tests/explore --pairs=$(PAIRS) $(EXPLORE) || status=1; \
	CPRNG_PLACEMENT=slots $$build/tests/explore --pairs=$(PAIRS) $(EXPLORE) || status=1; \
	$$build/tests/explore --placement=unbuffered --pairs=$(PAIRS) $(EXPLORE) || status=1; \
	exit $$status)

ct-test:
	@tools/setup build ct
	cmake --preset lab $(CONFIGURE)
	cmake --build --preset lab -j $(JOBS) -t cprng_ct
	tests/promises/7-no-timing/run --json $(BUILD)/ct.json $(BUILD)/cprng-ct

erasure-test:
	@tools/setup build lint
	tests/promises/3-erased/whole_memory/run . $(BUILD)/erasure

# Without CBMC, which Debian 13 has, its proofs are skipped.
proofs:
	@tools/setup proofs
	CPRNG_TEST_LARGE=1 $(PYTEST) tests/proofs

# docs/testing.md; MUTANTS_ARGS: further options of tests/mutants/run.
mutants:
	@tools/setup build test
	cmake --preset default $(CONFIGURE)
	cmake --build --preset default -j $(JOBS) -t $(MUTANTS_PROGRAMS)
	tests/mutants/run --build $(BUILD) $(MUTANTS_ARGS)

mutants-sample:
	@tools/setup build test
	cmake --preset default $(CONFIGURE)
	cmake --build --preset default -j $(JOBS) -t $(MUTANTS_PROGRAMS)
	tests/mutants/run --build $(BUILD) --sample $(MUTANTS) --seed $(MUTANTS_SEED) $(MUTANTS_ARGS)

statistics:
	@tools/setup build statistics
	cmake --preset default $(CONFIGURE)
	cmake --build --preset default -j $(JOBS) -t cprng_static
	tests/statistics/run $(BUILD) short

# Includes PractRand and TestU01 if they are installed (docs/streams-statistics.md).
statistics-large:
	@tools/setup build statistics
	cmake --preset default $(CONFIGURE)
	cmake --build --preset default -j $(JOBS) -t cprng_static
	tests/statistics/run $(BUILD) large

report-test:
	@tools/setup build test report report-test
	cmake --preset lab $(CONFIGURE)
	cmake --build --preset lab -j $(JOBS) -t cprng_lab
	ctest --preset report

report-picture:
	@tools/setup build report report-test
	cmake --preset lab $(CONFIGURE)
	cmake --build --preset lab -j $(JOBS) -t cprng_lab
	$(BUILD)/cprng-lab report $(KEPT_RUN) -o $(BUILD)/kept-report.html
	/usr/bin/python3 -B tests/system/lab/report/picture.py $(BUILD)/kept-report.html docs/images/lab-report.png

install:
	@$(INSTALL) install

uninstall:
	@$(INSTALL) uninstall

lint:
	@tools/setup build run test lint
	@tools/lint

site:
	@tools/setup site
	@tools/site

site-test:
	@tools/setup build site site-test
	cmake --preset default $(CONFIGURE)
	cmake --build --preset default -j $(JOBS) -t cprng_shared cprng_static cprng_command \
		cprng_dropins
	$(PYTEST) tests/system/site --build $(BUILD)

one:
	@tools/one-file $(BUILD)/one
	@echo '$(BUILD)/one/cprng.c $(BUILD)/one/cprng.h'

dist:
	@tools/setup dist
	@packaging/dist $(BUILD)/dist

# The command is compiled by zig, as for `make port-test`.
static:
	@tools/setup dist command port
	@CPRNG_STATIC='$(STATIC)' packaging/dist $(BUILD)/dist

dist-test:
	@tools/setup dist build test port dist-test
	packaging/dist-test

deb:
	@tools/setup deb
	packaging/deb

conan-test:
	@tools/setup build dist
	packaging/conan/test

recipes-test:
	@tools/setup library command dist recipes
	packaging/recipes-test

# Four minutes; NEWCOMER: some of the ways, and --record (tests/system/newcomer/run --help).
newcomer-test:
	@tools/setup deb
	tests/system/newcomer/run $(NEWCOMER)

# BINDINGS=--short omits what takes minutes.
bindings-test: bindings-python-test bindings-rust-test bindings-go-test bindings-java-test bindings-node-test

bindings-python-test:
	@tools/setup bindings-python
	bindings/python/test $(BINDINGS)

# The Python package's wheels for a release, made on x86-64; WHEELS: releases of Debian to try that for glibc in, or --short: that alone.
wheels:
	@tools/setup bindings-python $(if $(filter --short,$(WHEELS)),,wheels)
	bindings/python/wheels $(WHEELS)

bindings-rust-test:
	@tools/setup bindings
	bindings/rust/test $(BINDINGS)

bindings-go-test:
	@tools/setup bindings bindings-go
	bindings/go/test $(BINDINGS)

bindings-java-test:
	@tools/setup bindings bindings-java
	bindings/java/test $(BINDINGS)

bindings-node-test:
	@tools/setup bindings bindings-node
	bindings/node/test $(BINDINGS)

format:
	@tools/setup lint
	@tools/format

# With i686, whose older floating-point instructions are the reason, the numbers also by each compiler.
cross-test:
	@tools/setup build cross
	set -e; for arch in $(CROSS); do \
		case ' $(CROSS_COMMAND) ' in *" $$arch "*) command=ON ;; *) command=OFF ;; esac; \
		cmake --preset $$arch -DCPRNG_COMMAND=$$command; \
		cmake --build --preset $$arch -j $(JOBS) $(if $(CROSS_TESTS),-t $(CROSS_TESTS:%=cprng_test_%)); \
		ctest --preset $$arch -j $(JOBS) $(if $(CROSS_TESTS),-R '^($(shell echo $(CROSS_TESTS) | tr ' ' '|'))'); \
	done
	$(if $(filter i686,$(CROSS)),tests/unit/numbers/run $(BUILD)/numbers)

# The programs of the cross build in a machine whose kernel comes from the distribution (CROSS_VM_ARGS: of pytest).
cross-vm-test:
	@tools/setup build cross vm cross-vm port
	cmake --preset aarch64
	cmake --build --preset aarch64 -j $(JOBS) -t cprng_test_draw cprng_test_unit cprng_test_lengths cprng_test_os
	tests/vm/run build -k aarch64 $(CROSS_VM_ARGS)

# SANITIZE=short: tests of each part, without the explorer, soak, and the tests of the command, which start it thousands of times;
# SANITIZE=library: without the command's parts, too.
SANITIZE_TARGETS := unit fortuna os seed_file draw $(if $(filter short,$(SANITIZE)),cli)
SANITIZE_TESTS := unit-all|fortuna|os|seed-file|draw-automatic$(if $(filter short,$(SANITIZE)),|cli-parts)
sanitize:
	@tools/setup build test
	cmake --preset sanitize $(CONFIGURE)
	cmake --build --preset sanitize -j $(JOBS) $(if $(SANITIZE),-t $(SANITIZE_TARGETS:%=cprng_test_%))
	ctest --preset sanitize -j $(JOBS) $(if $(SANITIZE),-R '^($(SANITIZE_TESTS))$$')

tsan:
	@tools/setup build test
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS)

msan:
	@tools/setup build test fuzz
	cmake --preset default $(CONFIGURE)
	cmake --build --preset default -j $(JOBS) -t cprng_static
	CPRNG_LIBRARY=$(BUILD)/libcprng.a $(PYTEST) tests/system/install/test_msan.py

vm-test:
	@tools/setup build vm
	cmake --preset default $(CONFIGURE)
	cmake --build --preset default -j $(JOBS) -t cprng_vm_draw cprng_command cprng_test_unit cprng_test_erasure
	tests/vm/run $(BUILD)

# The first run downloads kernels and their headers to build/vm-cache or CPRNG_VM_CACHE.
kernel-test:
	@tools/setup build vm kernel
	$(PYTEST) tests/system/kernel

kernel-mutants:
	@tools/setup build vm kernel
	tests/mutants/run --build $(BUILD) --only module $(MUTANTS_ARGS)

kernel-debug-test:
	@tools/setup build vm kernel kernel-debug
	$(PYTEST) tests/system/kernel --debug-kernel

# Skipped, with the commands that get the sources, where NETBSD does not name them.  At the first time five minutes more.
netbsd-test:
	@tools/setup build test
	NETBSD='$(NETBSD)' $(PYTEST) tests/system/netbsd

# With stubs alone where FREEBSD names no files: those tests are in `make test`, too.
freebsd-test:
	@tools/setup build test freebsd
	FREEBSD='$(FREEBSD)' $(PYTEST) tests/system/freebsd

setup:
	tools/setup build run test proofs dropin ct lint fuzz cross cross-vm port instructions vm report report-test site site-test dist deb recipes kernel kernel-debug windows bindings bindings-python wheels bindings-java
	tools/setup bindings-node bindings-go

clean:
	rm -rf $(BUILD)
