// SPDX-License-Identifier: BSD-2-Clause
// How far an output is: on standard error, in one line.
#ifndef CPRNG_CLI_OUTPUT_PROGRESS_HPP
#define CPRNG_CLI_OUTPUT_PROGRESS_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

// "1.5 GiB", "17 B"
std::string readable_size(std::uint64_t bytes);

class progress {
public:
	// After the first call SIGUSR1 asks for a line, as it does dd(1).  Before and where it is ignored it does nothing.
	static void answer_signal();

	// done: what happened to the bytes.
	explicit progress(const char *done = "written");
	// Ends a line that is being rewritten.
	~progress();
	progress(const progress &) = delete;
	progress &operator=(const progress &) = delete;

	// How many bytes there will be, if that is known.
	void expect(std::optional<std::uint64_t> total) noexcept
	{
		total_ = total;
	}

	// Without a call the line appears where standard error is a terminal, after a second.
	void show(bool always) noexcept;

	void add(std::uint64_t bytes)
	{
		done_ += bytes;
		look();
	}

	// Print what is due by the clock or was asked for by signal.
	void look();

	// All is written: the last line, if there was any before or it is asked for.
	void finish();

	std::uint64_t done() const noexcept
	{
		return done_;
	}

private:
	using clock = std::chrono::steady_clock;
	enum class when { never, late, always };

	void print(bool last);

	const char *verb_;
	clock::time_point start_;
	clock::time_point due_;
	std::uint64_t done_ = 0;
	std::uint64_t done_at_look_ = 0;
	std::optional<std::uint64_t> total_;
	when when_;
	bool terminal_;
	bool open_line_ = false;
};

#endif
