// SPDX-License-Identifier: BSD-2-Clause
// The BSD layer over shims of the BSDs' calls on Linux (support/bsd/calls.c).  CPRNG_TEST_BSD chooses the calls that fail.
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "doctest/doctest.h"

#include <cerrno>
#include <cstdlib>
#include <string>

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#if CPRNG_TEST_OS_BSD
extern "C" struct {
	std::uint32_t version, generation;
	std::uint64_t reserved;
} cprng_test_fxrng;
#endif

namespace {

const std::string mode = [] {
	const char *const set = std::getenv("CPRNG_TEST_BSD");
	return std::string(set != nullptr ? set : "");
}();

const char *const fork_guard = CPRNG_TEST_OS_MACOS ? "none-on-fork" : "wipe-on-fork";
const bool zeroes_pages = mode.empty() || mode == "no-page";

} // namespace

// Catches a system call for each draw on a BSD, and buffers that a fork copies.
TEST_CASE("bsd: buffers are slots where a fork zeroes pages, and there are none elsewhere")
{
	struct cprng_info info = {};

	cprng_get_info(&info, sizeof(info));
	CHECK(std::string(info.placement) == (zeroes_pages ? "slots" : "unbuffered"));
	CHECK(std::string(info.fork_guard) == (zeroes_pages ? fork_guard : "unbuffered"));
}

// Catches AES in software on a CPU with AES instructions, a feature reported that only Linux has, and a changed errno.
TEST_CASE("bsd: the system's report of the CPU's features is read, in Linux's words")
{
	errno = 99;
	CHECK(cprng_port_hwcap(1) == (mode == "old" ? 0 : 8));
	CHECK(cprng_port_hwcap(2) == (mode == "old" || CPRNG_TEST_OS_MACOS ? 0 : 1 << 16));
	CHECK(errno == 99);
}

#if CPRNG_TEST_OS_BSD
// Catches buffered bytes that are served after the kernel has announced a reseed, and invalidations without a reseed.
TEST_CASE("bsd: a refill after a reseed of the kernel's generator is of a new generation")
{
	struct cprng_process *const p = cprng_process();
	unsigned char bytes[600];

	SKIP_IF(!zeroes_pages, "no buffers");
	CHECK((p->announcements == nullptr) == (mode == "no-page"));
	cprng_fast(bytes, sizeof(bytes));
	const std::uint64_t before = cprng_generation(p);
	cprng_fast(bytes, sizeof(bytes));
	CHECK(cprng_generation(p) == before);
	__atomic_fetch_add(&cprng_test_fxrng.generation, 1, __ATOMIC_RELEASE);
	cprng_fast(bytes, sizeof(bytes));
	CHECK((cprng_generation(p) != before) == (mode != "no-page"));
}

// Catches a program's object that loses its seed whenever the kernel's generator is reseeded.
TEST_CASE("bsd: a reseed of the kernel's generator leaves Fortuna objects seeded")
{
	unsigned char bytes[600] = {};
	cprng_fortuna *f;

	SKIP_IF(!zeroes_pages, "no buffers, so no objects");
	REQUIRE(cprng_fortuna_new(&f, nullptr, 0) == CPRNG_OK);
	cprng_fast(bytes, sizeof(bytes)); // the first draw notices no change, whatever value the kernel shows
	REQUIRE(cprng_fortuna_seed(f, bytes, sizeof(bytes)) == CPRNG_OK);
	__atomic_fetch_add(&cprng_test_fxrng.generation, 1, __ATOMIC_RELEASE);
	cprng_fast(bytes, sizeof(bytes));
	CHECK(cprng_fortuna_read(f, bytes, sizeof(bytes)) == CPRNG_OK);
	cprng_invalidate();
	CHECK(cprng_fortuna_read(f, bytes, sizeof(bytes)) == CPRNG_ERR_UNSEEDED);
	cprng_fortuna_free(f);
}
#else

extern "C" void (*cprng_test_before_minherit)();

