// SPDX-License-Identifier: BSD-2-Clause
#include "secrets.hpp"

#include "../../../support/internals.hpp"

#include <algorithm>

namespace {

// The most bytes that a refill makes from its key: src/process/draw.c.
constexpr std::size_t refill_max = 4096;

template <typename F> void each_record(const channel::Shared &shared, std::size_t from, F f)
{
	for (std::size_t at = from; at < shared.used;) {
		channel::Record record;
		std::memcpy(&record, shared.log + at, sizeof(record));
		const unsigned char *bytes = shared.log + at + sizeof(record);
		at += sizeof(record) + (record.len + 7) / 8 * 8;
		f(record, bytes);
	}
}

// Words with few distinct bytes occur in many places.  Among random words their share is 10^-5.
bool is_telling(std::uint64_t window)
{
	unsigned int different = 0;
	std::bitset<256> values;

	for (int i = 0; i < 8; i++) {
		const auto byte = static_cast<unsigned char>(window >> 8 * i);
		different += !values[byte];
		values[byte] = true;
	}
	return different >= 6;
}

std::vector<unsigned char> keystream(const char *engine_name, const char *backend_name, const unsigned char *key,
				     const unsigned char *start)
{
	const struct cprng_engine *engine = cprng_engine_find(engine_name);
	const struct cprng_backend *backend = cprng_backend_find(engine, backend_name);
	std::vector<unsigned char> out(refill_max);
	struct cprng_keystate ks;

	backend->set_key(&ks, key, 32);
	if (engine->family == &cprng_family_aesctr) {
		std::memcpy(&ks.counter_hi, start, 8);
		std::memcpy(&ks.counter_lo, start + 8, 8);
	} else {
		std::memcpy(&ks.u.word[12], start, 16);
	}
	backend->keystream(&ks, engine->rounds, out.data(), out.size() / engine->block_size, 0);
	return out;
}

} // namespace

void Filtered::add(std::uint64_t window)
{
	if (!is_telling(window))
		return;
	seen.insert(window);
	filter->set(hash(window));
}

void Filtered::add(const unsigned char *bytes, std::size_t len)
{
	for (std::size_t i = 0; i + 8 <= len; i++)
		add(window_at(bytes + i));
}

Secrets::Secrets(const char *its_engine, const char *its_backend) : engine(its_engine), backend(its_backend)
{
}

void Secrets::learn_key(const unsigned char *key, const unsigned char *start)
{
	std::array<unsigned char, 32> next;

	gone_windows.add(key, 32);
	// ChaCha's vectors hold the key with one word in all lanes.
	for (int i = 0; i < 32; i += 4) {
		std::uint32_t word;
		std::memcpy(&word, key + i, sizeof(word));
		gone_windows.add(std::uint64_t{ word } << 32 | word);
	}
	const std::vector<unsigned char> made = keystream(engine, backend, key, start);
	hidden_windows.add(made.data(), made.size());
	std::copy_n(made.begin(), next.size(), next.begin());
	next_keys.insert(next);
}

void Secrets::learn(const channel::Shared &shared, const std::set<std::array<unsigned char, 32>> &live)
{
	each_record(shared, understood, [this](const channel::Record &record, const unsigned char *bytes) {
		if (record.kind == channel::Kind::pooled)
			hidden_windows.add(bytes, record.len);
		else if (record.kind == channel::Kind::key)
			std::copy_n(bytes, last_key.size(), last_key.begin());
		else if (record.kind == channel::Kind::start)
			learn_key(last_key.data(), bytes);
		else
			gone_windows.add(bytes, record.len);
	});
	understood = shared.used;
	for (auto key = next_keys.begin(); key != next_keys.end();) {
		if (live.count(*key) != 0) {
			++key;
			continue;
		}
		gone_windows.add(key->data(), key->size());
		key = next_keys.erase(key);
	}
}

std::string Secrets::name(const channel::Shared &shared, std::uint64_t window) const
{
	static const char *const names[] = {
		"served", "key", "round keys", "entropy", "entropy of the pools", "start"
	};
	std::string found = "derived from a key";
	std::size_t number = 0;

	each_record(shared, 0, [&](const channel::Record &record, const unsigned char *bytes) {
		number++;
		for (std::size_t i = 0; i + 8 <= record.len; i++) {
			if (window_at(bytes + i) == window)
				found = std::string(names[static_cast<int>(record.kind)]) + ", byte " +
					std::to_string(i) + " of record " + std::to_string(number);
		}
	});
	return found;
}
