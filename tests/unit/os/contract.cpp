// SPDX-License-Identifier: BSD-2-Clause
// The contract of os.h: memory, processes and threads, waiting, clocks, entropy, virtual machines, the fatal message.
#include "../../support/filters.hpp"
#include "../../support/scenario.hpp"
#include "../../support/filled.hpp"
#include "support.hpp"
#include "every_system.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif

namespace {

const std::size_t page = cprng_os_page_size();

// Mapped through os.h; the destructor unmaps it.
class Pages {
public:
	explicit Pages(std::size_t count) : len(count * page), bytes(static_cast<std::uint8_t *>(cprng_os_map(len)))
	{
		REQUIRE(bytes != nullptr);
	}

	~Pages()
	{
		cprng_os_unmap(bytes, len);
	}

	Pages(const Pages &) = delete;
	Pages &operator=(const Pages &) = delete;

	bool all(std::uint8_t byte) const
	{
		return filled::first_other(bytes, len, byte) == len;
	}

	const std::size_t len;
	std::uint8_t *const bytes;
};

bool is_mapped(void *p)
{
	return msync(p, cprng_os_page_size(), MS_ASYNC) == 0;
}

// Locked memory in KiB.
long locked_kib()
{
	std::ifstream status("/proc/self/status");
	std::string word;
	long value = 0;

	while (status >> word && word != "VmLck:") {
	}
	status >> value;
	return value;
}

} // namespace

