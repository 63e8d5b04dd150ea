// SPDX-License-Identifier: BSD-2-Clause
// Starts a subject, reads its whole memory at each stop, makes it dump core at the end, and reads that.
#ifndef CPRNG_TESTS_EXAMINER_HPP
#define CPRNG_TESTS_EXAMINER_HPP

#include "channel.hpp"
#include "secrets.hpp"

#include <string>
#include <vector>

#include <sys/types.h>

// One secret in one place.
struct Find {
	std::string mapping; // its name in /proc/PID/maps; "core" in a core file
	std::uint64_t address;
	std::string secret;
};

// The amount read, so that an examination that reads nothing does not pass.
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

	// Runs it to its next stop; false if it has ended, with status().
	bool next();
	int status() const
	{
		return wait_status;
	}

	const channel::Shared &reported() const
	{
		return *shared;
	}

	// All secrets found at forbidden places; a long list is truncated.
	std::vector<Find> look(Coverage *coverage);
	// The mapping's flags at this address, from /proc/PID/smaps: " rd wr ... ".
	std::string flags_at(std::uint64_t address) const;

	// Returns the core file that the kernel writes of the stopped subject; if there is none, "" and the reason.
	std::string dump_core(std::string *why_not);
	// All secrets and buffered bytes that the file contains.
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
	Filtered live; // all bytes that buffers have held, to search the core file for
};

#endif
