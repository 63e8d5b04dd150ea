# SPDX-License-Identifier: BSD-2-Clause
#
# A thin front end for CMake; `make help` lists the targets.  Each target first installs missing packages (tools/setup, which asks
# unless the user is root).

.DEFAULT_GOAL = all
BUILD = build

# For `make`, `make install` and `make uninstall`; tools/install explains them.
PREFIX ?= /usr/local
DESTDIR ?=
LIBDIR ?=
COMMAND ?=
STRIP ?= yes
DEBUG_FILES ?= no
USER_BUILD ?=
INSTALL = PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' LIBDIR='$(LIBDIR)' COMMAND='$(COMMAND)' STRIP='$(STRIP)' \
	DEBUG_FILES='$(DEBUG_FILES)' USER_BUILD='$(USER_BUILD)' CONFIGURE='$(CONFIGURE)' tools/install

# Parallel jobs: one per processor, but at most 8, to limit memory use.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); [ "$$n" -le 8 ] || n=8; echo "$$n")
# Number of parallel tests.
CTEST = ctest -j $(shell expr $(JOBS) + 2)
# Prefer the distribution's interpreter, which has its pytest.
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

# Duration of `make check-soak` and `make check-fuzz`.
MINUTES ?= 10

# Pairs of boundaries that `make check-explore` tries for each operation and two events; -1: all of them, which takes many hours.
PAIRS ?= 300

# Another C library for `make check-soak` and `make check-explore`, on x86-64: musl, or glibc-2.31, of Debian 11 (tests/support/libc).
LIBC ?=

# More options of cmake for the targets that build in $(BUILD).
CONFIGURE ?=

# Missing packages: yes installs them, no does not; by default tools/setup asks.
SETUP ?=
export CPRNG_SETUP = $(SETUP)
export JOBS

# The parts that `make lab` runs, and their options.
LAB_COMMANDS ?= all others sizes choices draw sweep streams levels
LAB_ARGS ?=

# The benchmarks of the document of randp, by its names, with the commands of cprng-lab that are not sweeps (docs/lab.md).
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
MUTANTS_PROGRAMS = $(addprefix cprng_test_,copies_static-and-linked draw erasure fortuna fuzz interrupted lengths os seed_file unit) cprng_test_dropins

# The newest run; docs/lab.md has a picture of it.
KEPT_RUN = $(lastword $(sort $(wildcard lab/results/lab-*.json)))

# The architectures of CROSS on which the command is also compiled and tested, which takes most of the time.
CROSS = aarch64 s390x riscv64 ppc64el powerpc mips64el mips i686
CROSS_COMMAND ?= aarch64 s390x riscv64
# CROSS_TESTS='unit fortuna': only these tests.
CROSS_TESTS ?=

# make check-NAME for each.
CHECKS = large install soak explore fuzz ct erasure mutants mutants-sample proofs statistics statistics-large sanitize tsan msan cross cross-vm vm \
	posix port windows kernel kernel-mutants kernel-debug netbsd freebsd dropin bindings $(BINDINGS_OF:%=bindings-%) dist recipes \
	newcomer site lab report
BINDINGS_OF = python rust go java node

.NOTPARALLEL: # targets share directories, and each compiles in parallel
.PHONY: help all run install uninstall one test check lab site clean lint format setup wheels dist static deb
.PHONY: lab-instructions report-picture $(RANDP) $(CHECKS:%=check-%)

# cmake's own message would name the wrong cause.
define writable
@{ mkdir -p $(BUILD) && test -w $(BUILD); } 2>/dev/null || { \
	echo '$(BUILD) is not writable, which make $@ needs: only library and command can be built elsewhere (USER_BUILD=DIRECTORY)' >&2; exit 1; }
endef

# $(call build,PRESET,TARGETS,OPTIONS of cmake): build TARGETS, or all if empty.
define build
	$(writable)
	cmake --preset $(1) $(3)
	cmake --build --preset $(1) -j $(JOBS) $(if $(2),-t $(2))
endef

# Prints the comments that begin with "#:".
help:
	@sed -n 's/^#: \{0,1\}//p' Makefile

#: For users of the library (docs/installing.md):
#:
#: make                         compile build/user/cprng, libcprng.so and libcprng.a; COMMAND=no: only the library
#: make install                 install them into PREFIX; LIBDIR, DESTDIR, STRIP=no and DEBUG_FILES=yes
#: make uninstall               remove from PREFIX the files that make install put there
#: make run                     the tour: what the library does, and how fast; TOUR=--quick: shorter
#: make one                     the library as two files, for any compiler: build/one/cprng.c and cprng.h
#: make test                    build and test library and command: two minutes on two processors
#: make lab                     all measurements; the report is build/lab-report.html; LAB_ARGS=--quick: shorter
#: make site                    the documentation as a site with search: build/site/index.html
#: make clean                   remove build/
#: SETUP=yes installs missing packages, SETUP=no does not; by default make asks.
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

