// SPDX-License-Identifier: BSD-2-Clause
// How far an output is: on standard error, in one line.
#ifndef CPRNG_CLI_OUTPUT_PROGRESS_HPP
#define CPRNG_CLI_OUTPUT_PROGRESS_HPP

#include <atomic>
#include <cstdint>
#include <string>

// "1.5 GiB", "17 B"
std::string readable_size(std::uint64_t bytes);

class progress {
public:
	// From the first call on SIGUSR1 prints a line of the progress there is, as it does in dd(1); ignored, it stays so.
	static void answer_signal();

	// done: what happened to the bytes.
	explicit progress(const char *done = "written");
	// Ends a line that is being rewritten.
	~progress();
	progress(const progress &) = delete;
	progress &operator=(const progress &) = delete;

	// How many bytes there will be.
	void expect(std::uint64_t total) noexcept
	{
		total_ = total;
	}

	// Without a call the line appears where standard error is a terminal, after a second.
	void show_always() noexcept
	{
		when_ = when::always;
	}

	void add(std::uint64_t bytes)
	{
		done_ = done_ + bytes;
		if (when_ != when::never && done_ - done_at_look_ >= bytes_between_looks)
			look();
	}

	// All is written: the last line, if there was any before or it is asked for.
	void finish();

	std::uint64_t done() const noexcept
	{
		return done_;
	}

private:
	enum class when { never, late, always };

	// The clock is read once in so many bytes: reading it costs nothing beside them.
	static constexpr std::uint64_t bytes_between_looks = std::uint64_t{ 256 } * 1024;
	static constexpr std::uint64_t unknown = UINT64_MAX;

	static void answer(int signal_number);
	void look();
	// Async-signal-safe: in the handler of the signal a write to a pipe may be waiting for its reader.
	void print(bool last) noexcept;

	const char *verb_;
	// In tenths of a second.
	std::uint64_t start_;
	std::uint64_t due_;
	// Written by this thread and read by its signal handler.
	std::atomic<std::uint64_t> done_{ 0 };
	std::atomic<std::uint64_t> total_{ unknown };
	std::uint64_t done_at_look_ = 0;
	when when_ = when::never;
	bool terminal_;
	bool open_line_ = false;
};

#endif
