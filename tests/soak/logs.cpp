// SPDX-License-Identifier: BSD-2-Clause
#include "logs.hpp"

#include <algorithm>
#include <ctime>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace soak {

Logs logs;

namespace {

constexpr std::size_t page = 4096;
// The shortest segment, which limits the number of segments by the logs' size.
constexpr std::size_t segment_min = page;

constexpr std::size_t round_up(std::size_t n, std::size_t to)
{
	return (n + to - 1) / to * to;
}

constexpr std::size_t head_size = round_up(sizeof(Shared), page);
constexpr std::size_t participants_size = round_up(Logs::participants_max * sizeof(Participant), page);

std::size_t segments_size(std::size_t bytes)
{
	return round_up(bytes / segment_min * sizeof(Segment), page);
}

} // namespace

const char *name_of(Kind kind)
{
	static const char *const names[] = {
		"thread",
		"signal handler",
		"nested signal handler",
		"forking thread",
		"short-lived thread",
		"destructor",
		"plugin",
		"child",
		"grandchild",
		"child of a handler",
		"program",
	};
	return names[static_cast<std::size_t>(kind)];
}

const char *name_of(Mix mix)
{
	static const char *const names[] = { "32 bits", "64 bits", "16 bytes", "any length" };
	return names[static_cast<std::size_t>(mix)];
}

const char *name_of(Count count)
{
	static const char *const names[] = {
		"draws of 8 and 16 bits",
		"draws of 32 bits",
		"draws of 64 bits",
		"draws of 1 to 512 bytes",
		"draws of more than 512 bytes",
		"draws of cprng_strong",
		"inlined draws that left the hot path",
		"signals handled",
		"signals in restartable sequences",
		"signals outside of the hot path of inlined draws",
		"signals in draws of 1 to 512 bytes",
		"signals in draws of more than 512 bytes",
		"signals in cprng_strong",
		"jumps out of handlers",
		"jumps out of handlers and draws",
		"processes forked",
		"processes forked in handlers",
		"children that returned to the draw",
		"programs started",
		"threads born and died",
		"destructors that drew",
		"invalidations",
		"changes of affinity",
		"plugins loaded and unloaded",
		"events of entropy added",
	};
	static_assert(sizeof(names) / sizeof(names[0]) == counts, "one name each");
	return names[count];
}

std::uint64_t now()
{
	struct timespec t = {};

	clock_gettime(CLOCK_MONOTONIC, &t);
	return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}

bool Logs::map_all(std::size_t len)
{
	// A shared mapping: children need not copy its page tables, and parents see the children's draws.
	void *p = mmap(nullptr, len, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
	unsigned char *at = static_cast<unsigned char *>(p);

	if (p == MAP_FAILED)
		return false;
	shared = reinterpret_cast<Shared *>(at);
	at += head_size;
	participants = reinterpret_cast<Participant *>(at);
	at += participants_size;
	segments = reinterpret_cast<Segment *>(at);
	segments_max = static_cast<std::uint32_t>(capacity / segment_min);
	bytes_ = at + segments_size(capacity);
	return true;
}

std::size_t Logs::size() const
{
	return head_size + participants_size + segments_size(capacity) + capacity;
}

bool Logs::make(std::size_t bytes)
{
	capacity = round_up(bytes, page);

	// Programs started by children inherit it.
	descriptor = memfd_create("soak", 0);
	return descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(size())) == 0 && map_all(size());
}

bool Logs::map(int its_descriptor, std::size_t bytes)
{
	descriptor = its_descriptor;
	capacity = bytes;
	return map_all(size());
}

void Logs::reset(std::size_t bytes)
{
	const std::uint32_t used = std::min(shared->participants_used.load(), participants_max);

	std::memset(static_cast<void *>(participants), 0, used * sizeof(Participant));
	// A jump out of a handler may leave a segment acquired but unwritten: it must not look like one of the last round.
	std::memset(static_cast<void *>(segments), 0,
		    std::min(shared->segments_used.load(), segments_max) * sizeof(Segment));
	// No segment begins at 0.
	shared->bytes_used = segment_min;
	shared->bytes_allowed = std::min(bytes, capacity);
	shared->participants_used = 0;
	shared->segments_used = 0;
	shared->over = 0;
}

Participant *Logs::add_participant(Kind kind)
{
	const std::uint32_t i = shared->participants_used.fetch_add(1, std::memory_order_relaxed);

	if (i >= participants_max)
		return nullptr;
	participants[i].kind = kind;
	participants[i].process = static_cast<pid_t>(syscall(SYS_getpid));
	participants[i].thread = static_cast<pid_t>(syscall(SYS_gettid));
	return &participants[i];
}

Segment *Logs::add_segment(const Participant *participant, std::size_t len)
{
	if (participant == nullptr || shared->over.load(std::memory_order_relaxed) != 0)
		return nullptr;
	len = round_up(len, segment_min);
	const std::size_t low = shared->bytes_used.fetch_add(len, std::memory_order_relaxed);
	const std::size_t allowed = shared->bytes_allowed.load(std::memory_order_relaxed);
	if (low > allowed || len > allowed - low) {
		shared->over.store(1, std::memory_order_relaxed);
		return nullptr;
	}
	Segment *s = &segments[shared->segments_used.fetch_add(1, std::memory_order_relaxed)];
	s->low = low;
	s->high = low + len;
	s->begun = now();
	s->ended = 0;
	s->participant = static_cast<std::uint32_t>(participant - participants);
	// This comes last, because a handler may jump out of here and leave no segment.
	s->at.store(s->high, std::memory_order_release);
	return s;
}

void Log::open(Kind kind, std::size_t segment_size)
{
	segment_ = nullptr;
	segment_size_ = segment_size;
	participant_ = logs.add_participant(kind);
}

void Log::close()
{
	if (segment_ != nullptr)
		segment_->ended = now();
	segment_ = nullptr;
}

unsigned char *Log::reserve_in_new(std::size_t len)
{
	close();
	Segment *s = logs.add_segment(participant_, std::max(len, segment_size_));
	if (s == nullptr)
		return nullptr;
	segment_ = s;
	return logs.byte(s->high - len);
}

} // namespace soak
