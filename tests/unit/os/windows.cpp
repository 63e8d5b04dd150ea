// SPDX-License-Identifier: BSD-2-Clause
// The contract of os.h on Windows: memory, threads, waiting, clocks, entropy, the seed version, the fatal message.
#include "../../support/filled.hpp"
#include "../../support/program.hpp"
#include "../../support/replace.hpp"
#include "../../support/skips.hpp"
#include "../../support/windows/support.hpp"
#include "every_system.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>

namespace {

const std::size_t page = cprng_os_page_size();

DWORD state_of(const void *p)
{
	MEMORY_BASIC_INFORMATION found = {};

	REQUIRE(VirtualQuery(p, &found, sizeof(found)) != 0);
	return found.State;
}

bool no_memory;

// PROGRAM --last-words WHAT ERROR, or PROGRAM --no-memory
const bool contract_registered = program::add({ [](int argc, char **argv) {
						       if (argc == 4 && std::string(argv[1]) == "--last-words")
							       cprng_os_die(argv[2], std::atol(argv[3]));
						       no_memory = argc == 2 && std::string(argv[1]) == "--no-memory";
						       return no_memory ? static_cast<int>(cprng_fast8() % 2) : -1;
					       },
						nullptr, nullptr, nullptr });

} // namespace

REPLACE(void *, cprng_os_map, (std::size_t len))
{
	return no_memory ? nullptr : __real_cprng_os_map(len);
}

// Catches memory that is not zero, that stays when it is unmapped, and an unreported failure.
TEST_CASE("windows: mapped memory is zero, and gone when it is unmapped")
{
	CHECK(page >= 4096);
	CHECK((page & (page - 1)) == 0);
	auto *const p = static_cast<std::uint8_t *>(cprng_os_map(3 * page));
	REQUIRE(p != nullptr);
	CHECK(reinterpret_cast<std::uintptr_t>(p) % page == 0);
	CHECK(filled::first_other(p, 3 * page, 0) == 3 * page);
	CHECK(state_of(p + 2 * page) == MEM_COMMIT);
	cprng_os_unmap(p, 3 * page);
	for (std::size_t i = 0; i < 3; i++)
		CHECK(state_of(p + i * page) == MEM_FREE);
	CHECK(cprng_os_map(SIZE_MAX / 2 / page * page) == nullptr);
}

namespace {

const void *excluded;
DWORD excluded_len;
const void *included;

} // namespace

// Catches buffers in error reports, and a Windows without the call that is treated as a system that forks.
TEST_CASE("windows: there is no fork, and reports of errors leave the memory out")
{
	std::uint8_t *const p = static_cast<std::uint8_t *>(cprng_os_map(2 * page));
	windows::Calls calls;

	REQUIRE(p != nullptr);
	calls.wer_exclude = [](const void *at, DWORD len) -> HRESULT {
		excluded = at;
		excluded_len = len;
		return 1; // refused
	};
	calls.wer_include = [](const void *at) -> HRESULT {
		included = at;
		return 0;
	};
	CHECK(cprng_os_wipe_on_fork(p, 2 * page));
	CHECK(included == p); // otherwise each invalidation would use up one of the process's 512 entries
	CHECK(excluded == p);
	CHECK(excluded_len == 2 * page);
	calls.wer_exclude = nullptr;
	CHECK(cprng_os_wipe_on_fork(p + page, page));
	included = nullptr;
	cprng_os_unmap(p, 2 * page);
	CHECK(included == p + page);
}

// Catches a failed memory lock that counts as success.
TEST_CASE("windows: memory is locked wherever in a page it begins, and only if it is there")
{
	std::uint8_t *const p = static_cast<std::uint8_t *>(cprng_os_map(2 * page));

	REQUIRE(p != nullptr);
	CHECK(cprng_os_lock_memory(p + page - 1, 2));
	CHECK(filled::first_other(p, 2 * page, 0) == 2 * page);
	cprng_os_unmap(p, 2 * page);
	CHECK_FALSE(cprng_os_lock_memory(p, page));
}

