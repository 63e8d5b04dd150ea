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
# Tests at a time: some of them wait.
CTEST = ctest -j $(shell expr $(JOBS) + 2)
# The interpreter of the distribution, which has its pytest, before any other.
PYTEST = $(or $(wildcard /usr/bin/python3),python3) -B -m pytest -q -rsfE --tb=short -p no:cacheprovider

# .ci/run uses --short.
BINDINGS ?=

# Options of cprng-tour for `make run`: TOUR=--targets.
TOUR ?=

# More options of ctest for `make test`, `make check` and `make check-install`: TESTS='-R one'.
TESTS ?=

# The architectures of `make static`; .ci/run has one.
STATIC ?= x86_64 aarch64

# .ci/run uses `make check-windows WINDOWS=--short`.
WINDOWS ?=

# How long `make check-soak` and `make check-fuzz` take.
MINUTES ?= 10

# Pairs of boundaries that `make check-explore` tries for each operation and two events; -1: all of them, which takes many hours.
PAIRS ?= 300

# Another C library for `make check-soak` and `make check-explore`, on x86-64: musl, or glibc-2.31, of Debian 11 (tests/support/libc).
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

LAB_RUNS = $(patsubst %,$(BUILD)/lab-%.json,$(LAB_COMMANDS))

# The folders with the sources of NetBSD's kernel for `make check-netbsd`, and of FreeBSD's for `make check-freebsd`.
NETBSD ?=
FREEBSD ?=

# The number of defects that `make check-mutants-sample` tries, and the seed of their choice.
MUTANTS ?= 12
MUTANTS_SEED ?= 1
MUTANTS_PROGRAMS = $(addprefix cprng_test_,copies_static-and-linked draw erasure fortuna fuzz lengths os seed_file unit) cprng_test_dropins

# The newest, which docs/lab.md shows as a picture.
KEPT_RUN = $(lastword $(sort $(wildcard lab/results/lab-*.json)))

# The architectures of CROSS on which the command is also compiled and tested, which takes most of the time.
CROSS = aarch64 s390x riscv64 ppc64el powerpc i686
CROSS_COMMAND ?= aarch64 s390x riscv64
# CROSS_TESTS='unit fortuna': these alone.
CROSS_TESTS ?=

# make check-NAME for each.
CHECKS = large install soak explore fuzz ct erasure mutants mutants-sample proofs statistics statistics-large sanitize tsan msan cross cross-vm vm \
	posix port windows kernel kernel-mutants kernel-debug netbsd freebsd dropin bindings $(BINDINGS_OF:%=bindings-%) dist conan recipes \
	newcomer site lab report
BINDINGS_OF = python rust go java node

.PHONY: help all run install uninstall one test check lab site clean lint format setup wheels dist static deb
.PHONY: lab-instructions report-picture $(RANDP) $(CHECKS:%=check-%)

# $(call build,PRESET,TARGETS,OPTIONS of cmake): all targets without TARGETS.
define build
	cmake --preset $(1) $(3)
	cmake --build --preset $(1) -j $(JOBS) $(if $(2),-t $(2))
endef

# Prints the comments that begin with "#:".
help:
	@sed -n 's/^#: \{0,1\}//p' Makefile

#: For users of the library (docs/installing.md):
#:
#: make               compiles build/user/cprng, libcprng.so and libcprng.a; COMMAND=no: the library alone
#: make install       installs that into PREFIX; LIBDIR, DESTDIR, STRIP=no and DEBUG_FILES=yes
#: make uninstall     removes from PREFIX what make install put there, by the list that it kept
#: make run           the tour: what the library does, and how fast (TOUR=--quick: only to see that it works)
#: make one           the library as two files, for any compiler: build/one/cprng.c and cprng.h
#: make test          builds and tests library and command: two minutes on two processors; make check has all other tests
#: make lab           measures all there is (LAB_ARGS=--quick: to try it); the page is build/lab-report.html
#: make site          the documentation as pages with a search: build/site/index.html
#: make clean         removes build/
#: SETUP=yes installs the packages that a target lacks, SETUP=no never does; otherwise it asks.
all:
	@$(INSTALL) build

