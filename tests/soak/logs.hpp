// SPDX-License-Identifier: BSD-2-Clause
// A round's draws: memory that threads, signal handlers, children and other programs write concurrently.
//
// Every participant fills its own segments from the top down.  The library's buffer is also a stack served from the top.  So a
// segment is an image of the buffer that its bytes came from, whatever the widths of the draws: two participants that were
// served the same bytes have them in the same order, at any alignment.
#ifndef CPRNG_SOAK_LOGS_HPP
#define CPRNG_SOAK_LOGS_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <sys/types.h>

namespace soak {

// The draws of a round's participants.  With one width, every single repeated draw is found.
enum class Mix : std::uint8_t { bits32, bits64, bytes16, any };
constexpr unsigned int mixes = 4;

enum class Kind : std::uint8_t {
	thread,
	handler,
	nested_handler,
	forking_thread,
	short_thread,
	destructor,
	plugin,
	child,
	grandchild,
	child_of_handler,
	program
};
const char *name_of(Kind kind);
const char *name_of(Mix mix);

// Counters of every participant.  Draws of one width are counted from the segments' contents.
enum Count : std::uint8_t {
	draws_narrow,
	draws_32,
	draws_64,
	draws_short,
	draws_long,
	draws_strong,
	refills,
	signals,
	cut_sequences,
	cut_refills,
	cut_short,
	cut_long,
	cut_strong,
	jumps,
	jumps_out_of_draws,
	forks,
	forks_in_handlers,
	returns_of_children,
	programs,
	births,
	destructors,
	invalidations,
	migrations,
	loads,
	entropy_events,
	counts
};
const char *name_of(Count count);

struct Participant {
	std::uint64_t count[counts];
	pid_t process, thread;
	Kind kind;
};

struct alignas(64) Segment {
	std::size_t low, high;
	std::atomic<std::size_t> at; // the drawn bytes extend from here to high; 0: free
	std::uint64_t begun, ended;  // nanoseconds of CLOCK_MONOTONIC; ended is 0 while it is being written
	std::uint32_t participant;
};

// State shared by all processes, stored before the bytes.
struct Shared {
	std::atomic<std::size_t> bytes_used, bytes_allowed;
	std::atomic<std::uint32_t> participants_used, segments_used;
	std::atomic<std::uint32_t> over; // no participant may begin another segment
};

class Logs {
public:
	// Creates a log for this many bytes of draws, or maps another program's log.
	bool make(std::size_t bytes);
	bool map(int descriptor, std::size_t bytes);

	// Prepares a round of at most this many bytes.
	void reset(std::size_t bytes);

	Participant *add_participant(Kind kind);
	// nullptr when the round is over.
	Segment *add_segment(const Participant *participant, std::size_t len);

	// Calls f(number, segment) for each used segment from the first on, or for every n-th of them.
	template <typename F> void for_segments(F f, std::uint32_t first = 0, std::uint32_t step = 1) const
	{
		const std::uint32_t used = shared->segments_used.load();

		for (std::uint32_t i = first; i < used && i < segments_max; i += step) {
			if (segments[i].at.load(std::memory_order_acquire) != 0)
				f(i, segments[i]);
		}
	}

	unsigned char *byte(std::size_t at) const
	{
		return bytes_ + at;
	}

	Shared *shared = nullptr;
	Participant *participants = nullptr;
	Segment *segments = nullptr;
	std::size_t capacity = 0;
	int descriptor = -1;

	static constexpr std::uint32_t participants_max = 1 << 16;
	std::uint32_t segments_max = 0;

private:
	std::size_t size() const;
	bool map_all(std::size_t len);

	unsigned char *bytes_ = nullptr;
};

extern Logs logs;

std::uint64_t now(); // nanoseconds of CLOCK_MONOTONIC

// A participant's write position.  A draw counts when it is committed; the next draw overwrites one abandoned by a jump.
class Log {
public:
	// Continues as another participant.
	void open(Kind kind, std::size_t segment_size);

	// Returns room for len bytes below the last draw; nullptr when the round is over.
	unsigned char *reserve(std::size_t len)
	{
		if (segment_ != nullptr) {
			const std::size_t at = segment_->at.load(std::memory_order_relaxed);
			if (at - segment_->low >= len)
				return logs.byte(at - len);
		}
		return reserve_in_new(len);
	}

	void commit(std::size_t len)
	{
		segment_->at.store(segment_->at.load(std::memory_order_relaxed) - len, std::memory_order_relaxed);
	}

	void count(Count what, std::uint64_t n = 1)
	{
		if (participant_ != nullptr)
			participant_->count[what] += n;
	}

	void close();

private:
	unsigned char *reserve_in_new(std::size_t len);

	Participant *participant_ = nullptr;
	Segment *segment_ = nullptr;
	std::size_t segment_size_ = 0;
};

} // namespace soak

#endif
