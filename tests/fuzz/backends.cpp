// SPDX-License-Identifier: BSD-2-Clause
// Compares every backend of the engines and of the number functions that this CPU can run with the model: lengths, alignments,
// keys, counters that carry, and the bytes before and after the output.
#include "fuzz.hpp"

#include <cstring>

#include <cprng/cprng.h>

#include "core/port.h"
#include "cpu/cpu.h"
#include "engine/engine.h"
#include "model.hpp"
#include "numbers/numbers.h"

namespace fuzz {

namespace {

// Memory between two margins with known bytes, at a chosen alignment.
class Margins {
public:
	static constexpr std::uint8_t filler = 0xa5;

	Margins(std::size_t size, std::size_t offset) : size_(size), all_(size + 3 * margin, filler)
	{
		const auto address = reinterpret_cast<std::uintptr_t>(all_.data());
		start_ = margin + (margin - address % margin) % margin - margin / 2 + offset % (margin / 2);
	}

	std::uint8_t *data()
	{
		return all_.data() + start_;
	}

	// Returns the memory inside; throws if bytes outside were written.
	Bytes content(const std::string &name)
	{
		const auto first = all_.begin() + static_cast<std::ptrdiff_t>(start_),
			   last = first + static_cast<std::ptrdiff_t>(size_);
		const auto kept = [](std::uint8_t x) { return x == filler; };

		demand(std::all_of(all_.begin(), first, kept), name + ": written before the output");
		demand(std::all_of(last, all_.end(), kept), name + ": written behind the output");
		return { first, last };
	}

private:
	static constexpr std::size_t margin = 128;

