// SPDX-License-Identifier: BSD-2-Clause
#include "operations.hpp"

#include "../support/internals.hpp"
#include "cprng/fortuna.h"
#include "kernel.hpp"
#include "state.hpp"

#include <cstdlib>
#include <cstring>
#include <iterator>

#include <sys/random.h>

namespace {

using namespace explore;

// For put-key and push: unique bytes, remade before each run.
unsigned char given[64];
std::uint64_t given_generation;
unsigned int events_put;

void prepare_given()
{
	given_generation = cprng_generation(cprng_process());
	if (getrandom(given, sizeof(given), 0) != static_cast<ssize_t>(sizeof(given)))
		std::memset(given, 0, sizeof(given));
}

template <typename Word, Word (*draw)()> void run_word(Output &out)
{
	const Word word = draw();

	std::memcpy(out.bytes, &word, sizeof(word));
	out.len = sizeof(word) >= 8 ? sizeof(word) : 0;
}

double normal()
{
	return cprng_normal(0, 1);
}

double exponential()
{
	return cprng_exponential(1);
}

// The known answers are compared once.
void prepare_numbers()
{
	(void)normal();
}

// Inlined up to 64 bytes.
template <std::size_t len> void run_fast(Output &out)
{
	cprng_fast(out.bytes, len);
	out.len = len;
}

template <std::size_t len> void run_pop(Output &out)
{
	cprng_draw_bytes(cprng_process(), out.bytes, len);
	out.len = len;
}

template <std::size_t len> void run_refill(Output &out)
{
	cprng_draw_by_refill(cprng_process(), out.bytes, len);
	out.len = len;
}

void run_take_key(Output &out)
{
	struct cprng_process *p = cprng_process();

	if (p->placement->take_key(p, out.bytes) != 0)
		out.len = CPRNG_KEY_SIZE;
}

void run_put_key(Output &)
{
	struct cprng_process *p = cprng_process();

	p->placement->put_key(p, given_generation, given, 1);
}

void run_push(Output &)
{
	struct cprng_process *p = cprng_process();

	p->placement->push(p, given_generation, given, sizeof(given));
}

// Copies by narrower registers than the CPU has.
template <cprng_copies copies> void prepare_copies()
{
	struct cprng_process *p = cprng_process();

	prepare_given();
	if (copies < p->copies)
		p->copies = copies;
}

// A small draw that fills the buffer, as with ciphers on 512-bit vectors.
void prepare_whole()
{
	cprng_process()->small_refill = CPRNG_REFILL_CHUNKS;
}

// As in a program that has not used Fortuna.  Fortuna's events take 230,000 of the instructions of `refill-reseed`.
void prepare_whole_reseed()
{
	prepare_whole();
	kernel::seconds += 2;
	cprng_process()->strong_used = 0;
}

// Make room for one event.
void prepare_no_key()
{
	struct cprng_process *p = cprng_process();
	unsigned char key[CPRNG_KEY_SIZE];

	(void)p->placement->take_key(p, key);
	prepare_given();
}

// Make the key due for fresh bytes.
void prepare_reseed()
{
	kernel::seconds += 2;
}

void run_entropy(Output &out)
{
	cprng_kernel_bytes_by_vdso(cprng_process(), out.bytes, 32);
	out.len = 32;
}

void run_invalidate(Output &)
{
	cprng_invalidate();
}

void run_reseed(Output &)
{
	if (cprng_reseed() != CPRNG_OK)
		std::abort();
}

void run_strong(Output &out)
{
	cprng_strong(out.bytes, 64);
	out.len = 64;
}

cprng_fortuna *object;

void prepare_object()
{
	const bool made = object != nullptr || cprng_fortuna_new(&object, nullptr, 0) == CPRNG_OK;

	prepare_given();
	if (!made || cprng_fortuna_seed(object, given, sizeof(given)) != CPRNG_OK)
		std::abort();
}

// A child finds the object unseeded, and so does a read after an invalidation.
void run_object(Output &out)
{
	if (cprng_fortuna_read(object, out.bytes, 64) == CPRNG_OK)
		out.len = 64;
}

void run_doubles(Output &out)
{
	constexpr std::size_t count = 16;

	if (cprng_fill_double(reinterpret_cast<double *>(out.bytes), count) != CPRNG_OK)
		std::abort();
	out.len = count * sizeof(double);
}

// Each byte is a symbol, so that the text is random bytes.
void run_text(Output &out)
{
	char alphabet[256];

	for (std::size_t i = 0; i < sizeof(alphabet); i++)
		alphabet[i] = static_cast<char>(i);
	if (cprng_text(reinterpret_cast<char *>(out.bytes), 64, alphabet, sizeof(alphabet)) != CPRNG_OK)
		std::abort();
	out.len = 64;
}

void run_uuid(Output &out)
{
	cprng_uuid4(out.bytes);
	out.len = 16;
}

// A payload repeats its source's number plus one, so that a mixture of two events is detected.
void put_event()
{
	unsigned char payload[CPRNG_EVENT_MAX];
	const unsigned int source = events_put++ % CPRNG_APPLICATION_SOURCES;

	std::memset(payload, static_cast<int>(source + 1), sizeof(payload));
	(void)cprng_add_entropy(source, payload, sizeof(payload), 8);
}

void run_add_entropy(Output &)
{
	put_event();
}

// One chunk more than a forked child has after its first refill, so that an inherited byte count is too large.
constexpr std::size_t usual = 1500;

const std::vector<Operation> all = {
	{ "bits8", State::warm, usual, false, false, nullptr, run_word<std::uint8_t, cprng_fast8> },
	{ "bits16", State::warm, usual, false, false, nullptr, run_word<std::uint16_t, cprng_fast16> },
	{ "bits32", State::warm, usual, false, false, nullptr, run_word<std::uint32_t, cprng_fast32> },
	{ "bits64", State::warm, usual, false, false, nullptr, run_word<std::uint64_t, cprng_fast64> },
	{ "bytes12", State::warm, usual, false, false, nullptr, run_fast<12> },
	{ "bytes48", State::warm, usual, false, false, nullptr, run_fast<48> },
	{ "pop16", State::warm, usual, false, false, nullptr, run_pop<16> },
	{ "pop32", State::warm, usual, false, false, nullptr, run_pop<32> },
	{ "pop50", State::warm, usual, false, false, nullptr, run_pop<50> },
	{ "pop80", State::warm, usual, false, false, nullptr, run_pop<80> },
	{ "pop80-avx2", State::warm, usual, false, false, prepare_copies<CPRNG_COPIES_AVX2>, run_pop<80> },
	{ "pop80-sse2", State::warm, usual, false, false, prepare_copies<CPRNG_COPIES_BASELINE>, run_pop<80> },
	{ "pop512", State::warm, usual, false, false, nullptr, run_pop<512> },
	{ "push", State::warm, usual, true, false, prepare_given, run_push },
	{ "push-avx2", State::warm, usual, true, false, prepare_copies<CPRNG_COPIES_AVX2>, run_push },
	{ "push-sse2", State::warm, usual, true, false, prepare_copies<CPRNG_COPIES_BASELINE>, run_push },
	{ "take-key", State::warm, usual, true, false, nullptr, run_take_key },
	{ "put-key", State::warm, usual, true, false, prepare_no_key, run_put_key },
	{ "refill", State::warm, 16, true, false, nullptr, run_refill<16> },
	{ "refill-whole", State::warm, 16, true, false, prepare_whole, run_refill<16> },
	{ "refill-whole-reseed", State::warm, 16, true, true, prepare_whole_reseed, run_refill<16> },
	{ "refill-bulk", State::warm, 16, true, false, nullptr, run_refill<64> },
	{ "refill-reseed", State::warm, 16, true, true, prepare_reseed, run_refill<16> },
	{ "one-time-key", State::warm, usual, false, false, nullptr, run_pop<600> },
	{ "one-time-start", State::warm, usual, false, false, nullptr, run_pop<4096> },
	{ "entropy", State::warm, usual, false, false, nullptr, run_entropy },
	{ "invalidate", State::warm, usual, false, false, nullptr, run_invalidate },
	{ "reseed", State::warm, usual, false, false, nullptr, run_reseed },
	{ "strong", State::warm, usual, false, true, nullptr, run_strong },
	{ "object", State::warm, usual, true, false, prepare_object, run_object },
	{ "doubles", State::warm, usual, false, false, nullptr, run_doubles },
	{ "text", State::warm, usual, false, false, nullptr, run_text },
	{ "normal", State::warm, usual, false, false, prepare_numbers, run_word<double, normal> },
	{ "exponential", State::warm, usual, false, false, prepare_numbers, run_word<double, exponential> },
	{ "uuid", State::warm, usual, false, false, nullptr, run_uuid },
	{ "add-entropy", State::warm, usual, true, true, nullptr, run_add_entropy },
	{ "first-in-child", State::child, usual, false, false, nullptr, run_fast<32> },
	{ "first", State::pristine, 0, false, false, nullptr, run_fast<32> },
};

template <typename Draw> void log_draw(Kind kind, std::size_t len, Draw draw)
{
	unsigned char bytes[512];
	const std::uint32_t instance = shared->log.instances++;

	if (state.steps_draws) {
		steps::begin();
		state.in_library = true;
	}
	draw(bytes);
	state.in_library = false;
	steps::end();
	shared->log.add(kind, process_number(), instance, bytes, len);
}

} // namespace

