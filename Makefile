# SPDX-License-Identifier: BSD-2-Clause
#
# A thin front for CMake; `make help` lists the targets.  Whatever needs packages of the distribution installs those
# that are missing first (tools/packages; SETUP=no forbids it).

PREFIX ?= /usr/local
BUILD = build

# Parallel jobs: as many as processors, but no more than 8, for the sake of memory.
JOBS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); [ "$$n" -le 8 ] || n=8; echo "$$n")

SETUP ?= yes
export CPRNG_SETUP = $(SETUP)
export JOBS

CROSS = aarch64 s390x riscv64

.PHONY: help all run test ct-test install lint format cross-test sanitize tsan vm-test kernel-test setup clean

help:
	@echo 'make run           the tour: what the library does, and how fast'
	@echo 'make test          all tests, on every level of instruction set that this CPU has'
	@echo 'make ct-test       does any timing depend on a key? every engine, under valgrind or by the clock'
	@echo 'make all           build only: build/cprng, build/libcprng.so, build/libcprng.a, build/tests/'
	@echo 'make install       into PREFIX ($(PREFIX)); DESTDIR is honoured'
	@echo 'make lint          style, includes, symbols, spelling, manual pages; gcc and clang without a warning'
	@echo 'make format        rewrite the sources in the style of .clang-format'
	@echo 'make cross-test    build and test for $(CROSS), emulated'
	@echo 'make sanitize      the tests under the address and undefined-behaviour sanitizers'
	@echo 'make tsan          the tests of Fortuna under the thread sanitizer'
	@echo 'make vm-test       in emulated virtual machines, whose kernels come from the distribution: clones'
	@echo 'make kernel-test   the kernel module, in the same'
	@echo 'make setup         install every package that any of these needs'
	@echo 'make clean         remove $(BUILD)/'
	@echo 'Variables: JOBS=$(JOBS)  PREFIX=$(PREFIX)  DESTDIR=$(DESTDIR)  SETUP=$(SETUP)'

all:
	@tools/setup build
	cmake --preset default
	cmake --build --preset default -j $(JOBS)

run:
	@tools/setup build run
	@tools/run

test:
	@tools/setup build test
	cmake --preset default
	cmake --build --preset default -j $(JOBS)
	ctest --preset default -j $(JOBS)

ct-test:
	@tools/setup build ct
	cmake --preset default
	cmake --build --preset default -j $(JOBS) -t cprng_ct
	tests/ct/run $(BUILD)/cprng-ct

install:
	@tools/setup build
	cmake --preset default
	cmake --build --preset default -j $(JOBS) -t cprng_shared cprng_static cprng_command
	DESTDIR='$(DESTDIR)' cmake --install $(BUILD) --prefix '$(PREFIX)'
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" -eq 0 ]; then ldconfig; fi

lint:
	@tools/setup build run test lint
	@tools/lint

format:
	@tools/setup lint
	@tools/format

cross-test:
	@tools/setup build cross
	set -e; for arch in $(CROSS); do \
		cmake --preset $$arch; \
		cmake --build --preset $$arch -j $(JOBS); \
		ctest --preset $$arch -j $(JOBS); \
	done

sanitize:
	@tools/setup build test
	cmake --preset sanitize
	cmake --build --preset sanitize -j $(JOBS)
	ctest --preset sanitize -j $(JOBS)

tsan:
	@tools/setup build test
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS)

vm-test:
	@tools/setup build vm
	tests/vm/run

kernel-test:
	@tools/setup build vm kernel
	tests/kernel/run

setup:
	tools/setup build run test ct lint cross vm kernel

clean:
	rm -rf $(BUILD)
