// SPDX-License-Identifier: BSD-2-Clause
// The system and the CPU as the library sees them.  Each replaced function gives its real answers until a test changes them,
// except the inputs of keystream positions and the announcements of clones, which are fixed.
// fake_os.cpp has the calls of all Unix systems; fake_os_linux.cpp has Linux's calls and the CPU.
#ifndef CPRNG_TESTS_FAKE_OS_HPP
#define CPRNG_TESTS_FAKE_OS_HPP

#include "replace.hpp"

#include "os/linux/vdso.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <sys/stat.h>

// How one function answers.
template <typename Function> struct Answers;

template <typename... Arguments> struct Answers<long(Arguments...)> {
	const char *name = nullptr;                          // name for FakeOs::each
	std::function<void(Arguments...)> before = nullptr;  // runs before each call; may change the members below
	long answer = 0;                                     // returned instead of making the call, unless 0
	unsigned long only = 0;                              // only this call, from 1, gets the answer; 0: each call
	unsigned long interruptions = 0;                     // number of calls that get -EINTR first
	std::size_t longest = 0;                             // most bytes that a call reads or writes; 0: no limit
	std::function<long(Arguments...)> instead = nullptr; // replaces the real function
	std::function<void(long result, Arguments...)> after = nullptr;
	unsigned long calls = 0;

	// Makes the n-th call from now on fail.
	void fail(unsigned long n, long error)
	{
		only = calls + n;
		answer = error;
	}

	std::size_t at_most(std::size_t len) const
	{
		return longest != 0 && longest < len ? longest : len;
	}

	template <typename Real> long operator()(Real real, Arguments... arguments);
};

struct FakeOs {
	// Files, on all systems.  `each` runs before each of these calls; a nonzero result is returned instead of making the call.
	std::function<long(const char *name)> each;
	Answers<long(int dir, const char *path, int flags, unsigned int mode)> openat{ "openat" };
	Answers<long(int fd)> close{ "close" }, fsync{ "fsync" }, fsync_directory{ "fsync_directory" };
	Answers<long(int fd, struct stat *status)> fstat{ "fstat" };
	Answers<long(int dir, const char *name, struct stat *status)> fstatat{ "fstatat" };
	Answers<long(int fd, unsigned int mode)> fchmod{ "fchmod" };
	Answers<long(int dir, const char *from, const char *to)> renameat{ "renameat" };
	Answers<long(int dir, const char *name)> unlinkat{ "unlinkat" };
	Answers<long(int fd, void *buf, std::size_t len)> read{ "read" };
	Answers<long(int fd, const void *buf, std::size_t len)> write{ "write" };
	Answers<long(std::uint32_t nanoseconds)> sleep{ "sleep" };
	Answers<long(std::uint64_t *milliseconds)> unix_milliseconds;
	Answers<long(int fd)> lock{ "lock" }, unlock{ "unlock" }; // made by flock(2) or fcntl(2)
	std::function<void(struct stat &)> change_status;         // changes the status of each file

	Answers<long(void *buf, std::size_t len)> getrandom;
	Answers<long(std::size_t len, int prot, int extra_flags)> mmap;
	Answers<long(int fd, std::size_t len)> map_file;
	Answers<long(void *p, std::size_t len)> munmap, mlock;
	Answers<long(void *p, std::size_t len, int advice)> madvise;
	Answers<long(int command)> membarrier;
	Answers<long()> cpu_mask_size, process_id;
	Answers<long(std::uint32_t **word)> tid_address;
	Answers<long(std::uint32_t *word)> set_tid_address;
	void (*wait)(std::uint32_t *word, std::uint32_t value) = nullptr; // replaces the kernel's wait
	bool vdso_missing = false;
	cprng_vgetrandom vdso = nullptr; // replaces the library's vDSO

	static constexpr std::uint64_t second = 1000000000;
	std::uint64_t nanoseconds = 0;        // the time at which all clocks stand still; 0: they run
	std::uint64_t seconds_ahead = 0;      // added to all clocks
	std::function<std::uint64_t()> clock; // replaces all clocks; in nanoseconds

	// The CPU.
	std::function<bool(std::uint64_t *)> rdseed, rdrand;
	std::function<std::uint64_t()> cycles;
	std::uint32_t features_added = 0, features_hidden = 0;

	// The inputs of keystream positions (src/process/draw.c).  By default they are constant, so that a key that is used twice
	// gives the same output and is noticed.
	bool real_count = false, real_word = false, real_copy_number = false;
	std::uint64_t count = 0, word = 0; // used unless real_count or real_word is set
	std::uint32_t period = 0;
	unsigned long words = 0; // number of words requested

	// The library's own parts.
	bool pools_silent = false;  // cprng_strong_try_key returns nothing
	bool no_cipher = false;     // no cipher gives its known answers
	bool no_arithmetic = false; // no backend of the number functions does
	unsigned long strong_keys = 0;
};

extern FakeOs fake_os;

// How often the library has requested the virtual machine's page since the program was loaded.
extern unsigned long announcement_searches;

template <typename... Arguments>
template <typename Real>
long Answers<long(Arguments...)>::operator()(Real real, Arguments... arguments)
{
	const unsigned long call = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	const long scripted = name != nullptr && fake_os.each ? fake_os.each(name) : 0;

	if (scripted != 0)
		return scripted;
	if (before)
		before(arguments...);
	if (answer != 0 && (only == 0 || only == call))
		return answer;
	if (interruptions != 0 && call % (interruptions + 1) != 0)
		return -EINTR;
	const long result = instead ? instead(arguments...) : real(arguments...);
	if (after)
		after(result, arguments...);
	return result;
}

// REPLACE_ANSWERED(member of FakeOs, f, parameters, arguments)
#define REPLACE_ANSWERED(member, f, parameters, ...) \
	REPLACE(long, f, parameters) \
	{ \
		return fake_os.member(__real_##f, __VA_ARGS__); \
	}

#endif
