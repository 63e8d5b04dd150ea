// SPDX-License-Identifier: BSD-2-Clause
// The system and CPU as the library sees them: each replaced function gives its real answers until a test changes them, but
// for what starts of keystreams are made of, and for announcements of clones.
// fake_os.cpp has the calls of all Unix systems, fake_os_linux.cpp those of Linux, and of the CPU.
#ifndef CPRNG_TESTS_FAKE_OS_HPP
#define CPRNG_TESTS_FAKE_OS_HPP

#include "replace.hpp"

#include "os/linux/vdso.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <sys/stat.h>

// The answers of one function.
template <typename Function> struct Answers;

template <typename... Arguments> struct Answers<long(Arguments...)> {
	const char *name = nullptr;                          // for FakeOs::each
	std::function<void(Arguments...)> before = nullptr;  // each call; it may change the following
	long answer = 0;                                     // in place of a call, unless 0
	unsigned long only = 0;                              // which call gets it, from 1; 0: each
	unsigned long interruptions = 0;                     // calls that get -EINTR before one that does not
	std::size_t longest = 0;                             // bytes that a call reads or writes; 0: all
	std::function<long(Arguments...)> instead = nullptr; // of the real function
	std::function<void(long result, Arguments...)> after = nullptr;
	unsigned long calls = 0;

	// The n-th call from now on fails.
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
	// Files, on all systems.  `each` is called before each of these, and a result other than 0 is the call's.
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
	Answers<long(int fd)> lock{ "lock" }, unlock{ "unlock" }; // by flock(2) or fcntl(2)
	std::function<void(struct stat &)> change_status;         // of each file that is looked at

	Answers<long(void *buf, std::size_t len)> getrandom;
	Answers<long(std::size_t len, int prot, int extra_flags)> mmap;
	Answers<long(int fd, std::size_t len)> map_file;
	Answers<long(void *p, std::size_t len)> munmap, mlock;
	Answers<long(void *p, std::size_t len, int advice)> madvise;
	Answers<long(int command)> membarrier;
	Answers<long()> cpu_mask_size, process_id;
	Answers<long(std::uint32_t **word)> tid_address;
	Answers<long(std::uint32_t *word)> set_tid_address;
	void (*wait)(std::uint32_t *word, std::uint32_t value) = nullptr; // instead of the kernel's
	bool vdso_missing = false;
	cprng_vgetrandom vdso = nullptr; // replaces the library's vDSO

	static constexpr std::uint64_t second = 1000000000;
	std::uint64_t nanoseconds = 0;        // where all clocks stand; 0: they go
	std::uint64_t seconds_ahead = 0;      // of all clocks
	std::function<std::uint64_t()> clock; // instead of all clocks, in nanoseconds

	// The CPU.
	std::function<bool(std::uint64_t *)> rdseed, rdrand;
	std::function<std::uint64_t()> cycles;
	std::uint32_t features_added = 0, features_hidden = 0;

	// What starts of keystreams are made of (src/process/draw.c).  By default nothing differs, so that a key used twice is
	// noticed by its output.
	bool real_count = false, real_word = false, real_copy_number = false;
	std::uint64_t count = 0, word = 0; // where they are not real
	std::uint32_t period = 0;
	unsigned long words = 0; // that were asked for

	// The library's own parts.
	bool pools_silent = false;  // cprng_strong_try_key returns nothing
	bool no_cipher = false;     // none gives its known answers
	bool no_arithmetic = false; // the same of the backends of numbers
	unsigned long strong_keys = 0;
};

extern FakeOs fake_os;

// How often the library requested the virtual machine's page since the program was loaded.
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
