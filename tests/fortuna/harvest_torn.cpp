// SPDX-License-Identifier: BSD-2-Clause
// A producer in whose middle a signal handler forks goes on in the child, where the queue was wiped meanwhile and the
// handler may have put an event into the same cell: the mixture of the two must not count as what either was.
#include "harvest.hpp"

#include <csignal>
#include <cstring>
#include <memory>

#include <sys/mman.h>
#include <unistd.h>

namespace {

cprng_harvest *queue;
cprng_claim *claims;
cprng_event of_handler;
unsigned char *second_page;
std::size_t page;
bool handler_puts;
volatile std::sig_atomic_t interrupted;

// What a fork does to the queue, in the child.
void on_fault(int signal)
{
	if (interrupted) {
		std::signal(signal, SIG_DFL);
		return;
	}
	interrupted = 1;
	std::memset(static_cast<void *>(queue), 0, sizeof(*queue));
	if (handler_puts)
		(void)cprng_harvest_put_claimed(queue, &of_handler, claims);
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

// Catches half an event of the parent that the child takes for a whole one.
TEST_CASE("harvest: an event that a fork has torn counts for nothing")
{
	const auto memory = std::make_unique<cprng_harvest>();
	const std::unique_ptr<cprng_claim[]> kept(new cprng_claim[CPRNG_HARVEST_CELLS]());
	struct sigaction action = {}, before;

	queue = memory.get();
	claims = kept.get();
	of_handler = make(7, 0x77);
	page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
	auto *pages = static_cast<unsigned char *>(
		mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	REQUIRE(pages != MAP_FAILED);
	second_page = pages + page;
	action.sa_handler = on_fault;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGSEGV, &action, &before);
	// The producer is stopped at each place in its event where an aligned one can lie across two pages.
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
			const bool put =
				cprng_harvest_put_claimed(queue, reinterpret_cast<const cprng_event *>(at), claims);
			// Some compilers read the whole event before they claim a cell: then nothing is torn.
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
			// The wipe came when the cell was claimed: its producer knows, and leaves nothing there.
			CHECK_FALSE(put);
			CHECK(swept.size() <= (puts ? 1u : 0u));
			for (const auto &cell : memory->cell)
				CHECK(all_zero(cell.event));
		}
	}
	sigaction(SIGSEGV, &before, nullptr);
	munmap(pages, 2 * page);
}