namespace {

// Called in the child before the library's fork handler.
void (*in_child)() = nullptr;

__attribute__((constructor(101))) void register_first()
{
	pthread_atfork(nullptr, nullptr, [] {
		if (in_child != nullptr)
			in_child();
	});
}

struct cprng_process *process;

int status_of_child(pid_t pid)
{
	if (pid == 0) {
		signal(SIGSEGV, SIG_DFL);
		unsigned char bytes[16];
		cprng_fast(bytes, sizeof(bytes));
		_exit(0);
	}
	REQUIRE(pid > 0);
	return machine::status_of(pid);
}

} // namespace

// Catches a copy of the process that keeps the pages, and with them its parent's output.
TEST_CASE("macos: a child that runs no handlers ends with a fault at its first draw")
{
	SKIP_IF(!zeroes_pages, "no buffers");
	(void)cprng_fast64();
	const int status = status_of_child(machine::raw_fork());
	CHECK(WIFSIGNALED(status));
	CHECK(WTERMSIG(status) == SIGSEGV);
	CHECK(status_of_child(fork()) == 0);
}

// Catches another mapping of the child that the library replaces or uses as buffers.
TEST_CASE("macos: a child that has other memory at the addresses of the buffers ends")
{
	SKIP_IF(!zeroes_pages, "no buffers");
	(void)cprng_fast64();
	process = cprng_process();
	in_child = [] {
		const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
		signal(SIGABRT, SIG_DFL);
		const std::size_t len = process->mapped - process->kept;
		if (mmap(process->fork_state, len, PROT_READ | PROT_WRITE, flags, -1, 0) != process->fork_state)
			_exit(2);
	};
	const int status = status_of_child(fork());
	in_child = nullptr;
	CHECK(WIFSIGNALED(status));
	CHECK(WTERMSIG(status) == SIGABRT);
}

// Catches a signal handler that draws in a child that lacks the pages.
TEST_CASE("macos: a signal in a child is handled when the pages are there")
{
	static unsigned char bytes[16];

	SKIP_IF(!zeroes_pages, "no buffers");
	(void)cprng_fast64();
	signal(SIGUSR1, [](int) { cprng_fast(bytes, sizeof(bytes)); });
	in_child = [] { raise(SIGUSR1); };
	CHECK(status_of_child(fork()) == 0);
	in_child = nullptr;
	signal(SIGUSR1, SIG_DFL);
	// The signal must not stay blocked in the parent either.
	sigset_t blocked;
	REQUIRE(pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0);
	CHECK(sigismember(&blocked, SIGUSR1) == 0);
}

// Catches a child that aborts because its parent was about to create an object.
TEST_CASE("macos: a fork while another thread makes an object")
{
	static int status;
	cprng_fortuna *object = nullptr;

	SKIP_IF(!zeroes_pages, "no buffers, so no objects");
	(void)cprng_fast64();
	status = -1;
	cprng_test_before_minherit = [] {
		cprng_test_before_minherit = nullptr;
		status = status_of_child(fork());
	};
	CHECK(cprng_fortuna_new(&object, nullptr, 0) == CPRNG_OK);
	CHECK(status == 0);
	cprng_fortuna_free(object);
}

// Catches a page that a child maps again although its parent has unmapped it, and a page of many that a child lacks.
TEST_CASE("macos: a child has the pages of each object, and of none that is gone")
{
	cprng_fortuna *objects[200];
	unsigned char seed[64] = { 1 };

	SKIP_IF(!zeroes_pages, "no buffers, so no objects");
	for (cprng_fortuna *&f : objects) {
		REQUIRE(cprng_fortuna_new(&f, nullptr, 0) == CPRNG_OK);
		REQUIRE(cprng_fortuna_seed(f, seed, sizeof(seed)) == CPRNG_OK);
	}
	const std::size_t page = cprng_os_page_size();
	char *const gone = reinterpret_cast<char *>(objects[100]) + page;
	cprng_fortuna_free(objects[100]);
	objects[100] = nullptr;
	const pid_t pid = fork();
	if (pid == 0) {
		unsigned char resident;
		for (cprng_fortuna *f : objects)
			if (f != nullptr && cprng_fortuna_read(f, seed, 16) != CPRNG_ERR_UNSEEDED)
				_exit(1);
		_exit(mincore(gone, page, &resident) == 0 ? 2 : 0);
	}
	CHECK(machine::status_of(pid) == 0);
	for (cprng_fortuna *f : objects)
		cprng_fortuna_free(f);
}
#endif
