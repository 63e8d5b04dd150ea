// SPDX-License-Identifier: BSD-2-Clause
// The effect of a fork on the queue.  If a signal handler forks during a put, the producer continues in the child.  There the
// queue was wiped, and the handler may have put an event into the same cell.  A mixture of the two events must not count as
// either.  Claims of cells survive a fork: a child frees the claims of threads that do not exist in it, and no others.
#include "harvest.hpp"

#include <csignal>
#include <cstring>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>

namespace {

cprng_harvest *queue;
cprng_harvest_claims *claims;
cprng_event of_handler;
unsigned char *second_page;
std::size_t page;
bool handler_puts;
volatile std::sig_atomic_t interrupted;

// Changes the queue as a fork does in the child.
void on_fault(int signal)
{
	if (interrupted) {
		std::signal(signal, SIG_DFL);
		return;
	}
	interrupted = 1;
	std::memset(static_cast<void *>(queue), 0, sizeof(*queue));
	if (handler_puts)
		(void)cprng_harvest_put(queue, &of_handler, claims);
	mprotect(second_page, page, PROT_READ | PROT_WRITE);
}

cprng_event make(std::uint8_t source, std::uint8_t byte)
{
	cprng_event event = {};

	event.source = source;
	event.len = CPRNG_EVENT_MAX;
	event.entropy_bits = 8 * CPRNG_EVENT_MAX;
	std::memset(event.payload, byte, sizeof(event.payload));
	return event;
}

} // namespace

// Catches half an event of the parent that the child accepts as complete.
TEST_CASE("harvest: an event that a fork has torn counts for nothing")
{
	const auto memory = std::make_unique<cprng_harvest>();
	const std::unique_ptr<cprng_harvest_claims> kept(new cprng_harvest_claims());
	struct sigaction action = {}, before;

	queue = memory.get();
	claims = kept.get();
	claims->this_thread = [] { return std::uintptr_t{ 0x1740 }; };
	of_handler = make(7, 0x77);
	page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
	auto *pages = static_cast<unsigned char *>(
		mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	REQUIRE(pages != MAP_FAILED);
	second_page = pages + page;
	action.sa_handler = on_fault;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &action, &before);
	// Stop the producer at each offset of the event at which an aligned event can straddle two pages.
	for (const bool puts : { false, true }) {
		for (std::size_t split = alignof(cprng_event); split < sizeof(cprng_event);
		     split += alignof(cprng_event)) {
			const cprng_event event = make(3, 0x33);
			std::vector<cprng_event> swept;

			CAPTURE(puts);
			CAPTURE(split);
			std::memset(static_cast<void *>(queue), 0, sizeof(*queue));
			handler_puts = puts;
			interrupted = 0;
			mprotect(second_page, page, PROT_READ | PROT_WRITE);
			unsigned char *at = second_page - split;
			std::memcpy(at, &event, sizeof(event));
			mprotect(second_page, page, PROT_NONE);
			const bool put = cprng_harvest_put(queue, reinterpret_cast<const cprng_event *>(at), claims);
			// Some compilers read the whole event before the claim; then no event is torn.
			if (!interrupted)
				continue;
			cprng_harvest_sweep(
				queue,
				[](void *arg, const cprng_event *e) {
					static_cast<std::vector<cprng_event> *>(arg)->push_back(*e);
				},
				&swept);
			for (const cprng_event &e : swept) {
				const bool whole = std::memcmp(&e, &event, sizeof(e)) == 0 ||
						   std::memcmp(&e, &of_handler, sizeof(e)) == 0;
				CHECK((whole || (e.entropy_bits == 0 && e.len == 0)));
			}
			// The wipe happened after the claim: the producer detects it and leaves nothing in the cell.
			CHECK_FALSE(put);
			CHECK(swept.size() <= (puts ? 1u : 0u));
			for (const auto &cell : memory->cell)
				CHECK(all_zero(cell.event));
		}
	}
	sigaction(SIGSEGV, &before, nullptr);
	munmap(pages, 2 * page);
}

