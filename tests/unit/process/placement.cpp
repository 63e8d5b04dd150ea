// SPDX-License-Identifier: BSD-2-Clause
// The placements' operations, one at a time, on a buffer with known content.
#include "../../support/fake_os.hpp"
#include "../../support/scenario.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/script.hpp"

#include "cpu/cpu.h"

#include <algorithm>
#include <csignal>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace placement_tests {
namespace {

using script::Bytes;

constexpr std::size_t page_size = 4096;

struct cprng_process *p;

struct cprng_buffer *own()
{
	return &p->buffers[p->placement->index(p)];
}

std::uint64_t generation()
{
	return cprng_generation(p);
}

// A preemption aborts a restartable sequence.  Puts and pushes do not retry, so the test does.
constexpr int tries = 1000;

// Bytes without a 0 and, within a buffer, without a repeated run of 16.
Bytes pattern(std::size_t len, unsigned int salt = 0)
{
	Bytes bytes(len);

	for (std::size_t i = 0; i < len; i++)
		bytes[i] = static_cast<unsigned char>(1 + (i * 37 + i / 255 * 11 + salt) % 255);
	return bytes;
}

void push(const Bytes &bytes)
{
	const std::uint32_t before = own()->left;

	for (int i = 0; i < tries && own()->left == before; i++)
		p->placement->push(p, generation(), bytes.data(), bytes.size());
	REQUIRE_IN_CHILD(own()->left == before + bytes.size());
}

bool pop(Bytes *bytes)
{
	return p->placement->pop(p, bytes->data(), bytes->size());
}

void put_key(const Bytes &key, std::uint64_t tag)
{
	for (int i = 0; i < tries && own()->key_tag == 0; i++)
		p->placement->put_key(p, generation(), key.data(), tag);
}

bool holds(const unsigned char *at, const Bytes &bytes)
{
	return std::equal(bytes.begin(), bytes.end(), at);
}

bool all_zero(const unsigned char *at, std::size_t len)
{
	return std::all_of(at, at + len, [](unsigned char byte) { return byte == 0; });
}

// An empty, usable buffer.
void empty()
{
	cprng_generation_invalidate(p);
	for (const std::size_t len : { 1, 8, 16 }) {
		Bytes none(len);
		REQUIRE_IN_CHILD(!pop(&none));
	}
	REQUIRE_IN_CHILD(own()->left == 0 && own()->key_tag == 0);
}

void check_pop()
{
	// The fewest bytes that a sequence takes.
	const std::size_t least = p->placement->restartable ? 8 : 1;

	for (std::size_t len :
	     { 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 63, 64, 65, 80, 127, 128, 129, 200, 500, 512 }) {
		const std::size_t taken = std::max(len, least);
		empty();
		const Bytes content = pattern(600);
		push(content);
		Bytes got(len + 2, 0xee);
		REQUIRE_IN_CHILD(p->placement->pop(p, got.data() + 1, len));
		REQUIRE_IN_CHILD(got.front() == 0xee && got.back() == 0xee);
		REQUIRE_IN_CHILD(holds(content.data() + 600 - taken, Bytes(got.begin() + 1, got.end() - 1)));
		REQUIRE_IN_CHILD(own()->left == 600 - taken);
		REQUIRE_IN_CHILD(all_zero(own()->out + 600 - taken, taken));
		REQUIRE_IN_CHILD(holds(own()->out, Bytes(content.begin(), content.end() - static_cast<long>(taken))));
	}
	// Requests for at most the available bytes.
	empty();
	push(pattern(64));
	Bytes more(65), all(64);
	REQUIRE_IN_CHILD(!pop(&more));
	REQUIRE_IN_CHILD(own()->left == 64 && holds(own()->out, pattern(64)));
	REQUIRE_IN_CHILD(pop(&all) && all == pattern(64));
	REQUIRE_IN_CHILD(own()->left == 0);
}

void check_push()
{
	empty();
	push(pattern(100));
	push(pattern(67, 5));
	REQUIRE_IN_CHILD(holds(own()->out, pattern(100)) && holds(own()->out + 100, pattern(67, 5)));
	// Fills up to the last byte, and not beyond.
	push(pattern(CPRNG_BUFFER_SIZE - 167 - CPRNG_PUSH_MIN));
	const Bytes one_more = pattern(CPRNG_PUSH_MIN + 1, 9);
	for (int i = 0; i < tries; i++)
		p->placement->push(p, generation(), one_more.data(), one_more.size());
	REQUIRE_IN_CHILD(own()->left == CPRNG_BUFFER_SIZE - CPRNG_PUSH_MIN);
	push(pattern(CPRNG_PUSH_MIN, 3));
	REQUIRE_IN_CHILD(own()->left == CPRNG_BUFFER_SIZE);
	REQUIRE_IN_CHILD(holds(own()->out + CPRNG_BUFFER_SIZE - CPRNG_PUSH_MIN, pattern(CPRNG_PUSH_MIN, 3)));
	// A push for another generation writes nothing.
	empty();
	for (int i = 0; i < tries; i++) {
		p->placement->push(p, generation() + 1, one_more.data(), one_more.size());
		p->placement->push(p, generation() - 1, one_more.data(), one_more.size());
	}
	REQUIRE_IN_CHILD(own()->left == 0 && all_zero(own()->out, CPRNG_BUFFER_SIZE));
}

void check_key()
{
	const Bytes key = pattern(CPRNG_KEY_SIZE), other = pattern(CPRNG_KEY_SIZE, 7);
	Bytes got(CPRNG_KEY_SIZE, 0xee);

	empty();
	REQUIRE_IN_CHILD(p->placement->take_key(p, got.data()) == 0);
	put_key(key, 77);
	REQUIRE_IN_CHILD(own()->key_tag == 77 && holds(own()->key, key));
	// An existing key is not replaced.
	for (int i = 0; i < tries; i++)
		p->placement->put_key(p, generation(), other.data(), 88);
	REQUIRE_IN_CHILD(own()->key_tag == 77 && holds(own()->key, key));
	REQUIRE_IN_CHILD(p->placement->take_key(p, got.data()) == 77);
	REQUIRE_IN_CHILD(got == key);
	REQUIRE_IN_CHILD(own()->key_tag == 0 && all_zero(own()->key, CPRNG_KEY_SIZE));
	REQUIRE_IN_CHILD(p->placement->take_key(p, got.data()) == 0);
	for (int i = 0; i < tries; i++) {
		p->placement->put_key(p, generation() + 1, key.data(), 77);
		p->placement->put_key(p, generation() - 1, key.data(), 77);
	}
	REQUIRE_IN_CHILD(own()->key_tag == 0 && all_zero(own()->key, CPRNG_KEY_SIZE));
	// A refill takes a key; what it pushes is aligned for 64-bit numbers.
	for (const std::uint32_t left : { 64U, 65U, 68U, 71U, 72U }) {
		empty();
		push(pattern(left));
		put_key(key, 77);
		REQUIRE_IN_CHILD(own()->left == left);
		REQUIRE_IN_CHILD(p->placement->take_key(p, got.data()) == 77);
		REQUIRE_IN_CHILD(own()->left == left / 8 * 8 && holds(own()->out, pattern(left / 8 * 8)));
	}
}

void check_operations()
{
	check_pop();
	check_push();
	check_key();
}

void fill_everything(std::uint64_t of)
{
	for (std::uint32_t i = 0; i < p->buffer_count; i++) {
		struct cprng_buffer *const b = &p->buffers[i];
		std::memset(b->out, 0x11, sizeof(b->out));
		std::memset(b->key, 0x22, sizeof(b->key));
		b->left = 1000;
		b->key_tag = 3;
		b->made_in = of;
	}
	// The remains of an aborted sequence, of which no count tells.
	p->buffers[1].left = 0;
	p->buffers[1].key_tag = 0;
}

bool is_erased(const struct cprng_buffer &b)
{
	return b.left == 0 && b.key_tag == 0 && all_zero(b.key, sizeof(b.key)) && all_zero(b.out, sizeof(b.out));
}

void use_slots()
{
	fake_os.membarrier.answer = -ENOSYS;
	fake_os.cpu_mask_size.answer = 1; // eight CPUs
	p = cprng_process();
	REQUIRE_IN_CHILD(p->placement == &cprng_placement_slots);
	REQUIRE_IN_CHILD(generation() != 0);
}

void use_cpus()
{
	p = cprng_process();
	if (p->placement != &cprng_placement_percpu)
		_exit(scenario::unavailable);
	REQUIRE_IN_CHILD(generation() != 0);
	machine::pin(0, machine::cpus().front());
}

// Catches a slot operation that is off by a byte, leaves what it returned, or serves another generation.
CHILD_TEST_CASE("operations: slots give, take and keep what they are asked to", scenario::check_buffered)
{
	use_slots();
	check_operations();
}

// Catches the same errors in the restartable sequences, with narrow and wide copies.
CHILD_TEST_CASE("operations: the CPUs' buffers give, take and keep what they are asked to", scenario::check_buffered)
{
	use_cpus();
	check_operations();
	while (p->copies != CPRNG_COPIES_BASELINE) {
		p->copies--;
		check_operations();
	}
}

// Catches a slot that an invalidation misses, or whose old bytes are served.
CHILD_TEST_CASE("operations: slots of another generation are erased", scenario::check_buffered)
{
	use_slots();
	fill_everything(generation());
	cprng_generation_invalidate(p);
	for (std::uint32_t i = 0; i < p->buffer_count; i++)
		REQUIRE_IN_CHILD(is_erased(p->buffers[i]));
	// Bytes of another generation must be erased and not served.
	fill_everything(generation() - 1);
	Bytes bytes(16);
	REQUIRE_IN_CHILD(!pop(&bytes));
	REQUIRE_IN_CHILD(is_erased(*own()));
	fill_everything(generation() - 1);
	REQUIRE_IN_CHILD(p->placement->take_key(p, bytes.data()) == 0);
	REQUIRE_IN_CHILD(is_erased(*own()));
}

std::uint32_t cpus_at_barrier;
bool filled_at_barrier;
unsigned int barriers;

// Catches a buffer erased during a sequence.
CHILD_TEST_CASE("operations: the CPUs' buffers are closed, waited for and erased, in this order",
		scenario::check_buffered)
{
	use_cpus();
	fill_everything(0);
	fake_os.membarrier.before = [](int command) {
		if (command != 1 << 7) // MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ
			return;
		barriers++;
		cpus_at_barrier = p->draw.cpus | inlined_cpus(p);
		filled_at_barrier = !is_erased(p->buffers[p->buffer_count - 1]);
	};
	cprng_generation_invalidate(p);
	REQUIRE_IN_CHILD(barriers >= 1);
	REQUIRE_IN_CHILD(cpus_at_barrier == 0); // no new sequence can begin
	REQUIRE_IN_CHILD(filled_at_barrier);    // and no buffer is erased before the barrier
	for (std::uint32_t i = 0; i < p->buffer_count; i++)
		REQUIRE_IN_CHILD(is_erased(p->buffers[i]));
	REQUIRE_IN_CHILD(all_open(p));
}

// Operations on a CPU's buffer leave disabled buffers unchanged.
// Catches an operation that does not check whether the buffers are disabled.
CHILD_TEST_CASE("operations: nothing passes while the CPUs' buffers are closed", scenario::check_buffered)
{
	use_cpus();
	empty();
	push(pattern(200));
	const Bytes key = pattern(CPRNG_KEY_SIZE);
	p->draw.cpus = 0;
	for (int i = 0; i < tries; i++) {
		Bytes bytes(16);
		REQUIRE_IN_CHILD(!pop(&bytes));
		p->placement->push(p, generation(), pattern(CPRNG_PUSH_MIN).data(), CPRNG_PUSH_MIN);
		p->placement->put_key(p, generation(), key.data(), 5);
		REQUIRE_IN_CHILD(p->placement->take_key(p, bytes.data()) == 0);
	}
	REQUIRE_IN_CHILD(own()->left == 200 && own()->key_tag == 0);
	p->draw.cpus = p->buffer_count;
}

// ------------------------------------------------------------------------------------------- in the middle of one

// Memory of the caller that is not mapped yet: an operation stops when it reaches this memory.
unsigned char *hole;
void (*at_hole)();
bool in_child;

void fill_hole(int)
{
	mprotect(hole, page_size, PROT_READ | PROT_WRITE);
	if (at_hole != nullptr)
		at_hole();
}

void dig_hole(void (*then)(), const Bytes &content = Bytes())
{
	if (hole == nullptr) {
		hole = static_cast<unsigned char *>(
			mmap(nullptr, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		std::signal(SIGSEGV, fill_hole);
	}
	std::copy(content.begin(), content.end(), hole);
	at_hole = then;
	mprotect(hole, page_size, PROT_NONE);
}

void invalidate()
{
	cprng_generation_invalidate(p);
}

// After a finished operation, other threads may use the slot, and nothing remains of the operation.
void check_given_back()
{
	Bytes bytes(16), key(CPRNG_KEY_SIZE);

	REQUIRE_IN_CHILD(is_erased(*own()));
	REQUIRE_IN_CHILD(!pop(&bytes));
	REQUIRE_IN_CHILD(p->placement->take_key(p, key.data()) == 0);
	REQUIRE_IN_CHILD(is_erased(*own()));
}

// Catches an operation that continues after an invalidation, or keeps its claim.
CHILD_TEST_CASE("operations: slots, invalidated in the middle of each operation", scenario::check_buffered)
{
	const Bytes key = pattern(CPRNG_KEY_SIZE);

	use_slots();
	empty();
	push(pattern(200));
	dig_hole(invalidate);
	REQUIRE_IN_CHILD(!p->placement->pop(p, hole, 64));
	check_given_back();

	put_key(key, 9);
	dig_hole(invalidate);
	REQUIRE_IN_CHILD(p->placement->take_key(p, hole) == 0);
	check_given_back();

	dig_hole(invalidate, key);
	p->placement->put_key(p, generation(), hole, 9);
	check_given_back();

	dig_hole(invalidate, pattern(CPRNG_PUSH_MIN));
	p->placement->push(p, generation(), hole, CPRNG_PUSH_MIN);
	check_given_back();
}

// A handler during an operation uses another slot.
struct cprng_buffer *interrupted;

// Catches a handler or an invalidation that uses the slot of the interrupted draw.
CHILD_TEST_CASE("operations: a slot in use is left alone", scenario::check_buffered)
{
	use_slots();
	empty();
	push(pattern(200));
	interrupted = own();
	dig_hole([] {
		const std::uint32_t left = interrupted->left;
		Bytes bytes(16);
		REQUIRE_IN_CHILD(!pop(&bytes)); // the next one is empty
		for (int i = 0; i < 3; i++)
			p->placement->push(p, generation(), pattern(64).data(), 64);
		REQUIRE_IN_CHILD(interrupted->left == left);
	});
	const Bytes all = pattern(200);
	REQUIRE_IN_CHILD(p->placement->pop(p, hole, 64));
	REQUIRE_IN_CHILD(holds(hole, Bytes(all.end() - 64, all.end())));
	REQUIRE_IN_CHILD(own()->left == 136);
	// An invalidation does not touch this slot: its user erases it.
	dig_hole([] {
		fill_everything(generation());
		cprng_generation_invalidate(p);
		for (std::uint32_t i = 0; i < p->buffer_count; i++)
			REQUIRE_IN_CHILD(is_erased(p->buffers[i]) == (&p->buffers[i] != interrupted));
	});
	REQUIRE_IN_CHILD(!p->placement->pop(p, hole, 64));
	check_given_back();
}

// A handler forks during a pop, and the child draws before it continues the pop, whose view of the buffer is then outdated.
// Catches a child that returns what the pop had copied before the fork.
CHILD_TEST_CASE("operations: slots, forked in the middle of a pop", scenario::check_buffered)
{
	use_slots();
	empty();
	push(pattern(4000));
	dig_hole([] {
		const pid_t pid = fork();
		REQUIRE_IN_CHILD(pid >= 0);
		in_child = pid == 0;
		if (in_child) {
			unsigned char drawn[16];
			cprng_draw_by_refill(cprng_process(), drawn, sizeof(drawn));
		} else {
			REQUIRE_IN_CHILD(machine::ended_well(pid));
		}
	});
	const bool popped = p->placement->pop(p, hole, 64);
	REQUIRE_IN_CHILD(popped != in_child);
	// The parent's bytes went into the parent's buffer.  The child's bytes are its own: none is zero or from the pattern.
	const Bytes all = pattern(4000);
	for (int i = 0; i < 60; i++) {
		Bytes bytes(64);
		cprng_fast(bytes.data(), bytes.size());
		REQUIRE_IN_CHILD(!all_zero(bytes.data(), 16) && !all_zero(bytes.data() + 48, 16));
		if (in_child)
			REQUIRE_IN_CHILD(std::search(all.begin(), all.end(), bytes.begin(), bytes.begin() + 16) ==
					 all.end());
	}
}

} // namespace
} // namespace placement_tests