const std::vector<explore::Operation> &explore::operations()
{
	return all;
}

const explore::Operation *explore::find_operation(const char *name)
{
	for (const Operation &o : all) {
		if (std::strcmp(o.name, name) == 0)
			return &o;
	}
	return nullptr;
}

void explore::draw_in_handler(const Operation &operation)
{
	if (operation.strong)
		put_event();
	log_draw(Kind::served, 32, [](unsigned char *b) { cprng_fast(b, 32); });
	log_draw(Kind::served, 8, [](unsigned char *b) {
		const std::uint64_t word = cprng_fast64();
		std::memcpy(b, &word, sizeof(word));
	});
}

void explore::draw_afterwards(const Operation &operation)
{
	draw_in_handler(operation);
	log_draw(Kind::served, 48, [](unsigned char *b) { cprng_fast(b, 48); });
	log_draw(Kind::served, 64, [](unsigned char *b) { cprng_kernel_bytes_by_vdso(cprng_process(), b, 64); });
	if (operation.strong) {
		check_events();
		log_draw(Kind::served, 32, [](unsigned char *b) { cprng_strong(b, 32); });
	}
}

void explore::log_buffers(bool dropped)
{
	const struct cprng_process *p = cprng_process();

	if (p->fork_state == nullptr)
		return;
	for (std::uint32_t i = 0; i < p->buffer_count; i++) {
		const cprng_buffer &b = p->buffers[i];
		// The next user of a slot that an invalidation did not reach erases its content.
		const bool old = p->placement == &cprng_placement_slots && b.made_in != p->fork_state->generation;
		if (b.left != 0 && b.left <= sizeof(b.out) && !old)
			shared->log.add(dropped ? Kind::dropped : Kind::ready, process_number(), shared->log.instances,
					b.out, b.left);
		if (b.key_tag != 0 && !old)
			shared->log.add(dropped ? Kind::dropped : Kind::ready, process_number(), shared->log.instances,
					b.key, sizeof(b.key));
	}
}

void explore::drain()
{
	const struct cprng_process *p = cprng_process();
	std::size_t ready = 0;

	for (std::uint32_t i = 0; p->fork_state != nullptr && i < p->buffer_count; i++)
		ready += p->buffers[i].left <= sizeof(p->buffers[i].out) ? p->buffers[i].left : 0;
	// The rest of the buffered bytes may be shorter than a draw; then 128 bytes from the key.
	for (std::size_t n = 0; n < ready + 48 + 128; n += 48)
		log_draw(Kind::drained, 48, [](unsigned char *b) { cprng_fast(b, 48); });
}

void explore::check_events()
{
	const struct cprng_process *p = cprng_process();

	if (p->strong == nullptr)
		return;
	for (const cprng_harvest::cprng_harvest_cell &cell : p->strong->state.harvest.cell) {
		const cprng_event &e = cell.event;
		if (cell.state != CPRNG_CELL_FULL || e.source < CPRNG_SOURCE_APPLICATION)
			continue;
		bool whole = e.len == sizeof(e.payload) && e.entropy_bits == 8;
		for (const unsigned char byte : e.payload)
			whole = whole && byte == e.source - CPRNG_SOURCE_APPLICATION + 1;
		shared->log.torn += !whole;
	}
}