namespace {

constexpr std::uintptr_t forker = 0x7f0000001740, another = 0x7f0000802740, of_child = 0x7f0001003740;

std::uintptr_t thread_now;
bool is_first;
unsigned int asked;

// A chain of processes, each the child of the previous one.
struct Line {
	Line()
	{
		claims->this_thread = [] { return thread_now; };
		claims->is_first_thread = [] {
			asked++;
			return is_first;
		};
		asked = 0;
	}

	// The thread has an operation in progress.
	void claim(unsigned int cell, std::uintptr_t thread)
	{
		thread_now = thread;
		claims->cell[cell].taken = cprng_harvest_claimant(q.get(), claims.get());
	}

	void fork()
	{
		std::memset(static_cast<void *>(q.get()), 0, sizeof(*q));
	}

	void release(std::uintptr_t thread, bool first)
	{
		thread_now = thread;
		is_first = first;
		cprng_harvest_release_lost(q.get(), claims.get());
	}

	bool is_claimed(unsigned int cell) const
	{
		return claims->cell[cell].taken != 0;
	}

	std::unique_ptr<cprng_harvest> q = harvest::make();
	std::unique_ptr<cprng_harvest_claims> claims{ new cprng_harvest_claims() };
};

} // namespace

// Catches cells that forks lose permanently.
TEST_CASE("harvest: a child frees the cells of threads that it has not")
{
	Line line;
	const cprng_event event = harvest::numbered(1);

	for (unsigned int cell = 0; cell < CPRNG_HARVEST_CELLS; cell++)
		line.claim(cell, another);
	line.fork();
	thread_now = forker;
	CHECK_FALSE(cprng_harvest_put(line.q.get(), &event, line.claims.get()));
	line.release(forker, true);
	CHECK(asked == 1);
	for (unsigned int cell = 0; cell < CPRNG_HARVEST_CELLS; cell++) {
		CHECK_FALSE(line.is_claimed(cell));
		CHECK(cprng_harvest_put(line.q.get(), &event, line.claims.get()));
	}
	CHECK(harvest::sweep(line.q.get()).size() == CPRNG_HARVEST_CELLS);
}

// Catches a claim that is taken from an unfinished operation, so that two events could share a cell.
TEST_CASE("harvest: a child frees no cell of an operation that it has")
{
	Line line;

	line.claim(0, forker);
	line.claim(1, another);
	// A claim of the process itself.
	line.release(forker, true);
	CHECK((line.is_claimed(0) && line.is_claimed(1)));
	CHECK(asked == 0);
	line.fork();
	// A thread that the child started before its first operation continues.
	line.claim(2, of_child);
	line.release(of_child, false);
	CHECK((line.is_claimed(0) && line.is_claimed(1) && line.is_claimed(2)));
	line.release(forker, true);
	CHECK(line.is_claimed(0));
	CHECK_FALSE(line.is_claimed(1));
	CHECK(line.is_claimed(2));
	// A grandchild, forked by the thread whose stack still contains the operation from before the first fork.
	line.fork();
	line.release(forker, true);
	CHECK(line.is_claimed(0));
	CHECK_FALSE(line.is_claimed(2));
	// A grandchild whose parent has put no event.
	line.claim(3, another);
	line.fork();
	line.fork();
	line.release(forker, true);
	CHECK_FALSE(line.is_claimed(3));
}

// Catches a process number that wraps to 0.
TEST_CASE("harvest: a child is not its parent when the numbers of processes wrap")
{
	for (const std::uint32_t begin : { UINT32_C(0x7ffd), UINT32_C(0xfffffffd) }) {
		Line line;
		line.claims->process = begin;
		for (int i = 0; i < 5; i++) {
			line.claim(7, another);
			line.release(forker, true);
			CHECK(line.is_claimed(7));
			line.fork();
			line.release(forker, true);
			CHECK_FALSE(line.is_claimed(7));
		}
	}
}