# $(call counted,PRESET,ENVIRONMENT,OPTIONS): run ctest with a line for each test, the failures, and a last line with the counts.
counted = @status=0; $(2) $(CTEST) --preset $(1) $(3) --no-label-summary --output-junit results.xml \
	--test-output-size-passed 1000000 --test-output-size-failed 1000000 $(TESTS) || status=1; \
	tests/support/results $(BUILD)/results.xml && exit $$status

test:
	$(writable)
	@tools/setup build basic
	@echo 'compiling library, command and tests, which takes a minute or two'
	@tools/quietly cmake --preset default $(CONFIGURE)
	@tools/quietly --progress cmake --build --preset basic -j $(JOBS)
	$(call counted,basic)

lab:
	$(writable)
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
#: For changes to it; docs/testing.md says what each kind of test compares, and what it finds:
#:
#: make lint                    style, includes, symbols, spelling, manual pages, static analysis; gcc and clang without a warning
#: make format                  format C, C++ and Python files
#: make setup                   install the packages of all targets
lint:
	@tools/setup build run test lint
	@tools/lint

format:
	@tools/setup lint
	@tools/format

setup:
	tools/setup build run basic test proofs dropin ct lint fuzz cross cross-mips cross-vm port instructions vm report report-test site site-test dist deb recipes kernel kernel-debug windows bindings bindings-python wheels bindings-java
	tools/setup bindings-node bindings-go

#: make check                   all other tests of library and command: 6 minutes on two processors after make test
check:
	@echo 'make check: 6 minutes on two processors after make test, of which compiling takes 2'
	@tools/setup build test
	$(call build,default,,$(CONFIGURE))
	$(call counted,check)

#: make check-large             make test, make check and make check-install with ten times the draws, signals, forks and experiments
check-large:
	CPRNG_TEST_LARGE=1 $(MAKE) test
	CPRNG_TEST_LARGE=1 $(MAKE) check
	CPRNG_TEST_LARGE=1 $(MAKE) check-install

#: make check-install           the source as users build it: make install, the one file by other compilers, musl, a release
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

#: make check-soak              draws under all events that can interrupt them, and no output twice; MINUTES=n, LIBC=musl, SOAK=OPTIONS
check-soak:
	$(call large,soak,$$build/tests/soak --minutes=$(MINUTES) --evidence=$(BUILD)/soak-evidence.txt $(SOAK))

#: make check-explore           each operation step by step, with an event at each step; PAIRS=n, LIBC=musl, EXPLORE=OPTIONS
check-explore:
	$(call large,explore,status=0; \
	$$build/tests/explore --pairs=$(PAIRS) $(EXPLORE) || status=1; \
	CPRNG_PLACEMENT=slots $$build/tests/explore --pairs=$(PAIRS) $(EXPLORE) || status=1; \
	$$build/tests/explore --placement=unbuffered --pairs=$(PAIRS) $(EXPLORE) || status=1; \
	exit $$status)

#: make check-fuzz              search for inputs at which library or command differ from a model; MINUTES=n, FUZZ=TARGETS
check-fuzz:
	@tools/setup build fuzz
	$(call build,fuzz,,-DCMAKE_C_COMPILER=$$(tools/llvm clang) -DCMAKE_CXX_COMPILER=$$(tools/llvm clang++))
	tests/fuzz/run $(BUILD)/fuzz --minutes $(MINUTES) $(FUZZ)

#: make check-ct                whether the timing of any engine depends on its key, by valgrind and by the clock
check-ct:
	@tools/setup build ct
	$(call build,lab,cprng_ct,$(CONFIGURE))
	tests/promises/7-no-timing/run --json $(BUILD)/ct.json $(BUILD)/cprng-ct

#: make check-erasure           whether memory keeps served bytes or keys, for each compiler and level of optimisation
check-erasure:
	@tools/setup build lint
	tests/promises/3-erased/whole_memory/run . $(BUILD)/erasure

#: make check-mutants           put defects into the library, each of which a named test must detect; MUTANTS_ARGS=OPTIONS
#: make check-mutants-sample    MUTANTS=n of these defects, at least one of each kind
check-mutants check-mutants-sample:
	@tools/setup build test
	$(call build,default,$(MUTANTS_PROGRAMS),$(CONFIGURE))
	tests/mutants/run --build $(BUILD) $(if $(filter %-sample,$@),--sample $(MUTANTS) --seed $(MUTANTS_SEED)) $(MUTANTS_ARGS)