// Catches a thread number that two threads have, that changes, or that uses the bit reserved for locks, and a limit that a CPU
// number reaches.
TEST_CASE("windows: numbers of the process, of threads and of CPUs")
{
	std::vector<std::uintptr_t> numbers(16);
	std::vector<std::thread> threads;
	std::atomic<std::size_t> arrived{ 0 };
	std::atomic<bool> kept{ true };
	PROCESSOR_NUMBER cpu = {};

	CHECK(cprng_os_process_id() == static_cast<long>(GetCurrentProcessId()));
	for (std::uintptr_t &number : numbers)
		threads.emplace_back([&] {
			number = cprng_os_this_thread();
			arrived++;
			while (arrived != numbers.size())
				std::this_thread::yield();
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
	GetCurrentProcessorNumberEx(&cpu);
	CHECK(cpu.Number < cprng_os_cpu_limit());
	CHECK(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS) <= cprng_os_cpu_limit());
	CHECK_FALSE(cprng_os_is_first_thread());
}

// Catches a wait for a value that has already changed, and a wake that wakes no thread.
TEST_CASE("windows: a wait ends when the word has another value, or is woken")
{
	REQUIRE((__real_cprng_windows_calls()->wait_on_address != nullptr));
	every_system::check_waits();
}

// Catches a thread that never wakes on Windows 7.
TEST_CASE("windows: where no call waits for a word, the thread looks again")
{
	windows::Calls calls;

	calls.wait_on_address = nullptr;
	every_system::check_waits();
}

// Catches a sleep that is too short, a clock that goes backwards or stands still, and seconds from another clock.
TEST_CASE("windows: clocks go on, never back, and agree; a sleep lasts as long as was asked for")
{
	const std::uint64_t begin = cprng_os_nanoseconds();
	std::uint64_t last = begin;

	REQUIRE(begin != 0);
	CHECK(cprng_os_sleep(0) == 0);
	CHECK(cprng_os_sleep(3000000) == 0);
	CHECK(cprng_os_nanoseconds() - begin >= 3000000);
	for (int i = 0; i < 10000; i++) {
		const std::uint32_t seconds = cprng_os_seconds();
		const std::uint64_t now = cprng_os_nanoseconds();
		REQUIRE(now >= last);
		REQUIRE(seconds >= last / 1000000000);
		REQUIRE(seconds <= now / 1000000000);
		last = now;
	}
}

namespace {

unsigned int prng_calls;

BOOL WINAPI fill_with_7(std::uint8_t *buf, SIZE_T len)
{
	prng_calls++;
	std::fill(buf, buf + len, static_cast<std::uint8_t>(7));
	return TRUE;
}

} // namespace

// Catches a truncated length, an unfilled byte, and a write beyond the end.
TEST_CASE("windows: entropy fills every length, and nothing else")
{
	every_system::check_entropy(1);
}

// Catches the second entropy function used before the first, a refusal that counts as bytes, and a call to a missing function.
TEST_CASE("windows: entropy is ProcessPrng's, or RtlGenRandom's where that is missing, and a refusal is an error")
{
	std::uint8_t bytes[600] = {};
	windows::Calls calls;
	const auto real = calls.rtl_gen_random;

	calls.process_prng = fill_with_7;
	calls.rtl_gen_random = [](void *, ULONG) -> BOOLEAN { return FALSE; };
	CHECK(cprng_os_entropy(bytes, sizeof(bytes)) == 0);
	CHECK(prng_calls == 1);
	CHECK(filled::first_other(bytes, sizeof(bytes), 7) == sizeof(bytes));
	calls.process_prng = nullptr;
	CHECK(cprng_os_entropy(bytes, sizeof(bytes)) == -EIO);
	calls.rtl_gen_random = nullptr;
	CHECK(cprng_os_entropy(bytes, sizeof(bytes)) == -ENOSYS);
	calls.rtl_gen_random = real;
	REQUIRE((real != nullptr));
	CHECK(cprng_os_entropy(bytes, sizeof(bytes)) == 0);
	CHECK(filled::repeats(bytes, sizeof(bytes)) == "");
	calls.process_prng = [](std::uint8_t *, SIZE_T) -> BOOL { return FALSE; };
	CHECK(cprng_os_entropy(bytes, sizeof(bytes)) == -EIO);
}

// Catches a wrong offset in the shared page, and a version of 0 that counts as a version.
TEST_CASE("windows: the seed version is the shared page's, and 0 is none")
{
	// KUSER_SHARED_DATA: the version of Windows is at 0x26c, and the seed version at 0x250.
	const auto *const shared = reinterpret_cast<const volatile unsigned char *>(0x7ffe0000);
	const std::uint64_t version = *reinterpret_cast<const volatile std::uint64_t *>(shared + 0x250);
	const cprng_os_announcements *const shown = cprng_os_find_announcements();

	CHECK(*reinterpret_cast<const volatile std::uint32_t *>(shared + 0x26c) >= 6);
	CHECK(cprng_os_vm_generation(nullptr) == 0);
	CHECK((shown == nullptr) == (version == 0));
	CHECK(cprng_os_vm_generation(shown) == version);
	if (shown != nullptr)
		CHECK(cprng_os_vm_shows(shown, version));
	CHECK(std::string(cprng_os_announced().pages) == (version != 0 ? "seed version" : "none"));
}

// Catches a function that changes its thread's last error.
TEST_CASE("windows: every function leaves the thread's last error and errno alone")
{
	windows::Directory directory;
	static cprng_os_file file;
	static char buf[16];
	static std::uint32_t word;
	static std::uint64_t milliseconds;
	cprng_os_signals signals;
	std::string changed;
	const int d = directory.number;

	directory.put("file", "x");
	const windows::Descriptor open(cprng_os_open_file(d, "file"));
	const std::vector<std::pair<const char *, std::function<void()>>> calls = {
		{ "map, none", [] { cprng_os_map(SIZE_MAX / 2 / page * page); } },
		{ "unmap, none", [] { cprng_os_unmap(buf, page); } },
		{ "wipe_on_fork", [] { (void)!cprng_os_wipe_on_fork(nullptr, 0); } },
		{ "lock_memory, none", [] { cprng_os_lock_memory(nullptr, page); } },
		{ "process_id", [] { cprng_os_process_id(); } },
		{ "this_thread", [] { cprng_os_this_thread(); } },
		{ "cpu_limit", [] { cprng_os_cpu_limit(); } },
		{ "signals",
		  [&] {
			  cprng_os_block_signals(&signals);
			  cprng_os_restore_signals(&signals);
		  } },
		{ "wait", [] { cprng_os_wait(&word, 1); } },
		{ "wake", [] { cprng_os_wake(&word); } },
		{ "sleep", [] { cprng_os_sleep(1); } },
		{ "seconds", [] { cprng_os_seconds(); } },
		{ "unix_milliseconds", [] { (void)!cprng_os_unix_milliseconds(&milliseconds); } },
		{ "entropy", [] { (void)!cprng_os_entropy(buf, sizeof(buf)); } },
		{ "find_announcements", [] { cprng_os_find_announcements(); } },
		{ "open_directory, none", [] { cprng_os_open_directory("none/none"); } },
		{ "find_file", [&] { cprng_os_find_file(d, "file", &file); } },
		{ "find_file, none", [&] { cprng_os_find_file(d, "none", &file); } },
		{ "open_file, none", [&] { cprng_os_open_file(d, "none"); } },
		{ "open_file, not UTF-8", [&] { cprng_os_open_file(d, "\xff"); } },
		{ "create_file, there", [&] { cprng_os_create_file(d, "file"); } },
		{ "describe_file", [&] { cprng_os_describe_file(open, &file); } },
		{ "describe_file, none", [] { cprng_os_describe_file(-1, &file); } },
		{ "try_lock_file, none", [] { (void)!cprng_os_try_lock_file(-1); } },
		{ "unlock_file, none", [] { cprng_os_unlock_file(-1); } },
		{ "read_file, none", [] { cprng_os_read_file(-1, buf, 1); } },
		{ "write_file, none", [] { cprng_os_write_file(-1, buf, 1); } },
		{ "sync_file, none", [] { cprng_os_sync_file(-1); } },
		{ "rename_file, none", [&] { cprng_os_rename_file(d, "none", "no"); } },
		{ "remove_file, none", [&] { cprng_os_remove_file(d, "none"); } },
		{ "close_file, none", [] { cprng_os_close_file(-1); } },
	};
	for (const auto &call : calls) {
		SetLastError(12345);
		errno = EDOM;
		call.second();
		const DWORD now = GetLastError();
		if (now != 12345 || errno != EDOM)
			changed += std::string(call.first) + " ";
	}
	CHECK(changed == "");
}

// Catches a message without its error number or line end, a message of more than one line, and an exit with success.
TEST_CASE("windows: the last words are one line, and the end is not an exit")
{
	const auto check = [](const std::string &arguments, const std::string &line) {
		const windows::Run run = windows::run_again("--last-words " + arguments);
		CHECK(run.said == line);
		CHECK(run.status >= 0xc0000000);
	};

	check("\"no memory\" 0", "cprng: no memory\n");
	check("\"no entropy\" -38", "cprng: no entropy: error 38\n");
	const windows::Run without = windows::run_again("--no-memory");
	CHECK(without.said == "cprng: no memory\n");
	CHECK(without.status >= 0xc0000000);
	// Messages may have any length.
	const windows::Run run = windows::run_again("--last-words " + std::string(1000, 'x') + " -22");
	CHECK(run.said.substr(0, 100) == "cprng: " + std::string(93, 'x'));
	CHECK(run.said.find('\n') == run.said.size() - 1);
}
