// SPDX-License-Identifier: BSD-2-Clause
// Everything works under a filter that permits only the calls listed in docs/system-calls.md, and without each optional one.
#include "../../support/fake_os.hpp"
#include "../../support/filters.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/repeats.hpp"

#include "cprng/fortuna.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// The document's names.  A C library may use the newer of two equivalent calls.
const std::map<std::string, std::vector<long>> call_numbers = {
	{ "clock_gettime", { SYS_clock_gettime } },
	{ "close", { SYS_close } },
	{ "fchmod", { SYS_fchmod } },
	{ "flock", { SYS_flock } },
#ifdef SYS_newfstatat
	{ "fstat", { SYS_fstat, SYS_newfstatat } },
	{ "fstatat", { SYS_newfstatat } },
#endif
	{ "fstatfs", { SYS_fstatfs } },
	{ "fsync", { SYS_fsync } },
	{ "futex", { SYS_futex } },
	{ "geteuid", { SYS_geteuid } },
	{ "getpid", { SYS_getpid } },
	{ "getrandom", { SYS_getrandom } },
	{ "gettid", { SYS_gettid } },
	{ "madvise", { SYS_madvise } },
	{ "membarrier", { SYS_membarrier } },
	{ "mlock2", { SYS_mlock2 } },
	{ "mmap", { SYS_mmap } },
	{ "munmap", { SYS_munmap } },
	{ "nanosleep", { SYS_nanosleep } },
	{ "openat", { SYS_openat } },
	{ "prctl", { SYS_prctl } },
	{ "prlimit64", { SYS_prlimit64 } },
	{ "read", { SYS_read } },
#ifdef SYS_renameat
	{ "renameat", { SYS_renameat } },
#else
	{ "renameat", { SYS_renameat2 } },
#endif
	{ "rseq", { SYS_rseq } },
	{ "rt_sigprocmask", { SYS_rt_sigprocmask } },
	{ "sched_getaffinity", { SYS_sched_getaffinity } },
	{ "set_tid_address", { SYS_set_tid_address } },
	{ "unlinkat", { SYS_unlinkat } },
	{ "write", { SYS_write } },
};

// The document's first table: the occasion, and the names of the calls.
struct Row {
	std::string when;
	std::vector<std::string> calls;
};

std::vector<std::string> quoted(const std::string &cell)
{
	std::vector<std::string> names;

	for (std::size_t at = 0; (at = cell.find('`', at)) != std::string::npos;) {
		const std::size_t end = cell.find('`', at + 1);
		REQUIRE_IN_CHILD(end != std::string::npos);
		const std::string name = cell.substr(at + 1, end - at - 1);
		// Skip the functions and the device that the rows also name.
		if (name.rfind("cprng_", 0) != 0 && name.find_first_of("/(") == std::string::npos)
			names.push_back(name);
		at = end + 1;
	}
	return names;
}

std::vector<Row> documented()
{
	std::ifstream file(CPRNG_TEST_DOCUMENTS "/system-calls.md");
	std::vector<Row> rows;
	std::string line;

	while (std::getline(file, line) && line.rfind("| when |", 0) != 0) {
	}
	while (std::getline(file, line) && line.rfind('|', 0) == 0) {
		std::istringstream cells(line);
		std::string nothing, when, calls;
		std::getline(cells, nothing, '|');
		std::getline(cells, when, '|');
		std::getline(cells, calls, '|');
		if (when.find("---") == std::string::npos)
			rows.push_back({ when, quoted(calls) });
	}
	REQUIRE_IN_CHILD(rows.size() > 10);
	return rows;
}

// Rows that only callers of Fortuna must allow.
bool is_of_fortuna(const Row &row)
{
	for (const char *word : { "strong", "fortuna", "Fortuna", "seed_file", "add_entropy" }) {
		if (row.when.find(word) != std::string::npos)
			return true;
	}
	return false;
}