run:
	@$(INSTALL) run $(TOUR)

install:
	@$(INSTALL) install

uninstall:
	@$(INSTALL) uninstall

one:
	@tools/one-file $(BUILD)/one
	@echo '$(BUILD)/one/cprng.c $(BUILD)/one/cprng.h'

# $(call counted,PRESET,ENVIRONMENT,OPTIONS): ctest with a line for each test, what failed, and a last line with the numbers.
counted = @status=0; $(2) $(CTEST) --preset $(1) $(3) --no-label-summary --output-junit results.xml \
	--test-output-size-passed 1000000 --test-output-size-failed 1000000 $(TESTS) || status=1; \
	tests/support/results $(BUILD)/results.xml && exit $$status

test:
	@tools/setup build basic
	@echo 'compiling library, command and tests, which takes a minute or two'
	@tools/quietly cmake --preset default $(CONFIGURE)
	@tools/quietly --progress cmake --build --preset basic -j $(JOBS)
	$(call counted,basic)

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

site:
	@tools/setup site
	@tools/site

clean:
	rm -rf $(BUILD)

#:
#: For changes to it; docs/testing.md says of each check which changes, and how long it takes:
#:
#: make lint, format        style, includes, symbols, spelling, manual pages; gcc and clang without a warning
#: make setup               installs every package that any target needs
lint:
	@tools/setup build run test lint
	@tools/lint

format:
	@tools/setup lint
	@tools/format

setup:
	tools/setup build run basic test proofs dropin ct lint fuzz cross cross-vm port instructions vm report report-test site site-test dist deb recipes kernel kernel-debug windows bindings bindings-python wheels bindings-java
	tools/setup bindings-node bindings-go

#: make check               all other tests of library and command, 6 minutes on two processors after make test
check:
	@echo 'make check: 6 minutes on two processors after make test, of which compiling takes 2'
	@tools/setup build test
	$(call build,default,,$(CONFIGURE))
	$(call counted,check)

#: make check-large         the tests with ten times the draws, signals, forks and experiments, and requests of hundreds of MiB
check-large:
	CPRNG_TEST_LARGE=1 $(MAKE) test
	CPRNG_TEST_LARGE=1 $(MAKE) check
	CPRNG_TEST_LARGE=1 $(MAKE) check-install

#: make check-install       the source as users build it: make install, the one file by other compilers, with musl, a release
check-install:
	@tools/setup build test
	$(call build,default,,$(CONFIGURE))
	$(call counted,install)

# $(call large,PROGRAM,COMMANDS): compile PROGRAM, and run COMMANDS, in which $$build/tests has it.
define large
	@tools/setup build $(if $(LIBC),deb port test)
	$(if $(LIBC),tests/support/libc '$(LIBC)' $(1),cmake --preset default $(CONFIGURE) && \
	cmake --build --preset default -j $(JOBS) -t cprng_$(1) && build=$(BUILD) sh -c) '$(2)'
endef

#: make check-soak          all at once that may cut a draw, and no output twice; MINUTES, LIBC=musl, SOAK: options of build/tests/soak
check-soak:
	$(call large,soak,$$build/tests/soak --minutes=$(MINUTES) --evidence=$(BUILD)/soak-evidence.txt $(SOAK))

#: make check-explore       operations step by step, with an event at each; PAIRS, LIBC=musl, EXPLORE: options of build/tests/explore
check-explore:
	$(call large,explore,status=0; \
	$$build/tests/explore --pairs=$(PAIRS) $(EXPLORE) || status=1; \
	CPRNG_PLACEMENT=slots $$build/tests/explore --pairs=$(PAIRS) $(EXPLORE) || status=1; \
	$$build/tests/explore --placement=unbuffered --pairs=$(PAIRS) $(EXPLORE) || status=1; \
	exit $$status)

