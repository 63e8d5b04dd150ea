// SPDX-License-Identifier: BSD-2-Clause
#include "draws.hpp"
#include "../support/replace.hpp"

#include <cprng/cprng.h>

namespace soak {

thread_local volatile std::sig_atomic_t busy;

namespace {

// This thread's log, for counting refills.
thread_local Log *volatile drawing;

} // namespace

} // namespace soak

REPLACE(std::uint64_t, cprng_draw_slow_1, (unsigned int bytes))
{
	const std::sig_atomic_t before = soak::busy;

	soak::busy = soak::in_refill;
	if (soak::drawing != nullptr)
		soak::drawing->count(soak::refills);
	const std::uint64_t value = __real_cprng_draw_slow_1(bytes);
	soak::busy = before;
	return value;
}

namespace soak {

namespace {

template <typename Word> void keep(unsigned char *low, Word word)
{
	std::memcpy(low, &word, sizeof(word));
}

void fill(Log *log, unsigned char *low, std::size_t len, Mix mix)
{
	const bool is_long = len > 512;
	const std::sig_atomic_t before = busy;

	busy = is_long ? in_long : in_short;
	cprng_fast(low, len);
	busy = before;
	if (mix == Mix::any)
		log->count(is_long ? draws_long : draws_short);
}

void strong(Log *log, unsigned char *low, std::size_t len)
{
	const std::sig_atomic_t before = busy;

	busy = in_strong;
	cprng_strong(low, len);
	busy = before;
	log->count(draws_strong);
}

// Uses all methods of drawing len bytes in turn.
void draw_any(Log *log, Choices *choices, unsigned char *low, std::size_t len)
{
	const std::uint64_t way = choices->word();

	if (len >= 16 && len <= 64 && way % 64 == 0) {
		strong(log, low, len);
		return;
	}
	if ((way >> 8 & 7) != 0) {
		switch (len) {
		case 1:
			keep(low, cprng_fast8());
			log->count(draws_narrow);
			return;
		case 2:
			keep(low, cprng_fast16());
			log->count(draws_narrow);
			return;
		case 4:
			keep(low, cprng_fast32());
			log->count(draws_32);
			return;
		case 8:
			keep(low, cprng_fast64());
			log->count(draws_64);
			return;
		default:
			break;
		}
	}
	fill(log, low, len, Mix::any);
}

} // namespace

void forget_draws()
{
	busy = not_busy;
	drawing = nullptr;
}

std::size_t next_length(Mix mix, Choices *choices)
{
	switch (mix) {
	case Mix::bits32:
		return 4;
	case Mix::bits64:
		return 8;
	case Mix::bytes16:
		return 16;
	default:
		break;
	}
	const std::uint32_t sort = choices->below(4096);
	if (sort < 2600) {
		static constexpr std::size_t words[] = { 4, 8, 4, 8, 1, 2, 4, 8 };
		return words[sort % 8];
	}
	if (sort < 3400)
		return 1 + choices->below(64);
	if (sort < 4000)
		return 1 + choices->below(512);
	if (sort < 4090)
		return 513 + choices->below(4096);
	// Streaming stores begin at 1 MiB.
	return sort < 4095 ? 513 + choices->below(65536) : choices->one_in(16) ? longest - choices->below(65536) : 513;
}

void draw(Mix mix, Log *log, Choices *choices, unsigned char *low, std::size_t len)
{
	switch (mix) {
	case Mix::bits32:
		keep(low, cprng_fast32());
		break;
	case Mix::bits64:
		keep(low, cprng_fast64());
		break;
	case Mix::bytes16:
		fill(log, low, len, mix);
		break;
	default:
		draw_any(log, choices, low, len);
		break;
	}
}

void draw_strong(Log *log, Choices *choices)
{
	// Divisible by every width.
	const std::size_t len = 16 + choices->below(16) * 16;
	unsigned char *low = log->reserve(len);

	if (low == nullptr)
		return;
	strong(log, low, len);
	log->commit(len);
}

namespace {

template <Mix mix> bool draw_many_of(Log *log, Choices *choices, unsigned long n)
{
	for (; n != 0; n--) {
		const std::size_t len = next_length(mix, choices);
		unsigned char *low = log->reserve(len);
		if (low == nullptr)
			return false;
		draw(mix, log, choices, low, len);
		log->commit(len);
	}
	return true;
}

} // namespace

bool draw_many(Mix mix, Log *log, Choices *choices, unsigned long n)
{
	Log *const before = drawing;
	bool more = false;

	drawing = log;
	switch (mix) {
	case Mix::bits32:
		more = draw_many_of<Mix::bits32>(log, choices, n);
		break;
	case Mix::bits64:
		more = draw_many_of<Mix::bits64>(log, choices, n);
		break;
	case Mix::bytes16:
		more = draw_many_of<Mix::bytes16>(log, choices, n);
		break;
	case Mix::any:
		more = draw_many_of<Mix::any>(log, choices, n);
		break;
	}
	drawing = before;
	return more;
}

} // namespace soak
