// SPDX-License-Identifier: BSD-2-Clause
// The lab's engines by name, for code that need not inline them.
#ifndef CPRNG_LAB_ORIGINS_ENGINES_ENGINES_HPP
#define CPRNG_LAB_ORIGINS_ENGINES_ENGINES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "hc128.hpp"
#include "rc4.hpp"
#include "simple.hpp"

namespace lab {

// Any one of them; the classes have the contracts.
class any_engine {
public:
	virtual ~any_engine() = default;
	virtual void key(const unsigned char *key, std::size_t key_len, const unsigned char *nonce) = 0;
	virtual std::uint32_t next32() = 0;
	virtual void fill(unsigned char *out, std::size_t len) = 0;
	virtual void secrets(const std::function<void(void *, std::size_t)> &function) = 0;
};

template <typename Engine> class held_engine final : public any_engine {
public:
	void key(const unsigned char *key, std::size_t key_len, const unsigned char *nonce) override
	{
		engine_.key(key, key_len, nonce);
	}

	std::uint32_t next32() override
	{
		return engine_.next32();
	}

	void fill(unsigned char *out, std::size_t len) override
	{
		engine_.fill(out, len);
	}

	void secrets(const std::function<void(void *, std::size_t)> &function) override
	{
		engine_.secrets(function);
	}

private:
	Engine engine_;
};

struct engine_info {
	const char *name, *description;
	std::size_t key_size; // the usual size
	std::size_t key_size_min, key_size_max, nonce_size;
	std::size_t state_size; // bytes of the object: the cost of a per-CPU buffer
	std::unique_ptr<any_engine> (*make)();
};

template <typename Engine> constexpr engine_info describe_engine(const char *description)
{
	return { Engine::name,         description,
		 Engine::key_size,     Engine::key_size_min,
		 Engine::key_size_max, Engine::nonce_size,
		 sizeof(Engine),       [] { return std::unique_ptr<any_engine>(new held_engine<Engine>); } };
}

inline constexpr engine_info engines[] = {
	describe_engine<rc4>("RC4, without a drop"),
	describe_engine<hc128>("HC-128"),
	describe_engine<lcg>("Knuth's LCG modulo 2^64, upper half; not cryptographic"),
	describe_engine<lfsr>("32-bit Galois LFSR; not cryptographic"),
	describe_engine<xoshiro256pp>("xoshiro256++; not cryptographic"),
};

// By name, or nullptr.
inline const engine_info *find_engine(std::string_view name)
{
	for (const engine_info &engine : engines)
		if (name == engine.name)
			return &engine;
	return nullptr;
}

} // namespace lab

#endif