#: make check-fuzz          libFuzzer searches for inputs where library or command differ from a model; MINUTES, FUZZ: targets
check-fuzz:
	@tools/setup build fuzz
	$(call build,fuzz,,-DCMAKE_C_COMPILER=$$(tools/llvm clang) -DCMAKE_CXX_COMPILER=$$(tools/llvm clang++))
	tests/fuzz/run $(BUILD)/fuzz --minutes $(MINUTES) $(FUZZ)

#: make check-ct            does any timing depend on a key? every engine, under valgrind or by the clock
check-ct:
	@tools/setup build ct
	$(call build,lab,cprng_ct,$(CONFIGURE))
	tests/promises/7-no-timing/run --json $(BUILD)/ct.json $(BUILD)/cprng-ct

#: make check-erasure       is anything left of what was served? every compiler and level of optimisation
check-erasure:
	@tools/setup build lint
	tests/promises/3-erased/whole_memory/run . $(BUILD)/erasure

#: make check-mutants       defects put into the library one by one, each of which a test must notice; MUTANTS_ARGS
#: make check-mutants-sample MUTANTS of them, one of each kind at the least
check-mutants check-mutants-sample:
	@tools/setup build test
	$(call build,default,$(MUTANTS_PROGRAMS),$(CONFIGURE))
	tests/mutants/run --build $(BUILD) $(if $(filter %-sample,$@),--sample $(MUTANTS) --seed $(MUTANTS_SEED)) $(MUTANTS_ARGS)

#: make check-proofs        models of generations and keys by SPIN, in every order of their steps; the buffer by CBMC
# Without CBMC, which Debian 13 has, its proofs are skipped.
check-proofs:
	@tools/setup proofs
	CPRNG_TEST_LARGE=1 $(PYTEST) tests/proofs

#: make check-statistics    numbers of streams through tests of dieharder; -large: all of them, for hours
# The large form includes PractRand and TestU01 if they are installed (docs/streams.md).
check-statistics check-statistics-large:
	@tools/setup build statistics
	$(call build,default,cprng_static,$(CONFIGURE))
	tests/statistics/run $(BUILD) $(if $(filter %-large,$@),large,short)

#: make check-sanitize      under address and undefined-behaviour sanitizers; also check-tsan, check-msan; SANITIZE=short or library: parts
# short: tests of each part in one placement, without lengths and the tests of the command, which start it thousands of times;
# library: without the command's parts, too.
SANITIZE_TARGETS := unit fortuna os seed_file draw $(if $(filter short,$(SANITIZE)),cli)
SANITIZE_TESTS := unit-all|fortuna|os|seed-file|draw-automatic$(if $(filter short,$(SANITIZE)),|cli-parts)
check-sanitize:
	@tools/setup build test
	$(call build,sanitize,$(if $(SANITIZE),$(SANITIZE_TARGETS:%=cprng_test_%)),$(CONFIGURE))
	$(CTEST) --preset sanitize $(if $(SANITIZE),-R '^($(SANITIZE_TESTS))$$')

check-tsan:
	@tools/setup build test
	$(call build,tsan)
	$(CTEST) --preset tsan
	$(PYTEST) tests/system/one/test_one.py -k thread_sanitizer

check-msan:
	@tools/setup build test fuzz
	$(call build,default,cprng_static,$(CONFIGURE))
	CPRNG_LIBRARY=$(BUILD)/libcprng.a $(PYTEST) tests/system/install/test_msan.py