	std::size_t size_, start_ = 0;
	Bytes all_;
};

struct Call {
	std::size_t blocks, offset;
	unsigned int flags;
};

void compare(const cprng_engine *engine, const cprng_backend *backend, const Bytes &key, const Bytes &nonce,
	     std::uint64_t block, const std::vector<Call> &calls)
{
	const std::string name = std::string(engine->name) + "/" + backend->name;
	const model::Engine &row = model::engine(engine->name);
	cprng_keystate ks;

	std::memset(&ks, 0, sizeof(ks));
	backend->set_key(&ks, key.data(), key.size());
	engine->family->set_position(&ks, nonce.data(), nonce.size(), block);
	for (const Call &call : calls) {
		Margins out(call.blocks * engine->block_size, call.offset);
		Bytes want;
		backend->keystream(&ks, engine->rounds, out.data(), call.blocks, call.flags);
		for (std::size_t i = 0; i < call.blocks; i++) {
			const Bytes one = model::block(row, key, nonce, block++);
			want.insert(want.end(), one.begin(), one.end());
		}
		demand(out.content(name) == want, name + ": another keystream");
	}
}

void ciphers(Input &input)
{
	const cprng_engine *engine = &cprng_engines[input.below(CPRNG_ENGINES)];
	const model::Engine &row = model::engine(engine->name);
	const Bytes key = input.bytes(row.key_sizes[input.below(row.key_sizes.size())]);
	Bytes nonce = input.bytes(row.nonce_sizes[input.below(row.nonce_sizes.size())]);
	std::uint64_t block = input.number();
	std::vector<Call> calls;

	// AES counts in the nonce: it carries where the nonce's end is all ones.  The block number does not carry into it.
	if (nonce.size() == 16) {
		block >>= 1;
		const std::size_t ones = input.below(17);
		std::fill(nonce.end() - static_cast<std::ptrdiff_t>(ones), nonce.end(), 0xff);
	}
	for (std::size_t i = 0, n = input.below(3) + 1; i < n; i++) {
		// Mostly few blocks, for the tails of batches.
		const std::size_t blocks = input.below(256) % (input.below(4) == 0 ? 160 : 40);
		const std::size_t offset = input.below(64);
		calls.push_back({ blocks, offset, input.below(2) == 0 ? CPRNG_STREAMING : 0 });
	}
	// Near the end of the counter, where callers stop.  With a nonce of 12 bytes the counter has 32 bits.
	if (nonce.size() == 12)
		block = std::min<std::uint64_t>(block & 0xffffffff, 0xffffffff - 480);
	for (const cprng_backend *backend = engine->family->backends; backend->name != nullptr; backend++) {
		if (cprng_backend_usable(backend))
			compare(engine, backend, key, nonce, block, calls);
	}
	choose_level(input);
	const cprng_backend *selected = cprng_engine_select(engine);
	demand(selected != nullptr, "no backend gives its known answers");
	demand(cprng_backend_usable(selected), "a backend beyond the level is selected");
	cprng_cpu_set_ceiling(~0u);
}

// A word from a mixture that makes each part of the distributions equally likely.
std::uint64_t word(Input &input)
{
	const std::size_t kind = input.below(6);
	const std::uint64_t middle = std::uint64_t{ 1 } << 63;

	if (kind < 2)
		return word_at_seam(input);
	const std::uint64_t value = input.word();
	switch (kind) {
	case 2:
		return value;
	case 3: // a tail, deeper with each bit
		return middle - (value >> input.below(64));
	case 4:
		return middle + (value >> input.below(64));
	default: // the largest and the smallest exponentials
		return input.below(2) == 0 ? value >> input.below(64) : ~(value >> input.below(64));
	}
}

void numbers(Input &input)
{
	const std::size_t repeated = input.below(8) + 1, offset = 8 * input.below(8);
	const std::size_t count = input.below(2) == 0 ? input.below(40) : 8 * input.below(256);
	const double mu = input.below(2) == 0 ? 0 : 0.1, sigma = input.below(2) == 0 ? 1 : 3;
	std::vector<std::uint64_t> words;
	Bytes raw, want[4];

	// A few chosen words among words that a generator derives from them.
	for (std::size_t i = 0; i < count; i++)
		words.push_back(i % repeated == 0 && !input.empty() ? word(input) :
								      6364136223846793005u * (i + offset) + i);
	for (std::uint64_t w : words) {
		const double numbers[] = { model::unit(w), model::normal(w, mu, sigma), model::exponential(w, sigma) };
		const Bytes little = model::little(w, 8);
		raw.insert(raw.end(), little.begin(), little.end());
		for (std::size_t kind = 0; kind < 3; kind++) {
			Bytes bits(8);
			std::memcpy(bits.data(), &numbers[kind], 8);
			want[kind].insert(want[kind].end(), bits.begin(), bits.end());
		}
		for (std::uint32_t half : { static_cast<std::uint32_t>(w), static_cast<std::uint32_t>(w >> 32) }) {
			const float number = model::unit(half);
			Bytes bits(4);
			std::memcpy(bits.data(), &number, 4);
			want[3].insert(want[3].end(), bits.begin(), bits.end());
		}
		const double single[] = { cprng_number_normal(w, mu, sigma), cprng_number_exponential(w, sigma) };
		demand(std::memcmp(single, numbers + 1, sizeof(single)) == 0, "a single number");
	}
	for (const cprng_numbers_backend *b = cprng_numbers_backends; b->name != nullptr; b++) {
		if ((b->needs & ~cprng_cpu_features()) != 0)
			continue;
		for (std::size_t kind = 0; kind < 4; kind++) {
			Margins place(raw.size(), offset);
			std::copy(raw.begin(), raw.end(), place.data());
			switch (kind) {
			case 0:
				b->doubles(place.data(), count);
				break;
			case 1:
				b->normals(place.data(), count, mu, sigma);
				break;
			case 2:
				b->exponentials(place.data(), count, sigma);
				break;
			default:
				b->floats(place.data(), 2 * count);
			}
			static const char *const kinds[] = { "doubles", "normals", "exponentials", "floats" };
			demand(place.content(b->name) == want[kind], std::string(b->name) + ": other " + kinds[kind]);
		}
	}
}

// Draws are random, so this checks only that every byte is written, none outside, and that numbers are within their bounds.
void draws(Input &input)
{
	// False alarms: a written byte equals the old one each time in one of 256^12 inputs.
	constexpr int times = 12;
	const std::size_t len = input.word(2) % 5000, offset = input.below(64),
			  wrong = SIZE_MAX / 8 + 1 + input.below(4);
	const bool strong = input.below(8) == 0;
	const std::uint64_t a = input.number(), b = input.number();
	std::vector<bool> changed(len);
	std::uint64_t none[4] = {};

	for (int i = 0; i < times; i++) {
		Margins out(len, offset);
		if (strong)
			cprng_strong(out.data(), len);
		else
			cprng_fast(out.data(), len);
		const Bytes content = out.content("a draw");
		for (std::size_t at = 0; at < len; at++)
			changed[at] = changed[at] || content[at] != Margins::filler;
		demand(cprng_uniform64(a) < std::max<std::uint64_t>(a, 1), "uniform64");
		demand(cprng_uniform32(static_cast<std::uint32_t>(a)) <
			       std::max<std::uint32_t>(static_cast<std::uint32_t>(a), 1),
		       "uniform32");
		const std::uint64_t found = cprng_range64(a, b);
		demand(found >= std::min(a, b) && found <= std::max(a, b), "range64");
		const double unit = cprng_double();
		demand(unit >= 0 && unit < 1, "double");
	}
	demand(std::all_of(changed.begin(), changed.end(), [](bool one) { return one; }),
	       "a byte of a draw was not written");
	demand(cprng_fill_u64(none, wrong) == CPRNG_ERR_ARGUMENT, "an array beyond all memory");
}

} // namespace

void choose_level(Input &input)
{
	static const std::uint32_t levels[] = {
		~0u,
		0,
		CPRNG_CPU_SSSE3,
		CPRNG_CPU_SSSE3 | CPRNG_CPU_AESNI,
		CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2,
		CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 | CPRNG_CPU_AESNI | CPRNG_CPU_VAES,
		CPRNG_CPU_SSSE3 | CPRNG_CPU_AVX2 | CPRNG_CPU_AVX512,
	};

	cprng_cpu_set_ceiling(levels[input.below(std::size(levels))]);
}

std::uint64_t word_at_seam(Input &input)
{
	const std::vector<std::uint64_t> &seams = model::seams();
	const auto step = static_cast<std::uint64_t>(static_cast<std::int8_t>(input.byte()));
	const std::uint64_t seam = seams[input.below(seams.size())];
	const std::uint64_t w = seam + (step << input.below(16));

	return input.below(2) == 0 ? w : 0 - w;
}

void backends(Input input)
{
	const std::uint8_t which = input.byte();

	if (which == 255)
		draws(input);
	else if (which % 4 == 0)
		numbers(input);
	else
		ciphers(input);
}

} // namespace fuzz