// Catches a page size other than the system's.
TEST_CASE("os: a page is a power of two, of 4096 bytes at the least")
{
	CHECK(page >= 4096);
	CHECK((page & (page - 1)) == 0);
	CHECK(page == static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

// Catches memory that is shared with a child, a page that stays mapped, and an unreported failure.
TEST_CASE("os: mapped memory is zero, private, and gone when it is unmapped")
{
	void *const p = cprng_os_map(3 * page);

	REQUIRE(p != nullptr);
	CHECK(reinterpret_cast<std::uintptr_t>(p) % page == 0);
	CHECK(filled::first_other(static_cast<std::uint8_t *>(p), 3 * page, 0) == 3 * page);
	CHECK(holds_in_child(false, [&] {
		std::memset(p, 0x5a, 3 * page);
		return true;
	}));
	CHECK(filled::first_other(static_cast<std::uint8_t *>(p), 3 * page, 0) == 3 * page);
	cprng_os_unmap(p, 3 * page);
	for (std::size_t i = 0; i < 3; i++)
		CHECK_FALSE(is_mapped(static_cast<std::uint8_t *>(p) + i * page));
	CHECK(cprng_os_map(SIZE_MAX / 2 / page * page) == nullptr);
}

// Catches a promised wipe that does not happen, that happens only in children and not in grandchildren, or that hits other
// pages.
TEST_CASE("os: a child reads zeros where the system wipes, and its parent what it wrote")
{
	Pages wiped(2), kept(1);
	const bool wipes = cprng_os_wipe_on_fork(wiped.bytes, wiped.len);

	CHECK(wipes == (linux_or_bsd && !machine::emulated()));
	// Ask a second time, as after a restored checkpoint.
	CHECK(cprng_os_wipe_on_fork(wiped.bytes, wiped.len) == wipes);
	std::memset(wiped.bytes, 0x5a, wiped.len);
	std::memset(kept.bytes, 0x5a, kept.len);
	for (bool raw : { false, true }) {
		CHECK(holds_in_child(raw, [&] { return kept.all(0x5a); }));
		if (raw && wipes && lacks_pages) {
			CHECK(holds_in_child(true, [&] { return !is_mapped(wiped.bytes); }));
			continue;
		}
		CHECK(holds_in_child(raw, [&] { return wipes ? wiped.all(0) : wiped.all(0x5a); }));
		// The wipe also happens in grandchildren.
		CHECK(holds_in_child(raw, [&] {
			std::memset(wiped.bytes, 0x5a, wiped.len);
			return holds_in_child(raw, [&] { return !wipes || wiped.all(0); });
		}));
	}
	CHECK(wiped.all(0x5a));
}

// Catches a memory lock that reports success although it misses a page, and advice that changes the bytes.
TEST_CASE("os: locked memory is counted as such, wherever in a page it begins")
{
	Pages pages(3);
	const long before = locked_kib();

	std::memset(pages.bytes, 0x5a, pages.len);
	cprng_os_use_small_pages(pages.bytes, pages.len);
	// The first page's last byte and the second page's first.
	const bool locked = cprng_os_lock_memory(pages.bytes + page - 1, 2);
	CHECK(pages.all(0x5a));
	SKIP_IF(!locked, "no memory may be locked here");
	SKIP_IF(machine::emulated(), "the emulator only pretends to lock memory");
	CHECK(locked_kib() - before == static_cast<long>(2 * page / 1024));
}

// Catches a failed memory lock that counts as success.
TEST_CASE("os: memory that is not there cannot be locked")
{
	void *const p = cprng_os_map(page);

	REQUIRE(p != nullptr);
	cprng_os_unmap(p, page);
	SKIP_IF(machine::emulated(), "the emulator pretends");
	CHECK_FALSE(cprng_os_lock_memory(p, page));
}

// Catches a PID cached across a fork.
TEST_CASE("os: the number of the process differs in a child, however it is made")
{
	const long parent = cprng_os_process_id();

	CHECK(parent == getpid());
	for (bool raw : { false, true })
		CHECK(holds_in_child(raw, [&] {
			return cprng_os_process_id() == static_cast<long>(getpid()) && cprng_os_process_id() != parent;
		}));
	CHECK(cprng_os_process_id() == parent);
}

// Catches a thread number that two threads have, that a call or a fork changes, or that uses the bit reserved for locks.
TEST_CASE("os: a thread has a number of its own, in a forked child too")
{
	std::vector<std::uintptr_t> numbers(16);
	std::vector<std::thread> threads;
	std::atomic<std::size_t> arrived{ 0 };
	std::atomic<bool> kept{ true };

	for (std::uintptr_t &number : numbers)
		threads.emplace_back([&] {
			number = cprng_os_this_thread();
			arrived++;
			while (arrived != numbers.size())
				std::this_thread::yield();
			for (bool raw : { false, true }) {
				if (!holds_in_child(raw, [&] { return cprng_os_this_thread() == number; }))
					kept = false;
			}
			if (cprng_os_this_thread() != number)
				kept = false;
		});
	for (std::thread &thread : threads)
		thread.join();
	CHECK(kept);
	numbers.push_back(cprng_os_this_thread());
	for (std::uintptr_t number : numbers) {
		CHECK(number != 0);
		CHECK(number % 2 == 0);
		CHECK(std::count(numbers.begin(), numbers.end(), number) == 1);
	}
}

// Catches a later thread that counts as the first, and a forked child whose only thread does not.
TEST_CASE("os: only the thread with which a process began is its first")
{
	const auto in_thread = [](auto check) {
		bool result = false;
		std::thread([&] { result = check(); }).join();
		return result;
	};

	CHECK(cprng_os_is_first_thread() == linux_or_bsd);
	CHECK_FALSE(in_thread([] { return cprng_os_is_first_thread(); }));
	// The forking thread is the child's first thread.
	CHECK(in_thread(
		[] { return holds_in_child(false, [] { return cprng_os_is_first_thread() == linux_or_bsd; }); }));
	// No other thread of that child is its first.  In a grandchild, the thread that forked again is.
	CHECK(in_thread([in_thread] {
		return holds_in_child(false, [in_thread] {
			return !in_thread([] { return cprng_os_is_first_thread(); }) && in_thread([] {
				return holds_in_child(false, [] { return cprng_os_is_first_thread() == linux_or_bsd; });
			});
		});
	}));
}

#ifdef __linux__ // a thread ends past the C library
// Catches a wrong exit word, and an exit word that is never cleared.
TEST_CASE("os: the system clears the exit word of a thread that ends")
{
	std::uint32_t *word = nullptr;
	const long r = cprng_os_get_exit_word(&word);

	SKIP_IF(machine::emulated(), "the emulator has its own exit words");
	if (r < 0) {
		CHECK_FALSE(all_of_linux);
		CHECK(cprng_os_set_exit_word(word) < 0);
		return;
	}
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the thread ends without the C library");
	// Runs in a child, because the C library waits on words that it has set itself.
	CHECK(holds_in_child(false, [] {
		static std::uint32_t mine = 1;
		pthread_t thread;

		const auto end = [](void *) -> void * {
			std::uint32_t *now = nullptr;
			if (cprng_os_set_exit_word(&mine) < 0 || cprng_os_get_exit_word(&now) < 0 || now != &mine)
				_exit(2);
			syscall(SYS_exit, 0);
			return nullptr;
		};
		if (pthread_create(&thread, nullptr, end, nullptr) != 0)
			return false;
		while (__atomic_load_n(&mine, __ATOMIC_ACQUIRE) != 0)
			sched_yield();
		return true;
	}));
}
#endif

// Catches a limit that a CPU number reaches.
TEST_CASE("os: the number of every CPU is below the limit")
{
	const std::uint32_t limit = cprng_os_cpu_limit();

	CHECK((limit != 0) == linux_or_bsd);
	if (limit != 0) {
		for (int cpu : machine::cpus())
			CHECK(static_cast<std::uint32_t>(cpu) < limit);
	}
}

// Catches a wait for a value that has already changed, and a wake that wakes no thread.
TEST_CASE("os: a wait ends when the word has another value, or is woken")
{
	every_system::check_waits();
}

// Catches a sleep that is too short, and a sleep that restarts after a signal.
TEST_CASE("os: a sleep lasts as long as was asked for, unless a signal handler runs")
{
	const std::uint64_t begin = cprng_os_nanoseconds();

	CHECK(cprng_os_sleep(0) == 0);
	CHECK(cprng_os_sleep(3000000) == 0);
	CHECK(cprng_os_nanoseconds() - begin >= 3000000);

	// The kernel's clock ends this sleep long before the second is over, however late the process runs again.
	struct sigaction old = {}, handler = {};
	const itimerval timer = { { 0, 1000 }, { 0, 1000 } }, stopped = {};
	handler.sa_handler = [](int) {};
	REQUIRE(sigaction(SIGALRM, &handler, &old) == 0);
	REQUIRE(setitimer(ITIMER_REAL, &timer, nullptr) == 0);
	CHECK(cprng_os_sleep(999999999) == -EINTR);
	setitimer(ITIMER_REAL, &stopped, nullptr);
	sigaction(SIGALRM, &old, nullptr);
}

// Catches a clock that goes backwards or stands still, and seconds from another clock.
TEST_CASE("os: clocks go on, never back, and agree")
{
	const std::uint64_t begin = cprng_os_nanoseconds();
	std::uint64_t last = begin;

	REQUIRE(begin != 0);
	for (int i = 0; i < 100000 || last == begin; i++) {
		const std::uint32_t seconds = cprng_os_seconds();
		const std::uint64_t now = cprng_os_nanoseconds();
		REQUIRE(now >= last);
		// The coarse clock may lag by a tick.
		REQUIRE(seconds + 1 >= last / 1000000000);
		REQUIRE(seconds <= now / 1000000000);
		last = now;
	}
}

// Catches the milliseconds of another clock or since another date.
TEST_CASE("os: the date agrees with the C library's")
{
	const std::time_t before = std::time(nullptr);
	std::uint64_t milliseconds = 0;

	REQUIRE(cprng_os_unix_milliseconds(&milliseconds) == 0);
	// time(2) may lag by a tick.
	CHECK(milliseconds / 1000 >= static_cast<std::uint64_t>(before));
	CHECK(milliseconds / 1000 <= static_cast<std::uint64_t>(std::time(nullptr)) + 1);
}

// Catches a truncated length, an unfilled byte, and a write beyond the end.
TEST_CASE("os: entropy fills every length, and nothing else")
{
	every_system::check_entropy(machine::slow() ? 7 : 1);
	CHECK(std::strlen(cprng_os_entropy_name) != 0);
	CHECK(std::strlen(cprng_os_vdso_name) != 0);
}

#ifdef __linux__ // filters
// Catches a system error that counts as bytes.
TEST_CASE("os: entropy that the system refuses is an error")
{
	SKIP_IF(machine::emulated(), "no filters for system calls");
	const pid_t pid = fork();
	if (pid == 0) {
		std::uint8_t bytes[600];
		filters::refuse(SYS_getrandom, EPERM);
		const bool reported = cprng_os_entropy(bytes, 16) == -EPERM &&
				      cprng_os_entropy(bytes, sizeof(bytes)) == -EPERM;
		_exit(reported ? 0 : 1);
	}
	REQUIRE(pid > 0);
	const int status = machine::status_of(pid);
	REQUIRE(WIFEXITED(status));
	SKIP_IF(WEXITSTATUS(status) == scenario::unavailable, "no seccomp filters here");
	CHECK(WEXITSTATUS(status) == 0);
}
#endif

// Catches bytes that a parent and a child share.
TEST_CASE("os: entropy differs between a parent and its children")
{
	auto *const drawn = static_cast<std::uint64_t *>(machine::shared_memory(page));

	for (std::size_t i = 0; i < 8; i++) {
		CHECK(cprng_os_entropy(&drawn[2 * i], 8) == 0);
		CHECK(holds_in_child(i % 2 != 0, [&] { return cprng_os_entropy(&drawn[2 * i + 1], 8) == 0; }));
	}
	CHECK(filled::repeats(reinterpret_cast<std::uint8_t *>(drawn), 128) == "");
	munmap(drawn, page);
}

// Catches a state that two indices or two processes share, and bytes that repeat after a wipe.
TEST_CASE("os: states of the generator in the process's memory are apart, also those of a child")
{
	cprng_os_vdso e;
	auto *const drawn = static_cast<std::uint8_t *>(machine::shared_memory(page));
	std::size_t used = 0;
	filled::Memory memory(256);
	const auto draw = [&](std::uint32_t state) { return cprng_os_vdso_read(&e, state, drawn + 64 * used++, 64); };

	std::memset(&e, 0xff, sizeof(e));
	cprng_os_vdso_open(&e, 3);
	CHECK(e.states <= 3);
	if (e.states == 0) {
		cprng_os_vdso_close(&e);
		munmap(drawn, page);
		SKIP_IF(all_of_linux, "the kernel has no getrandom() in the vDSO");
		return;
	}
	for (std::size_t len : { 0, 1, 7, 16, 32, 255, 256 })
		CHECK(filled::fault(
			      memory, [&](void *buf, std::size_t n) { return cprng_os_vdso_read(&e, 0, buf, n); }, len,
			      len % 61) == "");
	for (std::uint32_t state = 0; state < e.states; state++) {
		CHECK(draw(state));
		for (bool raw : { false, true }) {
			CHECK(holds_in_child(raw, [&] { return draw(state); }));
			used++;
		}
		CHECK(draw(state));
		cprng_os_vdso_wipe(&e, state);
		CHECK(draw(state));
	}
	CHECK(filled::repeats(drawn, 64 * used) == "");
	cprng_os_vdso_close(&e);
	munmap(drawn, page);
}

// Catches the offset of a wrong field, and a fence that fails although sequences are available.
TEST_CASE("os: the CPU out of the area for restartable sequences is the one that the thread runs on")
{
	std::ptrdiff_t offset = 0;

	if (!cprng_os_restartable_sequences(&offset)) {
		SKIP_IF(all_of_linux, "no restartable sequences here");
		CHECK(cprng_os_abort_sequences() < 0);
		return;
	}
	for (int cpu : machine::cpus()) {
		if (machine::pin(0, cpu))
			CHECK(cprng_os_sequence_cpu(offset) == static_cast<std::uint32_t>(cpu));
	}
	machine::unpin();
	CHECK(cprng_os_abort_sequences() == 0);
}

// Catches a generation without a page, and a page without a generation.
TEST_CASE("os: no page of a virtual machine, no generation")
{
	const cprng_os_announcements *const shown = cprng_os_find_announcements();

	CHECK(cprng_os_find_announcements() == shown);
	CHECK(cprng_os_vm_generation(nullptr) == 0);
	if (shown != nullptr)
		CHECK(cprng_os_vm_generation(shown) != 0);
	if (!all_of_linux)
		CHECK((shown != nullptr) == CPRNG_TEST_OS_BSD);
}

namespace {

// Returns what an aborting child wrote to standard error, and sets *status.
std::string last_words(const char *what, long error, int *status)
{
	int ends[2];
	std::string words;
	char piece[256];
	ssize_t n;

	REQUIRE(pipe(ends) == 0);
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL); // otherwise doctest reports it
		cprng_os_die(what, error);
	}
	REQUIRE(pid > 0);
	close(ends[1]);
	while ((n = read(ends[0], piece, sizeof(piece))) > 0)
		words.append(piece, static_cast<std::size_t>(n));
	close(ends[0]);
	*status = machine::status_of(pid);
	// An emulator adds a line of its own.
	return machine::emulated() ? words.substr(0, words.find('\n') + 1) : words;
}

} // namespace

// Catches a message without its error number or line end, and an end of the process other than by SIGABRT.
TEST_CASE("os: the last words are one line, and the end is SIGABRT")
{
	int status;

	CHECK(last_words("no memory", 0, &status) == "cprng: no memory\n");
	CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
	CHECK(last_words("no entropy", -38, &status) == "cprng: no entropy: error 38\n");
	CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
	// Messages may have any length.
	const std::string line = last_words(std::string(1000, 'x').c_str(), -22, &status);
	CHECK(line.substr(0, 100) == "cprng: " + std::string(93, 'x'));
	CHECK(line.find('\n') == line.size() - 1);
	CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
}