#: make check-cross         builds and tests for CROSS, emulated; CROSS_TESTS='unit fortuna': these alone
# With i686, whose older floating-point instructions are the reason, the numbers also by each compiler.
check-cross:
	@tools/setup build cross
	set -e; for arch in $(CROSS); do \
		case ' $(CROSS_COMMAND) ' in *" $$arch "*) command=ON ;; *) command=OFF ;; esac; \
		cmake --preset $$arch -DCPRNG_COMMAND=$$command; \
		cmake --build --preset $$arch -j $(JOBS) $(if $(CROSS_TESTS),-t $(CROSS_TESTS:%=cprng_test_%)); \
		$(CTEST) --preset $$arch $(if $(CROSS_TESTS),-R '^($(shell echo $(CROSS_TESTS) | tr ' ' '|'))'); \
	done
	$(if $(filter i686,$(CROSS)),tests/unit/numbers/run $(BUILD)/numbers)

#: make check-cross-vm      the tests of draws on AArch64 in an emulated machine, whose kernel has restartable sequences
# CROSS_VM_ARGS: options of pytest.
check-cross-vm:
	@tools/setup build cross vm cross-vm port
	$(call build,aarch64,cprng_test_draw cprng_test_unit cprng_test_lengths cprng_test_os)
	tests/vm/run build -k aarch64 $(CROSS_VM_ARGS)

#: make check-vm            in emulated virtual machines, whose kernels come from the distribution: clones, other CPUs
check-vm:
	@tools/setup build vm
	$(call build,default,cprng_vm_draw cprng_command cprng_test_unit cprng_test_erasure,$(CONFIGURE))
	tests/vm/run $(BUILD)

#: make check-posix         without what Linux has beyond POSIX; with the layers of the BSDs and macOS; POSIX=short: without the command
check-posix:
	@tools/setup build test
	$(call build,posix,,-DCPRNG_COMMAND=$(if $(POSIX),OFF,ON))
	$(if $(POSIX),,cmake --build --preset posix -j $(JOBS) -t cprng_command)
	$(CTEST) --preset posix
	for system in bsd macos; do \
		cmake --preset $$system && cmake --build --preset $$system -j $(JOBS) && $(CTEST) --preset $$system || exit 1; \
	done

#: make check-port          the one file by zig for other systems, and run where that is possible; PORT: some of tests/system/port/run's
check-port:
	@tools/setup port $(if $(filter bullseye,$(or $(PORT),bullseye)),deb)
	tests/system/port/run $(BUILD)/port $(PORT)

#: make check-windows       library, command and bindings for Windows, under wine; WINDOWS=--short or --bindings
check-windows:
	@tools/setup windows $(if $(filter --short,$(WINDOWS)),,port bindings-python wheels bindings-node)
	tests/system/windows/run $(BUILD)/windows $(WINDOWS)

#: make check-kernel        Linux' module, in guests; -mutants: mistakes in it; -debug: in a kernel that watches locks
# The first run downloads kernels and their headers to build/vm-cache or CPRNG_VM_CACHE.
check-kernel:
	@tools/setup build vm kernel
	$(PYTEST) tests/system/kernel

check-kernel-mutants:
	@tools/setup build vm kernel
	tests/mutants/run --build $(BUILD) --only module $(MUTANTS_ARGS)

check-kernel-debug:
	@tools/setup build vm kernel kernel-debug
	$(PYTEST) tests/system/kernel --debug-kernel

#: make check-netbsd        the drop-ins in the kernel of NetBSD, of which NETBSD= has the sources (docs/netbsd.md)
#: make check-freebsd       the drop-in in the random(4) of FreeBSD, of which FREEBSD= has the files (docs/freebsd.md)
# Without sources NetBSD's is skipped, with the commands that get them; FreeBSD's has stubs, which `make check` has, too.
check-netbsd:
	@tools/setup build test
	NETBSD='$(NETBSD)' $(PYTEST) tests/system/netbsd

check-freebsd:
	@tools/setup build test freebsd
	FREEBSD='$(FREEBSD)' $(PYTEST) tests/system/freebsd

#: make check-dropin        the drop-ins in PostgreSQL, Redis, nginx, Node.js, OpenJDK, and the tests of OpenSSL itself
check-dropin:
	@tools/setup build test dropin
	$(call build,default,,$(CONFIGURE))
	$(call counted,default,CPRNG_DROPIN_LARGE=1,-j 1 -L dropin)

