// SPDX-License-Identifier: BSD-2-Clause
// Compares sequences of calls of <cprng/stream.h> and of its C++ class with the model: every byte, number, offset and error.
#include "player.hpp"
#include "../support/replace.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include <cprng/cprng.hpp>

#include "cpu/cpu.h"

std::jmp_buf fuzz::death;
bool fuzz::may_die;

// Replaces the library's fatal error: the call ends here, and the program continues.
REPLACE([[noreturn]] void, cprng_os_die, (const char *what, long error))
{
	if (!fuzz::may_die)
		__real_cprng_os_die(what, error);
	fuzz::may_die = false;
	std::longjmp(fuzz::death, 1);
}

namespace fuzz {

void Player::play()
{
	choose_level(input);
	for (int calls = 0; !input.empty() && calls < 64; calls++) {
		at = &pair[input.below(std::size(pair))];
		call(input.below(16));
		demand(cprng_stream_tell(&at->s) == (at->m ? at->m->offset : 0), "the offset");
		if (!at->m)
			demand(all_zero(), "an object that is not a stream has something in it");
	}
	for (Pair &p : pair)
		cprng_stream_wipe(&p.s);
}

bool Player::all_zero() const
{
	const auto zero = [](unsigned char x) { return x == 0; };
	const cprng_stream &s = at->s;

	return s.next == 0 && std::all_of(std::begin(s.buffer), std::end(s.buffer), zero) &&
	       std::all_of(std::begin(s.opaque), std::end(s.opaque), zero);
}

void Player::call(std::size_t which)
{
	switch (which) {
	case 0:
		return init();
	case 1:
		return seed();
	case 2:
		return chosen();
	case 3:
		return child();
	case 4:
		return seek();
	case 5:
		return checkpoint();
	case 6:
		return copy();
	case 7:
		return choose_level(input);
	case 8:
		return read();
	case 9:
		return input.below(2) == 0 ? single() : attempt();
	case 10:
		return arrays();
	case 11:
		return shuffle();
	case 12:
		return sample();
	case 13:
		return class_calls();
	default:
		return number();
	}
}

std::string Player::engine()
{
	const std::size_t i = input.below(model::engines().size() + 1);
	return i < model::engines().size() ? model::engines()[i].name : "chacha";
}

std::size_t Player::size(const std::string &name, std::vector<std::size_t> model::Engine::*listed)
{
	static const std::size_t some[] = { 0, 1, 8, 12, 15, 16, 17, 24, 31, 32, 33, 64 };
	const std::size_t choice = input.byte();

	for (const model::Engine &row : model::engines()) {
		if (row.name == name && choice < 224)
			return (row.*listed)[choice % (row.*listed).size()];
	}
	return some[choice % std::size(some)];
}

double Player::parameter()
{
	static const double some[] = { 0.0,
				       1.0,
				       -0.0,
				       -1.0,
				       0.1,
				       1e300,
				       5e-324,
				       std::numeric_limits<double>::infinity(),
				       std::numeric_limits<double>::quiet_NaN(),
				       std::numeric_limits<double>::max() };
	const std::size_t i = input.below(std::size(some) + 6);

	return i < std::size(some) ? some[i] : std::ldexp(static_cast<double>(input.word(3)), -10);
}

void Player::init()
{
	const std::string name = engine();
	const Bytes key = input.bytes(size(name, &model::Engine::key_sizes));
	const bool none = input.below(4) == 0;
	const Bytes nonce = none ? Bytes() : input.bytes(size(name, &model::Engine::nonce_sizes));
	const int error = cprng_stream_init(&at->s, name.c_str(), key.data(), key.size(), none ? nullptr : nonce.data(),
					    nonce.size());

	at->m.reset();
	try {
		const model::Engine &row = model::engine(name);
		// An empty vector may have a null address, which would mean no nonce.
		const bool first = none || (nonce.empty() && nonce.data() == nullptr);
		at->m.emplace(name, key, first ? Bytes(row.nonce_sizes[0]) : nonce);
	} catch (const model::Refused &) {
		demand(error < 0 && error != CPRNG_ERR_SELFTEST, "a wrong engine, key or nonce is accepted");
	}
	demand(!at->m || error == 0, "an engine, key and nonce are refused");
}

void Player::seed()
{
	const std::string name = engine();
	const bool usual = input.below(2) == 0;
	const char *given = usual ? nullptr : name.c_str();
	const std::string meant = usual ? "chacha8" : name;
	std::optional<model::Stream> made;
	int error = 0;

	try {
		switch (input.below(5)) {
		case 0: {
			const std::uint64_t value = input.number();
			error = cprng_stream_seed_integer(&at->s, given, value);
			made = model::Stream::of_integer(meant, value);
			break;
		}
		case 1: {
			Bytes text = input.bytes(input.below(70));
			std::replace(text.begin(), text.end(), std::uint8_t{ 0 }, std::uint8_t{ 1 });
			error = cprng_stream_seed_string(&at->s, given, std::string(text.begin(), text.end()).c_str());
			made = model::Stream::of_seed(meant, 's', text);
			break;
		}
		case 3: {
			const Bytes text = input.bytes(input.below(70));
			error = cprng_stream_seed_text(&at->s, given, reinterpret_cast<const char *>(text.data()),
						       text.size());
			if (std::find(text.begin(), text.end(), 0) != text.end())
				throw model::Refused();
			made = model::Stream::of_seed(meant, 's', text);
			break;
		}
		case 4: {
			const Bytes value = input.bytes(input.below(40));
			const bool is_negative = input.below(2) == 0;
			error = cprng_stream_seed_number(&at->s, given, value.data(), value.size(), is_negative);
			made = model::Stream::of_number(meant, value, is_negative);
			break;
		}
		default: {
			const Bytes bytes = input.bytes(input.below(150));
			error = cprng_stream_seed_bytes(&at->s, given, bytes.data(), bytes.size());
			made = model::Stream::of_seed(meant, 'b', bytes);
		}
		}
	} catch (const model::Refused &) {
		demand(error < 0 && error != CPRNG_ERR_SELFTEST, "a wrong seed is accepted");
	}
	demand(!made || error == 0, "a seed is refused");
	if (made)
		at->m = made;
}

// A stream with 16 bytes of the input at a chosen place: two words at any border of the numbers.
void Player::chosen()
{
	const Bytes key = input.bytes(16);
	const std::uint64_t place = input.number() % ((std::uint64_t{ 1 } << 60) - 1);
	const std::size_t kinds = input.below(4);
	Bytes block = model::little((kinds & 1) == 0 ? input.number() : word_at_seam(input), 8);
	const Bytes second = model::little((kinds & 2) == 0 ? input.number() : word_at_seam(input), 8);

	block.insert(block.end(), second.begin(), second.end());
	const Bytes nonce = model::counter_minus(model::aes_decrypted(key, block), place);
	at->m.emplace("aes128-ctr", key, nonce);
	demand(cprng_stream_init(&at->s, "aes128-ctr", key.data(), 16, nonce.data(), 16) == 0, "a nonce is refused");
	at->m->seek(16 * place);
	demand(cprng_stream_seek(&at->s, 16 * place) == 0, "a seek is refused");
	demand(at->m->read(16) == block, "the model's AES does not invert");
	at->m->seek(16 * place);
}

void Player::child()
{
	Pair &other = pair[input.below(std::size(pair))];
	const std::uint64_t index = input.number();
	const int error = cprng_stream_child(&other.s, index, &at->s);

	demand((error == 0) == other.m.has_value(), "a child");
	if (other.m)
		at->m = other.m->child(index);
}

void Player::seek()
{
	const std::uint64_t from_end = input.number(), small = input.word(2) % 3000;
	const std::uint64_t now = at->m ? at->m->offset : 0, end = at->m ? at->m->end : 0;
	const std::uint64_t to[] = { from_end, end - small, now + small, now - small, 0 };
	const std::uint64_t target = to[input.below(std::size(to))];
	const bool relative = input.below(2) == 0;
	bool fits = at->m.has_value();
	int error = 0;

	if (relative) {
		const auto step = static_cast<std::int64_t>(target - now);
		error = cprng_stream_advance(&at->s, step);
		fits = fits && (step < 0 ? target < now : target >= now);
	} else {
		error = cprng_stream_seek(&at->s, target);
	}
	try {
		if (fits)
			at->m->seek(target);
	} catch (const model::Refused &) {
		fits = false;
	}
	demand(error == (fits ? 0 : at->m ? CPRNG_ERR_RANGE : CPRNG_ERR_ARGUMENT), "a seek");
}

void Player::checkpoint()
{
	Pair &other = pair[input.below(std::size(pair))];
	Bytes saved(CPRNG_STREAM_CHECKPOINT_SIZE);
	const std::size_t spoiled = input.below(256), bit = input.below(8);

	if (!at->m) {
		demand(cprng_stream_save(&at->s, saved.data(), saved.size()) == CPRNG_ERR_ARGUMENT,
		       "a save of nothing");
		saved = input.bytes(saved.size());
		demand(cprng_stream_restore(&at->s, saved.data(), saved.size()) == CPRNG_ERR_CHECKPOINT, "any bytes");
		return;
	}
	demand(cprng_stream_save(&at->s, saved.data(), saved.size() - 1) == CPRNG_ERR_SIZE, "a short checkpoint");
	demand(cprng_stream_save(&at->s, saved.data(), saved.size()) == 0, "a save");
	demand(saved == at->m->checkpoint(), "a checkpoint");
	if (spoiled < saved.size()) {
		const Bytes before = bits_of(&other.s, 1);
		saved[spoiled] ^= static_cast<std::uint8_t>(1u << bit);
		demand(cprng_stream_restore(&other.s, saved.data(), saved.size()) == CPRNG_ERR_CHECKPOINT,
		       "a spoiled one");
		demand(before == bits_of(&other.s, 1), "a refused checkpoint changes the object");
	} else {
		demand(cprng_stream_restore(&other.s, saved.data(), saved.size()) == 0, "a restore");
		other.m = at->m;
	}
}

void Player::copy()
{
	Pair &other = pair[input.below(std::size(pair))];

	if (input.below(4) == 0) {
		cprng_stream_wipe(&at->s);
		at->m.reset();
	} else {
		at->s = other.s;
		at->m = other.m;
	}
}

void Player::read()
{
	const std::size_t len = input.word(2) % 5000;
	Bytes got(len + 2, 0xa5), want;
	const int error = cprng_stream_read(&at->s, got.data() + 1, len);
	bool fits = at->m.has_value();

	try {
		if (fits)
			want = at->m->read(len);
	} catch (const model::Refused &) {
		fits = false;
	}
	demand(error == (fits ? 0 : at->m ? CPRNG_ERR_RANGE : CPRNG_ERR_ARGUMENT), "a read");
	want.resize(fits ? len : 0);
	want.insert(want.begin(), 0xa5);
	want.resize(len + 2, 0xa5);
	demand(got == want, "bytes");
}

void Player::number()
{
	// Calls through pointers use the library's own functions, as callers without inlining do.  Other calls are inlined here.
	static std::uint8_t (*volatile const u8)(cprng_stream *) = cprng_stream_u8;
	static std::uint16_t (*volatile const u16)(cprng_stream *) = cprng_stream_u16;
	static std::uint32_t (*volatile const u32)(cprng_stream *) = cprng_stream_u32;
	static std::uint64_t (*volatile const u64)(cprng_stream *) = cprng_stream_u64;
	static float (*volatile const single)(cprng_stream *) = cprng_stream_float;
	static std::uint32_t (*volatile const uniform32)(cprng_stream *, std::uint32_t) = cprng_stream_uniform32;
	using M = model::Stream;
	using S = cprng_stream *;
	const std::size_t kind = input.below(19);
	const std::uint64_t a = kind >= 12 && kind <= 16 ? input.number() : 0,
			    b = kind >= 15 && kind <= 16 ? input.number() : 0;
	const auto a32 = static_cast<std::uint32_t>(a);
	const auto a63 = static_cast<std::int64_t>(a), b63 = static_cast<std::int64_t>(b);

	switch (kind) {
	case 0:
		return one<std::uint8_t>([](S s) { return cprng_stream_u8(s); }, [](M &m) { return m.bits(8); }, "u8");
	case 1:
		return one<std::uint16_t>([](S s) { return cprng_stream_u16(s); }, [](M &m) { return m.bits(16); },
					  "u16");
	case 2:
		return one<std::uint32_t>([](S s) { return cprng_stream_u32(s); }, [](M &m) { return m.bits(32); },
					  "u32");
	case 3:
		return one<std::uint64_t>([](S s) { return cprng_stream_u64(s); }, [](M &m) { return m.bits(64); },
					  "u64");
	case 4:
		return one<std::uint8_t>([](S s) { return u8(s); }, [](M &m) { return m.bits(8); }, "u8()");
	case 5:
		return one<std::uint16_t>([](S s) { return u16(s); }, [](M &m) { return m.bits(16); }, "u16()");
	case 6:
		return one<std::uint32_t>([](S s) { return u32(s); }, [](M &m) { return m.bits(32); }, "u32()");
	case 7:
		return one<std::uint64_t>([](S s) { return u64(s); }, [](M &m) { return m.bits(64); }, "u64()");
	case 8:
		return one<int>([](S s) { return cprng_stream_bool(s); }, [](M &m) { return m.bits(8) % 2; }, "bool");
	case 9:
		return one<float>([](S s) { return cprng_stream_float(s); },
				  [](M &m) { return model::unit(static_cast<std::uint32_t>(m.bits(32))); }, "float");
	case 10:
		return one<float>([](S s) { return single(s); },
				  [](M &m) { return model::unit(static_cast<std::uint32_t>(m.bits(32))); }, "float()");
	case 11:
		return one<double>([](S s) { return cprng_stream_double(s); },
				   [](M &m) { return model::unit(m.bits(64)); }, "double");
	case 12:
	case 13:
		return one<std::uint32_t>(
			[=](S s) { return kind == 12 ? uniform32(s, a32) : cprng_stream_uniform32(s, a32); },
			[=](M &m) { return m.uniform32(a32); }, "uniform32");
	case 14:
		return one<std::uint64_t>([=](S s) { return cprng_stream_uniform64(s, a); },
					  [=](M &m) { return m.uniform64(a); }, "uniform64");
	case 15:
		return one<std::uint64_t>([=](S s) { return cprng_stream_range64(s, a, b); },
					  [=](M &m) { return m.range64(a, b); }, "range64");
	case 16:
		return one<std::int64_t>([=](S s) { return cprng_stream_int_range(s, a63, b63); },
					 [=](M &m) { return m.int_range(a63, b63); }, "int_range");
	}
	const double p = parameter(), q = parameter();
	const bool valid = std::isfinite(q) && q >= 0 && (kind == 18 || std::isfinite(p));
	if (!valid) {
		demand(std::isnan(kind == 17 ? cprng_stream_normal(&at->s, p, q) : cprng_stream_exponential(&at->s, q)),
		       "a NaN");
		return;
	}
	if (kind == 17)
		one<double>([=](S s) { return cprng_stream_normal(s, p, q); },
			    [=](M &m) { return model::normal(m.bits(64), p, q); }, "normal");
	else
		one<double>([=](S s) { return cprng_stream_exponential(s, q); },
			    [=](M &m) { return model::exponential(m.bits(64), q); }, "exponential");
}

void Player::arrays()
{
	using M = model::Stream;
	using S = cprng_stream *;
	const std::size_t kind = input.below(11), count = input.word(2) % 1200;

	switch (kind) {
	case 0:
		return array<std::uint32_t>(count, true, cprng_stream_fill_u32, [](M &m) { return m.bits(32); });
	case 1:
		return array<std::uint64_t>(count, true, cprng_stream_fill_u64, [](M &m) { return m.bits(64); });
	case 2:
		return array<float>(count, true, cprng_stream_fill_float,
				    [](M &m) { return model::unit(static_cast<std::uint32_t>(m.bits(32))); });
	case 3:
		return array<double>(count, true, cprng_stream_fill_double,
				     [](M &m) { return model::unit(m.bits(64)); });
	case 4: {
		// Larger than memory: must be refused before anything is written.
		const std::size_t most = std::numeric_limits<std::size_t>::max() / 8 + 1 + input.below(4);
		std::uint64_t none[4] = {};
		const int error = cprng_stream_fill_u64(&at->s, none, most);
		demand(error == (at->m ? CPRNG_ERR_RANGE : CPRNG_ERR_ARGUMENT), "an array beyond all memory");
		return;
	}
	}
	if (kind > 6) {
		const std::uint64_t a = input.number(), b = input.number();
		const auto a32 = static_cast<std::uint32_t>(a);
		const auto a63 = static_cast<std::int64_t>(a), b63 = static_cast<std::int64_t>(b);
		if (kind == 7)
			array<std::uint32_t>(
				count, true,
				[=](S s, std::uint32_t *out, std::size_t n) {
					return cprng_stream_fill_uniform32(s, out, n, a32);
				},
				[=](M &m) { return m.uniform32(a32); }, true);
		else if (kind == 8)
			array<std::uint64_t>(
				count, true,
				[=](S s, std::uint64_t *out, std::size_t n) {
					return cprng_stream_fill_uniform64(s, out, n, a);
				},
				[=](M &m) { return m.uniform64(a); }, true);
		else if (kind == 9)
			array<std::uint64_t>(
				count, true,
				[=](S s, std::uint64_t *out, std::size_t n) {
					return cprng_stream_fill_range64(s, out, n, a, b);
				},
				[=](M &m) { return m.range64(a, b); }, true);
		else
			array<std::int64_t>(
				count, true,
				[=](S s, std::int64_t *out, std::size_t n) {
					return cprng_stream_fill_int_range(s, out, n, a63, b63);
				},
				[=](M &m) { return m.int_range(a63, b63); }, true);
		return;
	}
	const double p = parameter(), q = parameter();
	const bool valid = std::isfinite(q) && q >= 0;
	if (kind == 5)
		array<double>(
			count, valid && std::isfinite(p),
			[=](S s, double *out, std::size_t n) { return cprng_stream_fill_normal(s, out, n, p, q); },
			[=](M &m) { return model::normal(m.bits(64), p, q); });
	else
		array<double>(
			count, valid,
			[=](S s, double *out, std::size_t n) { return cprng_stream_fill_exponential(s, out, n, q); },
			[=](M &m) { return model::exponential(m.bits(64), q); });
}

// cprng::stream continues at the object's offset.
void Player::class_calls()
{
	if (!at->m)
		return;
	cprng::stream s(0);
	std::stringstream text;
	const std::uint64_t a = input.number(), b = input.number();

	if (at->m->end - at->m->offset < 1 << 20)
		return;
	text << ' ';
	for (std::uint8_t byte : at->m->checkpoint())
		text << "0123456789abcdef"[byte >> 4] << "0123456789abcdef"[byte & 15];
	if (input.below(2) == 0)
		text >> std::noskipws;
	text >> s;
	demand(!text.fail(), ">>");
	demand(s.tell() == at->m->offset, "the offset of an object that was read");
	s.discard(a % 1000);
	at->m->seek(at->m->offset + 8 * (a % 1000));
	demand(s() == at->m->bits(64), "a number after discard()");
	const auto [lo, hi] = std::minmax({ static_cast<std::int64_t>(a), static_cast<std::int64_t>(b) });
	demand(s.range(lo, hi) == at->m->int_range(lo, hi), "range()");
	text = std::stringstream();
	text << s;
	text >> s;
	demand(!text.fail() && s.tell() == at->m->offset, "<< and >>");
	demand(cprng_stream_seek(&at->s, at->m->offset) == 0, "a seek after the object's calls");
}

void streams(Input input)
{
	Player(input).play();
	cprng_cpu_set_ceiling(~0u);
}

} // namespace fuzz
