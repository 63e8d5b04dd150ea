// SPDX-License-Identifier: BSD-2-Clause
// Steps through an operation instruction by instruction and makes an experiment at each boundary (docs/testing.md).
//
// The operation runs with the trap flag set.  At each boundary the handler of SIGTRAP makes a copy of the process, by a fork that
// is hidden from the library.  The event happens in the copy, which then ends the operation, draws some more and empties its
// buffers; the original takes the next step.  For a second event the copy itself is stepped after the first event, and is copied
// at each boundary.  The clocks that the library reads stand still.
//
// The kernel aborts a restartable sequence at each signal, SIGTRAP included.  So the step at the first instruction aborts it, the
// handler sets the program counter back, and the thread steps through the sequence unprotected, on a single CPU.  For an event
// inside the sequence the handler sets the program counter to the abort address, as the kernel would.
//
// The process has one thread: the handler makes the invalidation "by another thread", or, while the interrupted code holds the
// lock of invalidations, at the first boundary after that.
#ifndef CPRNG_TESTS_EXPLORE_STEPPER_HPP
#define CPRNG_TESTS_EXPLORE_STEPPER_HPP

#include "log.hpp"
#include "operations.hpp"
#include "oracle.hpp"

#include <cstdint>

namespace explore {

enum class Event : std::uint8_t {
	none,
	draw,        // a handler draws
	fork,        // a handler forks; a second event happens in the child
	fork_parent, // a handler forks; a second event happens in the parent
	fork_draw,   // a handler forks, and both draw in it; a second event happens in the child
	exec,        // a handler forks, and the child starts a program that draws
	jump,        // a handler jumps out of the operation, which is restarted
	invalidate,  // another thread invalidates
	migrate,     // the thread continues on another CPU
	cancel,      // another thread cancels this one, which can be cancelled anywhere
};
constexpr std::size_t events = static_cast<std::size_t>(Event::cancel) + 1;

const char *name_of(Event event);
constexpr std::uint32_t bit(Event event)
{
	return std::uint32_t{ 1 } << static_cast<unsigned int>(event);
}

struct Finding {
	Verdict verdict;
	std::uint32_t at, then;        // boundaries; `then` is 0 at depth one
	std::uintptr_t pc_at, pc_then; // the next instruction
	std::uint16_t process[2];      // processes of the two entries
	Kind kind[2];
	std::uint32_t len[2];
};

// The results for one event, or pair of events, of an operation.
struct Cell {
	std::uint64_t experiments;
	// If the signal is blocked at a boundary, it arrives at a later boundary, which has its own experiment.
	std::uint64_t blocked;
	// Boundaries at which a fork leaves the interrupted draw to both processes.  Blocked boundaries count if their signal
	// arrives at such a boundary.  `waiting`: blocked boundaries since the last experiment.
	std::uint64_t whole, waiting;
	std::uint64_t failed[flaws];
	Finding first[flaws];
};

constexpr std::uint64_t everything = UINT64_C(1) << 32;
constexpr std::uint32_t near = 250;

// The instructions at the end of a draw where a fork leaves the draw to both processes (cprng.h).
constexpr std::uint64_t whole_limit = 64;

struct Plan {
	const Operation *operation = nullptr;
	// One bit for each event.  At depth one `seconds` is 0; at depth two `firsts` has one bit.
	std::uint32_t firsts = 0, seconds = 0;
	// Only the first n boundaries at each address.
	std::uint32_t visits = UINT32_MAX;
	// Depth two: probabilities, times 2^32, of choosing a first boundary and then a second one by the seed.  Second
	// boundaries soon after the first event, or soon after its handler's return, have a separate probability.
	std::uint64_t share = everything, share_near = everything, share_far = everything;
	std::uint64_t seed = 0;
	// Depth two: excludes the first handler's draw, and boundaries more than `near` behind it.
	bool near_only = false;
	// After this boundary no first boundary is chosen, and the walk continues at full speed.
	std::uint32_t last = UINT32_MAX;
	// Depth one: the earliest first boundary.
	std::uint32_t from = 0;
	// If not 0, the only boundaries.
	std::uint32_t at = 0, then = 0;
	bool verbose = false;
};

// Results, in memory that all processes share.
struct Shared {
	Plan plan;
	std::uint32_t steps;                          // to the operation's end
	std::uint32_t boundaries;                     // of the operation
	std::uint32_t interior;                       // boundaries in a restartable sequence
	std::uint32_t addresses;                      // number of different addresses
	std::uint64_t walks, second_near, second_far; // depth two: boundaries after the first event, of all walks
	std::uint32_t now_at, now_then, now_event;    // of the current experiment
	std::uint64_t progress;
	std::uint32_t turn[64]; // for each process: whether its parent is done
	Cell cell[events][events];
	Log log;
	Table table;
	struct Visits {
		std::uintptr_t pc;
		std::uint32_t walk;
		std::uint32_t number;
	} visits[1 << 16];
};
extern Shared *shared;
extern int shared_file; // passes the memory to a started program

// The state of the calling process in its experiment.
std::uint16_t process_number();

// The last boundary that a plan uses in an operation with this many steps.
std::uint32_t last_taken(const Plan &plan, std::uint32_t steps);

// Set-up that is the same for all experiments.
void set_up_stepper(int cpu, int other_cpu);
// Called in a new process: carries out shared->plan and exits.
[[noreturn]] void walk();
// The end of a process started by exec.
[[noreturn]] void end_started_program();

} // namespace explore

#endif