std::set<std::string> names(bool with_fortuna)
{
	std::set<std::string> all;

	for (const Row &row : documented()) {
		if (with_fortuna || !is_of_fortuna(row))
			all.insert(row.calls.begin(), row.calls.end());
	}
	return all;
}

// The documented calls except `missing`, and the scenario's own: a bare fork, waiting for it, exiting.
std::vector<long> allowed(const std::set<std::string> &list, const std::string &missing = "")
{
	std::vector<long> all = { SYS_clone, SYS_wait4, SYS_exit_group, SYS_rt_sigreturn, SYS_write };

	for (const std::string &name : list) {
		const auto known = call_numbers.find(name);
		if (known == call_numbers.end())
			dprintf(STDERR_FILENO, "the document names %s, the test does not know it\n", name.c_str());
		REQUIRE_IN_CHILD(known != call_numbers.end());
		if (name != missing)
			all.insert(all.end(), known->second.begin(), known->second.end());
	}
	return all;
}

unsigned char bytes[100000];

void draw_fast()
{
	cprng_info info;

	// Refills by count and by clock.
	for (int second = 0; second < 5; second++) {
		for (int i = 0; i < 2000; i++)
			(void)cprng_fast64();
		for (std::size_t len : { 1, 16, 100, 512, 513, 4096, 100000 })
			cprng_fast(bytes, len);
		REQUIRE_IN_CHILD(!has_zero_window(bytes, sizeof(bytes)));
		fake_os.seconds_ahead++;
	}
	(void)cprng_uniform64(UINT64_C(1) << 63);
	cprng_invalidate();
	(void)cprng_fast64();
	REQUIRE_IN_CHILD(cprng_reseed() == 0);
	cprng_get_info(&info, sizeof(info));
	const pid_t pid = machine::raw_fork();
	if (pid == 0) {
		(void)cprng_fast64();
		cprng_fast(bytes, 4096);
		// This child shares no memory, but the call must work here, too.
		cprng_vfork_child();
		(void)cprng_fast64();
		_exit(0);
	}
	REQUIRE_IN_CHILD(pid > 0 && machine::status_of(pid) == 0);
}

void run_fast(void (*prepare)())
{
	prepare();
	filters::report_others(allowed(names(false)));
	draw_fast();
}

const scenario::Scenario fast("list: fast", [] { run_fast([] {}); });
const scenario::Scenario fast_without_vdso("list: fast, no vDSO",
					   [] { run_fast([] { fake_os.vdso_missing = true; }); });
const scenario::Scenario fast_unbuffered("list: fast, unbuffered",
					 [] { run_fast([] { fake_os.madvise.answer = -EINVAL; }); });
const scenario::Scenario fast_slots("list: fast, slots", [] { run_fast([] { fake_os.membarrier.answer = -ENOSYS; }); });

