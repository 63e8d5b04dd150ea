// SPDX-License-Identifier: BSD-2-Clause
// The output's progress, as one line on standard error.
#ifndef CPRNG_CLI_OUTPUT_PROGRESS_HPP
#define CPRNG_CLI_OUTPUT_PROGRESS_HPP

#include <atomic>
#include <cstdint>

class progress {
public:
	// After the first call SIGUSR1 prints the current progress, as in dd(1), unless the signal is ignored.
	static void answer_signal();

	progress();
	// Ends a line that may still be rewritten.
	~progress();
	progress(const progress &) = delete;
	progress &operator=(const progress &) = delete;

	// Sets the total number of bytes.
	void expect(std::uint64_t total) noexcept
	{
		total_ = total;
	}

	// By default the line appears after a second, if standard error is a terminal.
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

	// Prints the last line, if an earlier one was printed or progress was requested.
	void finish();

private:
	enum class when { never, late, always };

	// Read the clock only once in this many bytes, so that its cost is negligible.
	static constexpr std::uint64_t bytes_between_looks = std::uint64_t{ 256 } * 1024;
	static constexpr std::uint64_t unknown = UINT64_MAX;

	static void answer(int signal_number);
	void look();
	// Async-signal-safe: the handler may run while the main thread waits in a write to a pipe.
	void print(bool last) noexcept;

	// In microseconds.
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