#: make check-bindings      the bindings of other languages, check-bindings-python and so on; BINDINGS=--short: a minute each
check-bindings: $(BINDINGS_OF:%=check-bindings-%)

$(BINDINGS_OF:%=check-bindings-%): check-%:
	@tools/setup $(filter-out bindings-rust,$(if $(filter %-python,$*),,bindings) $*)
	$(*:bindings-%=bindings/%/test) $(BINDINGS)

#: make wheels              the Python package for any Linux on x86-64, Windows and macOS (WHEELS="bookworm trixie": tried there)
# WHEELS=--short: for glibc, and on this machine, alone.
wheels:
	@tools/setup bindings-python $(if $(filter --short,$(WHEELS)),,wheels)
	bindings/python/wheels $(WHEELS)

#: make dist, check-dist    the release of this commit, with its list of components; that it is the same twice, and tests itself
#: make static              the same, and the command for any Linux on x86-64 and on AArch64, statically linked
dist:
	@tools/setup dist
	@packaging/dist $(BUILD)/dist

# The command is compiled by zig, as for `make check-port`.
static:
	@tools/setup dist command port
	@CPRNG_STATIC='$(STATIC)' packaging/dist $(BUILD)/dist

check-dist:
	@tools/setup dist build test port dist-test
	packaging/dist-test

#: make deb, check-conan, check-recipes Debian packages; the Conan package; RPM, Docker, Alpine, vcpkg, Nix and Homebrew
deb:
	@tools/setup deb
	packaging/deb

check-conan:
	@tools/setup build dist
	packaging/conan/test

check-recipes:
	@tools/setup library command dist recipes
	packaging/recipes-test

#: make check-newcomer      the README, word by word, in clean installations of Debian; the packages too, after make deb; NEWCOMER
check-newcomer:
	@tools/setup deb
	tests/system/newcomer/run $(NEWCOMER)

#: make check-site          the documentation's links and search; every program and command in it is run
check-site:
	@tools/setup build site site-test
	$(call build,default,cprng_shared cprng_static cprng_command cprng_dropins,$(CONFIGURE))
	$(PYTEST) tests/system/site --build $(BUILD)

#: make check-lab           builds the lab and tests it, without a measurement
check-lab:
	@tools/setup build run test report ct
	$(call build,lab,,$(CONFIGURE))
	$(CTEST) --preset lab

#: make lab-instructions    counts what emulators execute of engines and draws: lab/results/emulated.json again
# Exact, so that the kept file changes only with the code or a compiler.
lab-instructions:
	@tools/setup build cross instructions
	lab/instructions/run --jobs $(JOBS) --build $(BUILD)/instructions --json lab/results/emulated.json

#: make check-report, report-picture the report in a headless Chromium, which is installed; docs/images/lab-report.png again
check-report:
	@tools/setup build test report report-test
	$(call build,lab,cprng_lab,$(CONFIGURE))
	ctest --preset report

report-picture:
	@tools/setup build report report-test
	$(call build,lab,cprng_lab,$(CONFIGURE))
	$(BUILD)/cprng-lab report $(KEPT_RUN) -o $(BUILD)/kept-report.html
	/usr/bin/python3 -B tests/system/lab/report/picture.py $(BUILD)/kept-report.html docs/images/lab-report.png

#: make mutex, num-blocks, others, prng-params, reseed-countdown the benchmarks of the document of randp, with the lab
$(RANDP):
	@tools/setup build run
	@tools/quietly cmake --preset lab $(CONFIGURE)
	@tools/quietly --progress cmake --build --preset lab -j $(JOBS)
	@$(BUILD)/cprng-lab $(or $(RANDP_$@),sweep $@) --json $(BUILD)/randp-$@.json $(LAB_ARGS)
