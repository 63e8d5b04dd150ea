// SPDX-License-Identifier: BSD-2-Clause
// Two Fortunas get the same events, one with locked and one with concurrent reads, each on its own level of instruction set.
// Their bytes and counts must equal those of a model written from "Cryptography Engineering", 9.4 and 9.5.
#include "fuzz.hpp"

#include <array>
#include <iterator>
#include <utility>

#include <cprng/fortuna.h>

#include "../support/sha256.hpp"
#include "cpu/cpu.h"
#include "model.hpp"

namespace fuzz {

namespace {

constexpr std::size_t pools = 32, queue_length = 256;
constexpr std::uint64_t interval = 100000000; // nanoseconds
constexpr std::size_t piece_of_aes = std::size_t{ 1 } << 20, locked_piece = 4096;

void append(Bytes &to, const Bytes &what)
{
	to.insert(to.end(), what.begin(), what.end());
}

// The model: whole messages instead of running hashes, and a list instead of a queue of cells.
class Paper {
public:
	Paper(const char *engine, std::uint32_t pool_min) : row(model::engine(engine)), least(pool_min)
	{
	}

	bool put(std::uint8_t source, const Bytes &payload, unsigned int bits)
	{
		if (queue.size() == queue_length) {
			dropped++;
			return false;
		}
		queue.push_back({ source, payload, bits });
		return true;
	}

	std::size_t drain(std::uint64_t now)
	{
		const std::size_t waiting = queue.size();

		for (const Event &event : queue) {
			const std::size_t pool = next[event.source]++ % pools;
			append(content[pool], { event.source, static_cast<std::uint8_t>(event.payload.size()) });
			append(content[pool], event.payload);
			entropy[pool] += event.bits;
			events++;
		}
		queue.clear();
		if (is_due(now))
			reseed_from_pools(now);
		return waiting;
	}

	void seed(const Bytes &bytes)
	{
		Bytes message = key;

		append(message, bytes);
		key = reference::hd(message);
		counter = model::counter_plus(counter, 1);
	}

	bool is_seeded() const
	{
		return counter != Bytes(16);
	}

	Bytes read(std::size_t len, bool locked)
	{
		Bytes out;

		while (out.size() < len) {
			const std::size_t left = len - out.size();
			const std::size_t most = row.cipher == "AES" ? piece_of_aes : left;
			append(out, take(std::min(left, locked ? locked_piece : most)));
			key = take(32);
		}
		return out;
	}

	std::uint64_t dropped = 0, events = 0, reseeds = 0;

private:
	struct Event {
		std::uint8_t source;
		Bytes payload;
		unsigned int bits;
	};

	bool is_due(std::uint64_t now)
	{
		if (entropy[0] < 8 * std::uint64_t{ least })
			return false;
		if (reseeds == 0)
			return true;
		// The interval also counts if the clock was set back.
		return std::max(last, now) - std::min(last, now) >= interval;
	}

	void reseed_from_pools(std::uint64_t now)
	{
		Bytes taken;

		reseeds++;
		last = now;
		for (std::size_t i = 0; i < pools; i++) {
			if (reseeds % (std::uint64_t{ 1 } << i) != 0)
				break;
			append(taken, reference::hd(content[i]));
			content[i].clear();
			entropy[i] = 0;
		}
		seed(taken);
	}

	// Whole blocks of the cipher.  The counter is AES's counter, or ChaCha's block number and nonce, lowest byte first.
	Bytes take(std::size_t len)
	{
		Bytes out;

		while (out.size() < len) {
			if (row.cipher == "AES") {
				append(out, model::block(row, key, counter, 0));
			} else {
				std::uint64_t number = 0;
				for (std::size_t i = 8; i < 16; i++)
					number = number << 8 | counter[i];
				append(out,
				       model::block(row, key, Bytes(counter.rbegin() + 8, counter.rend()), number));
			}
			counter = model::counter_plus(counter, 1);
		}
		out.resize(len);
		return out;
	}

	const model::Engine &row;
	std::uint32_t least;
	Bytes key = Bytes(32), counter = Bytes(16);
	std::array<Bytes, pools> content;
	std::array<std::uint64_t, pools> entropy{};
	std::array<std::size_t, 256> next{};
	std::vector<Event> queue;
	std::uint64_t last = 0;
};

std::uint64_t clock_now;

void take_lock(void * /*arg*/, int /*which*/, std::uint64_t * /*token*/)
{
}

int try_lock(void * /*arg*/, int /*which*/, std::uint64_t * /*token*/)
{
	return 1;
}

void unlock(void * /*arg*/, int /*which*/, const std::uint64_t * /*token*/)
{
}

std::uint64_t now(void * /*arg*/)
{
	return clock_now;
}

constexpr cprng_fortuna_hooks hooks = { take_lock, try_lock, unlock, now, nullptr };

class FortunaPlayer {
public:
	explicit FortunaPlayer(const Input &from)
	    : input(from), engine(input.below(2) == 0 ? "aes256-ctr" : "chacha20"),
	      pool_min(static_cast<std::uint32_t>(16 + input.below(64))),
	      paper{ Paper(engine, pool_min), Paper(engine, pool_min) }
	{
		clock_now = input.number();
		for (std::size_t i = 0; i < f.size(); i++) {
			choose_level(input);
			const cprng_fortuna_options options = { engine, pool_min, i == locked, &hooks };
			demand(cprng_fortuna_new(&f[i], &options, sizeof(options)) == 0, "no object");
		}
		cprng_cpu_set_ceiling(~0u);
	}

	~FortunaPlayer()
	{
		for (cprng_fortuna *one : f)
			cprng_fortuna_free(one);
	}