const scenario::Scenario everything("list: everything", [] {
	cprng_strong_info info;
	cprng_fortuna *fortuna = nullptr;
	char directory[] = "/tmp/cprng-list-XXXXXX";
	REQUIRE_IN_CHILD(mkdtemp(directory) != nullptr);
	const std::string file = std::string(directory) + "/seed";

	// Fortuna's pages are requested under the filter, and a child of the scenario cleans up without it.
	const pid_t pid = machine::raw_fork();
	if (pid == 0) {
		filters::report_others(allowed(names(true)));
		draw_fast();
		cprng_strong(bytes, 32);
		draw_fast();
		cprng_strong(bytes, sizeof(bytes));
		REQUIRE_IN_CHILD(cprng_add_entropy(1, bytes, 8, 1) == 0);
		cprng_strong(bytes, 32);
		cprng_get_strong_info(&info, sizeof(info));
		for (int i = 0; i < 2; i++)
			REQUIRE_IN_CHILD(cprng_seed_file(file.c_str()) >= 0);
		// What the code for seed files creates if the lock is held, without the wait.
		REQUIRE_IN_CHILD(cprng_os_sleep(1) == 0);
		REQUIRE_IN_CHILD(cprng_fortuna_new(&fortuna, nullptr, 0) == 0);
		REQUIRE_IN_CHILD(cprng_fortuna_seed(fortuna, bytes, 64) == 0);
		REQUIRE_IN_CHILD(cprng_fortuna_read(fortuna, bytes, 64) == 0);
		cprng_fortuna_free(fortuna);
		_exit(0);
	}
	const int status = machine::status_of(pid);
	(void)unlink(file.c_str());
	REQUIRE_IN_CHILD(rmdir(directory) == 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
});

// The first draws of every process make each of these calls, so a list without one of them must fail.
const scenario::Scenario superfluous("list: superfluous", [] {
	for (const char *name :
	     { "mmap", "madvise", "sched_getaffinity", "membarrier", "rt_sigprocmask", "getrandom", "mlock2" }) {
		REQUIRE_IN_CHILD(names(false).count(name) == 1);
		const pid_t pid = machine::raw_fork();
		if (pid == 0) {
			filters::report_others(allowed(names(false), name));
			draw_fast();
			_exit(0);
		}
		const int status = machine::status_of(pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == scenario::unavailable)
			_exit(scenario::unavailable);
		dprintf(STDOUT_FILENO, "without %s: %s\n", name, machine::describe_status(status).c_str());
		REQUIRE_IN_CHILD(WIFEXITED(status) && WEXITSTATUS(status) == filters::reported);
	}
});

// All calls except getrandom are optional: advice, locked memory, membarrier, the CPU mask.  Each refusal in its own process.
const scenario::Scenario optional_calls("list: optional", [] {
	const struct {
		const char *name;
		std::vector<unsigned int> calls;
		bool (*right)();
	} all[] = {
		{ "madvise", { SYS_madvise }, [] { return !machine::buffered(); } },
		{ "mlock",
		  { SYS_mlock, SYS_mlock2 },
		  [] {
			  cprng_info info;
			  cprng_get_info(&info, sizeof(info));
			  return std::string(info.memory_lock) != "locked";
		  } },
		{ "membarrier", { SYS_membarrier }, [] { return !machine::per_cpu(); } },
		{ "sched_getaffinity", { SYS_sched_getaffinity }, [] { return true; } },
	};
	for (const auto &one : all) {
		const pid_t pid = machine::raw_fork();
		if (pid == 0) {
			for (const unsigned int call : one.calls)
				filters::refuse(call, EPERM);
			draw_fast();
			_exit(one.right() ? 0 : 1);
		}
		const int status = machine::status_of(pid);
		if (WIFEXITED(status) && WEXITSTATUS(status) == scenario::unavailable)
			_exit(scenario::unavailable);
		dprintf(STDOUT_FILENO, "%s refused: %s\n", one.name, machine::describe_status(status).c_str());
		REQUIRE_IN_CHILD(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
});

} // namespace

// Catches a library that aborts because an optional call is refused, or that does not notice the refusal.
TEST_CASE("sandbox: what can be done without")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "the sanitizer makes calls of its own");
	scenario::check(optional_calls);
}

// Catches a call that the document does not list; reports its number.
TEST_CASE("sandbox: the documented system calls are all that there are")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED || machine::emulated(), "sanitizers and emulators make calls of their own");
	scenario::check(fast);
	scenario::check(fast_without_vdso);
	scenario::check(fast_unbuffered);
	scenario::check(fast_slots);
	scenario::check(everything);
}

// Catches a documented call that is no longer made.
TEST_CASE("sandbox: the documented system calls are needed")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED || machine::emulated(), "sanitizers and emulators make calls of their own");
	SKIP_IF(!machine::per_cpu(), "membarrier is asked for restartable sequences alone");
	scenario::check(superfluous);
}
