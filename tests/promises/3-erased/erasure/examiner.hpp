// SPDX-License-Identifier: BSD-2-Clause
// Starts a subject, reads its whole memory whenever it stops, has it dump core at the end, and reads that.
#ifndef CPRNG_TESTS_EXAMINER_HPP
#define CPRNG_TESTS_EXAMINER_HPP

#include "channel.hpp"
#include "secrets.hpp"

#include <string>
#include <vector>

#include <sys/types.h>

// One secret in one place.
struct Find {
	std::string mapping; // as /proc/PID/maps calls it; "core" in a core file
	std::uint64_t address;
	std::string secret;
};

// What the examiner has read, so that a look at nothing does not pass.
struct Coverage {
	std::size_t bytes = 0;
	bool stack = false, heap = false, secret_pages = false;
};

class Examiner {
public:
	struct Options {
		const char *engine, *backend;
		channel::Kept kept = channel::Kept::nowhere;
		bool slots = false, unbuffered = false;
	};

	explicit Examiner(const Options &options);
	~Examiner();
	Examiner(const Examiner &) = delete;
	Examiner &operator=(const Examiner &) = delete;

	// Until it stops again; false when it has ended, with status().
	bool next();
	int status() const
	{
		return wait_status;
	}

	const channel::Shared &reported() const
	{
		return *shared;
	}

	// Everything in memory that should not be where it is; the first of many.
	std::vector<Find> look(Coverage *coverage);
	// The flags of the mapping at this address, as /proc/PID/smaps has them: " rd wr ... ".
	std::string flags_at(std::uint64_t address) const;

	// While it is stopped: its core file, written by the kernel; "" where that is unavailable, and why.
	std::string dump_core(std::string *why_not);
	// What of all secrets, and of what the buffers hold, is in the file.
	std::vector<Find> look_at_core(const std::string &path);

private:
	bool read_memory(std::uint64_t address, void *to, std::size_t len) const;
	void read_buffers();
	void scan(const unsigned char *bytes, std::size_t len, std::uint64_t address, const std::string &mapping,
		  bool anything_is_wrong, std::vector<Find> *finds);

	pid_t pid = -1;
	int memory = -1, wait_status = -1;
	channel::Shared *shared = nullptr;
	std::string directory;
	Secrets secrets;
	std::set<std::array<unsigned char, 32>> live_keys;
	Filtered live; // what the buffers have held at some look: for the core file
};

#endif
