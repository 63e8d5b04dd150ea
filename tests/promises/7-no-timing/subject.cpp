// SPDX-License-Identifier: BSD-2-Clause
#include "subject.hpp"

#include <algorithm>
#include <cstring>

#include "../../../lab/origins/engines/engines.hpp"
#include "engine/engine.h"

namespace lab::ct {

// Nonzero: zeros may make a cipher's first steps special.
const unsigned char fixed_key[key_size_max] = { 1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
						17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

namespace {

constexpr const char *no_backend = "-";
constexpr const char *control_name = "early-exit";

// The undefined marks propagate from the key through the library, which computes without tables.
class library_subject final : public subject {
public:
	library_subject(const cprng_engine *engine, const cprng_backend *backend) : engine_(engine), backend_(backend)
	{
	}

	std::vector<std::size_t> key_sizes() const override
	{
		std::vector<std::size_t> sizes;
		for (const std::uint8_t size : engine_->key_sizes)
			if (size != 0)
				sizes.push_back(size);
		return sizes;
	}

	void set_key(const unsigned char *key, std::size_t size) override
	{
		backend_->set_key(&state_, key, size);
	}

	void secrets(const marker &) override
	{
	}

	void state(const marker &mark) override
	{
		mark(&state_, sizeof(state_));
	}

	// At the start; at the carry into the counter's upper half; and, for AES, at the carry from 64 to 128 bits.
	void set_position(std::size_t n) override
	{
		unsigned char nonce[CPRNG_NONCE_SIZE_MAX] = {};
		if (n == 2)
			std::memset(nonce + 1, 0xff, sizeof(nonce) - 1);
		engine_->family->set_position(&state_, nonce, engine_->nonce_sizes[0], n == 1 ? UINT32_MAX - 1 : 0);
	}

	std::size_t unit() const override
	{
		return engine_->block_size;
	}

	void keystream(unsigned char *out, std::size_t units, bool streaming) override
	{
		backend_->keystream(&state_, engine_->rounds, out, units, streaming ? CPRNG_STREAMING : 0);
	}

private:
	const cprng_engine *engine_;
	const cprng_backend *backend_;
	cprng_keystate state_ = {};
};

class lab_subject final : public subject {
public:
	explicit lab_subject(const engine_info &engine) : info_(engine), engine_(engine.make())
	{
	}

	std::vector<std::size_t> key_sizes() const override
	{
		return { info_.key_size };
	}

	void set_key(const unsigned char *key, std::size_t size) override
	{
		const unsigned char nonce[16] = {};
		engine_->key(key, size, nonce);
	}

	void secrets(const marker &mark) override
	{
		engine_->secrets(mark);
	}

	void state(const marker &mark) override
	{
		engine_->secrets(mark);
	}

	void set_position(std::size_t) override
	{
	}

	std::size_t unit() const override
	{
		return 1;
	}

	void keystream(unsigned char *out, std::size_t units, bool) override
	{
		for (; units >= 128; units -= 4, out += 4) {
			const std::uint32_t word = engine_->next32();
			std::memcpy(out, &word, sizeof(word));
		}
		engine_->fill(out, units);
	}

private:
	const engine_info &info_;
	std::unique_ptr<any_engine> engine_;
};

// Compares the key byte by byte and stops at the first difference: every timing test must detect this.
class early_exit_subject final : public subject {
public:
	std::vector<std::size_t> key_sizes() const override
	{
		return { key_size_max };
	}

	void set_key(const unsigned char *key, std::size_t size) override
	{
		std::memcpy(key_, key, size);
		std::size_t same = 0;
		while (same < size && key[same] == fixed_key[same]) {
			same++;
			asm volatile("" : "+r"(same)); // so that the compiler cannot compare all of it at once
		}
		same_ = same;
	}

	void secrets(const marker &) override
	{
	}

	void state(const marker &mark) override
	{
		mark(key_, sizeof(key_));
	}

	void set_position(std::size_t) override
	{
	}

	std::size_t unit() const override
	{
		return key_size_max;
	}

	void keystream(unsigned char *out, std::size_t units, bool) override
	{
		for (; units != 0; units--, out += key_size_max)
			std::memcpy(out, key_, key_size_max);
	}

private:
	unsigned char key_[key_size_max] = {};
	std::size_t same_ = 0;
};

} // namespace

std::vector<entry> list_subjects()
{
	std::vector<entry> all;
	for (const cprng_engine *engine = cprng_engines; engine->name != nullptr; engine++)
		for (const cprng_backend *b = engine->family->backends; b->name != nullptr; b++)
			all.push_back(
				{ "library", engine->name, b->name, cprng_backend_usable(b), sizeof(cprng_keystate) });
	for (const engine_info &engine : engines)
		all.push_back({ "lab", engine.name, no_backend, true, engine.state_size });
	all.push_back({ "control", control_name, no_backend, true, key_size_max });
	return all;
}

std::unique_ptr<subject> make_subject(std::string_view engine, std::string_view backend)
{
	const std::vector<entry> all = list_subjects();
	const auto found = std::find_if(all.begin(), all.end(), [&](const entry &e) {
		return e.engine == engine && e.backend == backend && e.usable;
	});
	if (found == all.end())
		return nullptr;
	if (found->kind == "control")
		return std::make_unique<early_exit_subject>();
	if (found->kind == "lab")
		return std::make_unique<lab_subject>(*find_engine(engine));
	const cprng_engine *const e = cprng_engine_find(found->engine.c_str());
	return std::make_unique<library_subject>(e, cprng_backend_find(e, found->backend.c_str()));
}

} // namespace lab::ct