#: make check-proofs            models of generations and keys by SPIN, in every order of their steps; the buffer by CBMC
# Without CBMC, which Debian 13 has, its proofs are skipped.
check-proofs:
	@tools/setup proofs
	CPRNG_TEST_LARGE=1 $(PYTEST) tests/proofs

#: make check-statistics        numbers of streams in some tests of dieharder
#: make check-statistics-large  in all of them, which takes hours; PractRand and TestU01 if they are installed
# The large form includes PractRand and TestU01 if they are installed (docs/streams.md).
check-statistics check-statistics-large:
	@tools/setup build statistics
	$(call build,default,cprng_static,$(CONFIGURE))
	tests/statistics/run $(BUILD) $(if $(filter %-large,$@),large,short)

#: make check-sanitize          under the address and undefined-behaviour sanitizers; SANITIZE=short or library: parts
#: make check-tsan              Fortuna, and draws beside invalidations, under the thread sanitizer
#: make check-msan              functions that write, in programs with clang's MemorySanitizer
# short: tests of each part in one placement, without lengths and the tests of the command, which start it thousands of times.
# library: also without the command's parts and interrupted, and with draws, a part of draw's cases, instead of draw.
SANITIZE_TARGETS := unit fortuna os seed_file $(if $(filter short,$(SANITIZE)),interrupted draw cli,draws)
SANITIZE_TESTS := unit-all|fortuna|os|seed-file|$(if $(filter short,$(SANITIZE)),interrupted|draw-automatic|cli-parts,draws-automatic)
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

#: make check-cross             build for CROSS=ARCHITECTURES, and test in an emulator; CROSS_TESTS='unit fortuna': only these tests
# On i686, with its older floating-point instructions, each compiler's numbers are also compared.
check-cross:
	@tools/setup build cross $(if $(filter mips%,$(CROSS)),cross-mips)
	set -e; for arch in $(CROSS); do \
		case ' $(CROSS_COMMAND) ' in *" $$arch "*) command=ON ;; *) command=OFF ;; esac; \
		cmake --preset $$arch -DCPRNG_COMMAND=$$command; \
		cmake --build --preset $$arch -j $(JOBS) $(if $(CROSS_TESTS),-t $(CROSS_TESTS:%=cprng_test_%)); \
		$(CTEST) --preset $$arch $(if $(CROSS_TESTS),-R '^($(shell echo $(CROSS_TESTS) | tr ' ' '|'))'); \
	done
	$(if $(filter i686,$(CROSS)),tests/unit/numbers/run $(BUILD)/numbers)

#: make check-cross-vm          tests of draws on AArch64 in an emulated machine, whose kernel has restartable sequences
# CROSS_VM_ARGS: options of pytest.
check-cross-vm:
	@tools/setup build cross vm cross-vm port
	$(call build,aarch64,cprng_test_draw cprng_test_unit cprng_test_lengths cprng_test_os)
	tests/vm/run build -k aarch64 $(CROSS_VM_ARGS)

#: make check-vm                clones of virtual machines and other x86-64 processors, emulated, with kernels of the distribution
check-vm:
	@tools/setup build vm
	$(call build,default,cprng_vm_draw cprng_command cprng_test_unit cprng_test_erasure,$(CONFIGURE))
	tests/vm/run $(BUILD)

#: make check-posix             the library on POSIX alone, and with the layers of the BSDs and macOS
check-posix:
	@tools/setup build test
	$(call build,posix,,-DCPRNG_COMMAND=ON)
	cmake --build --preset posix -j $(JOBS) -t cprng_command
	$(CTEST) --preset posix
	for system in bsd macos; do \
		cmake --preset $$system && cmake --build --preset $$system -j $(JOBS) && $(CTEST) --preset $$system || exit 1; \
	done

#: make check-port              the one file by zig for other systems, run where possible; PORT=TARGETS: only these
check-port:
	@tools/setup port $(if $(filter bullseye,$(or $(PORT),bullseye)),deb)
	tests/system/port/run $(BUILD)/port $(PORT)

#: make check-windows           library, command and bindings for Windows, under wine; WINDOWS=--short or --bindings
check-windows:
	@tools/setup windows $(if $(filter --short,$(WINDOWS)),,port bindings-python wheels bindings-node)
	tests/system/windows/run $(BUILD)/windows $(WINDOWS)