	FortunaPlayer(const FortunaPlayer &) = delete;
	FortunaPlayer &operator=(const FortunaPlayer &) = delete;

	void play()
	{
		for (int calls = 0; !input.empty() && calls < 200; calls++) {
			switch (input.below(8)) {
			case 0:
			case 1:
				add();
				break;
			case 2:
				storm();
				break;
			case 3:
				clock_now += input.below(2) == 0 ? input.number() : interval;
				break;
			case 4: {
				const std::size_t moved = cprng_fortuna_drain(f[0]);
				demand(moved == cprng_fortuna_drain(f[1]), "drains of two numbers of events");
				demand(moved == drain(), "a drain");
				break;
			}
			case 5:
				seed();
				break;
			case 6:
				locked = 1 - locked;
				for (std::size_t i = 0; i < f.size(); i++)
					cprng_fortuna_set_locked_reads(f[i], i == locked);
				break;
			default:
				read();
			}
			count();
		}
	}

private:
	void add_one(unsigned int source, const Bytes &payload, unsigned int bits)
	{
		const Bytes some(33);
		const void *const from = payload.empty() ? some.data() : payload.data();
		int want = 0;

		if (source >= CPRNG_FORTUNA_SOURCES)
			want = CPRNG_ERR_SOURCE;
		else if (payload.size() > CPRNG_FORTUNA_EVENT_MAX)
			want = CPRNG_ERR_SIZE;
		else if (bits > 8 * payload.size())
			want = CPRNG_ERR_ARGUMENT;
		for (cprng_fortuna *one : f) {
			const int error = cprng_fortuna_add(one, source, from, payload.size(), bits);
			demand(want != 0 ? error < 0 && error != CPRNG_ERR_FULL :
					   error == (payload.empty() || !full() ? 0 : CPRNG_ERR_FULL),
			       "an event");
		}
		if (want == 0 && !payload.empty())
			(void)put(source, payload, bits);
	}

	bool full() const
	{
		return waiting == queue_length;
	}

	bool put(unsigned int source, const Bytes &payload, unsigned int bits)
	{
		const bool taken = paper[0].put(static_cast<std::uint8_t>(source), payload, bits);
		(void)paper[1].put(static_cast<std::uint8_t>(source), payload, bits);
		waiting += taken ? 1 : 0;
		return taken;
	}

	void add()
	{
		const unsigned int source = static_cast<unsigned int>(input.word(2) % 260);
		const Bytes payload = input.bytes(input.below(34));

		add_one(source, payload,
			input.below(2) == 0 ? static_cast<unsigned int>(8 * payload.size()) : input.byte());
	}

	std::size_t drain()
	{
		waiting = 0;
		(void)paper[1].drain(clock_now);
		return paper[0].drain(clock_now);
	}

	// Many events, to fill the queue and all pools.
	void storm()
	{
		const std::size_t events = input.below(256) * 2;
		const std::uint8_t from = input.byte(), sources = static_cast<std::uint8_t>(input.below(4) + 1);

		for (std::size_t i = 0; i < events; i++)
			add_one((from + i % sources) % 256, { static_cast<std::uint8_t>(i), from }, 16);
	}

	void seed()
	{
		const Bytes bytes = input.bytes(input.below(80));

		for (cprng_fortuna *one : f) {
			demand((cprng_fortuna_seed(one, bytes.data(), bytes.size()) == 0) == (bytes.size() >= 32),
			       "a seed");
		}
		if (bytes.size() >= 32) {
			for (Paper &one : paper)
				one.seed(bytes);
		}
	}

	void read()
	{
		// A read of more than one concurrent piece: only once for an input, since it takes long.  Some have several
		// locked pieces.
		const std::uint8_t kind = input.byte();
		const bool is_long = kind == 255 && !had_long;
		const std::size_t len = is_long         ? piece_of_aes + input.below(256) :
					kind % 16 == 14 ? locked_piece - 16 + input.word(2) % 9000 :
							  input.word(2) % 700;

		had_long = had_long || is_long;
		for (std::size_t i = 0; i < f.size(); i++) {
			Bytes got(len + 1, 0xa5);
			const int error = cprng_fortuna_read(f[i], got.data(), len);
			if (i == 0)
				(void)drain();
			const bool good = len == 0 || paper[i].is_seeded();
			demand(error == (good ? 0 : CPRNG_ERR_UNSEEDED), "a read");
			Bytes want = len != 0 && good ? paper[i].read(len, i == locked) : Bytes();
			want.resize(len + 1, 0xa5);
			if (good)
				demand(got == want, "a read of other bytes");
		}
	}

	void count()
	{
		for (std::size_t i = 0; i < f.size(); i++) {
			cprng_fortuna_info info{};
			demand(cprng_fortuna_get_info(f[i], &info, sizeof(info)) == 0, "no info");
			demand(info.locked_reads == (i == locked) && info.pool_min == pool_min &&
				       info.engine == std::string(engine),
			       "the options");
			demand(info.seeded == paper[i].is_seeded() && info.reseeds == paper[i].reseeds &&
				       info.events == paper[i].events && info.dropped == paper[i].dropped,
			       "the counts");
		}
	}

	Input input;
	const char *engine;
	std::uint32_t pool_min;
	std::size_t locked = 0;     // index of the object with locked reads
	std::array<Paper, 2> paper; // one for each object: long locked reads return other bytes than concurrent reads
	std::array<cprng_fortuna *, 2> f{};
	std::size_t waiting = 0;
	bool had_long = false;
};

} // namespace

void fortunas(Input input)
{
	FortunaPlayer(input).play();
}

} // namespace fuzz