#: make check-kernel            the Linux module in emulated machines
#: make check-kernel-mutants    put defects into the module, each of which a test must detect
#: make check-kernel-debug      check-kernel in a kernel that checks locks and memory
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

#: make check-netbsd            the drop-ins in NetBSD's kernel; NETBSD=DIRECTORY has its sources (docs/netbsd.md)
#: make check-freebsd           the drop-in in FreeBSD's random(4); FREEBSD=DIRECTORY has its files (docs/freebsd.md)
# Without sources, NetBSD's is skipped and prints the commands that get them; FreeBSD's uses stubs, as in `make check`.
check-netbsd:
	@tools/setup build test
	NETBSD='$(NETBSD)' $(PYTEST) tests/system/netbsd

check-freebsd:
	@tools/setup build test freebsd
	FREEBSD='$(FREEBSD)' $(PYTEST) tests/system/freebsd

#: make check-dropin            the drop-ins in PostgreSQL, Redis, nginx, Node.js and OpenJDK, and OpenSSL's own tests
check-dropin:
	@tools/setup build test dropin
	$(call build,default,,$(CONFIGURE))
	$(call counted,default,CPRNG_DROPIN_LARGE=1,-j 1 -L dropin)

#: make check-bindings          the bindings of other languages; BINDINGS=--short: a minute for each
#: make check-bindings-python   also -rust, -go, -java, -node: one of them
check-bindings: $(BINDINGS_OF:%=check-bindings-%)

$(BINDINGS_OF:%=check-bindings-%): check-%:
	@tools/setup $(filter-out bindings-rust,$(if $(filter %-python,$*),,bindings) $*)
	$(*:bindings-%=bindings/%/test) $(BINDINGS)

#: make wheels                  the Python package for Linux on x86-64, Windows and macOS; WHEELS="bookworm trixie": try it there
# WHEELS=--short: only for glibc, and only tried on this machine.
wheels:
	@tools/setup bindings-python $(if $(filter --short,$(WHEELS)),,wheels)
	bindings/python/wheels $(WHEELS)

#: make dist                    the release of this commit with its list of components
#: make check-dist              make the release twice and compare; build, test and install it
#: make static                  the release, and the statically linked command for Linux on x86-64 and AArch64
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

#: make deb                     Debian packages
#: make check-recipes           the recipes for RPM, Docker, Alpine, vcpkg and Conan
deb:
	@tools/setup deb
	packaging/deb

check-recipes:
	@tools/setup library command dist recipes
	packaging/recipes-test

#: make check-newcomer          the README, word by word, in clean installations of Debian; NEWCOMER=WAYS
check-newcomer:
	@tools/setup deb
	tests/system/newcomer/run $(NEWCOMER)

#: make check-site              links and search of the documentation; run its programs and commands
check-site:
	@tools/setup build site site-test
	$(call build,default,cprng_shared cprng_static cprng_command cprng_dropins,$(CONFIGURE))
	$(PYTEST) tests/system/site --build $(BUILD)

#: make check-lab               build the lab and test it, without a measurement
check-lab:
	@tools/setup build run test report ct
	$(call build,lab,,$(CONFIGURE))
	$(CTEST) --preset lab

#: make lab-instructions        count the instructions of engines and draws in emulators, for lab/results/emulated.json
# Exact, so that the kept file changes only with the code or a compiler.
lab-instructions:
	@tools/setup build cross instructions
	lab/instructions/run --jobs $(JOBS) --build $(BUILD)/instructions --json lab/results/emulated.json

#: make check-report            the lab's report in a headless Chromium
#: make report-picture          make docs/images/lab-report.png again
check-report:
	@tools/setup build test report report-test
	$(call build,lab,cprng_lab,$(CONFIGURE))
	ctest --preset report

report-picture:
	@tools/setup build report report-test
	$(call build,lab,cprng_lab,$(CONFIGURE))
	$(BUILD)/cprng-lab report $(KEPT_RUN) -o $(BUILD)/kept-report.html
	/usr/bin/python3 -B tests/system/lab/report/picture.py $(BUILD)/kept-report.html docs/images/lab-report.png

#: make mutex                   also num-blocks, others, prng-params, reseed-countdown: the benchmarks of the document of randp
$(RANDP):
	@tools/setup build run
	@tools/quietly cmake --preset lab $(CONFIGURE)
	@tools/quietly --progress cmake --build --preset lab -j $(JOBS)
	@$(BUILD)/cprng-lab $(or $(RANDP_$@),sweep $@) --json $(BUILD)/randp-$@.json $(LAB_ARGS)
