// SPDX-License-Identifier: BSD-2-Clause
// The library's buffer and cipher as an engine for the lab's placements: the library's steps without mutual exclusion,
// which the placement provides.  The placement provides the keys; the kernel is not asked.
#ifndef CPRNG_LAB_ORIGINS_ENGINES_LIBRARY_BUFFER_HPP
#define CPRNG_LAB_ORIGINS_ENGINES_LIBRARY_BUFFER_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <cprng/cprng.h>

#include "cpu/registers.h"
#include "engine/engine.h"

// The buffer is written in C.
#define _Static_assert static_assert
#include "core/buffer.h"
#undef _Static_assert

namespace lab {

// Expand a one-time key: into the next key and fresh bytes, or into a long request.
class expanded_key {
public:
	static constexpr std::size_t key_size = 32;

	explicit expanded_key(const unsigned char *key)
	{
		static const unsigned char nonce[CPRNG_NONCE_SIZE_MAX] = {};
		chosen().backend->set_key(&state_, key, key_size);
		chosen().engine->family->set_position(&state_, nonce, chosen().engine->nonce_sizes[0], 0);
	}

	~expanded_key()
	{
		cprng_wipe_lines(&state_, sizeof(state_));
		cprng_clear_registers();
	}

	expanded_key(const expanded_key &) = delete;
	expanded_key &operator=(const expanded_key &) = delete;

	// A multiple of every engine's block.
	void blocks(unsigned char *out, std::size_t len)
	{
		const cprng_engine &engine = *chosen().engine;
		chosen().backend->keystream(&state_, engine.rounds, out, len / engine.block_size, 0);
	}

private:
	struct choice {
		const cprng_engine *engine;
		const cprng_backend *backend;
	};

	// The library's choice of backend.
	static const choice &chosen()
	{
		static const choice of_library = [] {
			cprng_info info;
			cprng_get_info(&info, sizeof(info));
			const cprng_engine *engine = cprng_engine_find(info.engine);
			return choice{ engine, cprng_engine_select(engine) };
		}();
		return of_library;
	}

	cprng_keystate state_;
};

class library_buffer {
public:
	static constexpr const char *name = "library";
	static constexpr std::size_t key_size = expanded_key::key_size, nonce_size = 0;
	static constexpr std::size_t key_size_min = key_size, key_size_max = key_size;
	// As in src/process/draw.h and draw.c.
	static constexpr std::size_t short_max = 512, chunk_size = 1024, bulk_min = 64;

	void key(const unsigned char *key, std::size_t, const unsigned char *)
	{
		std::memset(&buffer_, 0, sizeof(buffer_));
		cprng_buffer_put_key(&buffer_, key, 1);
	}

	std::uint32_t next32()
	{
		std::uint32_t value;
		fill(reinterpret_cast<unsigned char *>(&value), sizeof(value));
		return value;
	}

	// At most short_max bytes; detach() serves longer requests.
	void fill(unsigned char *out, std::size_t len)
	{
		if (__builtin_expect(!cprng_buffer_pop(&buffer_, out, len), 0))
			refill(out, len);
	}

	class one_time {
	public:
		explicit one_time(library_buffer &from)
		{
			from.fill(key_, sizeof(key_));
		}

		void fill(unsigned char *out, std::size_t len) const
		{
			unsigned char last[CPRNG_BLOCK_SIZE_MAX];
			const std::size_t whole = len / sizeof(last) * sizeof(last);
			expanded_key key(key_);
			key.blocks(out, whole);
			key.blocks(last, sizeof(last));
			std::memcpy(out + whole, last, len - whole);
			cprng_wipe(last, sizeof(last));
		}

	private:
		unsigned char key_[key_size];
	};

	one_time detach()
	{
		return one_time(*this);
	}

private:
	[[gnu::noinline]] void refill(unsigned char *out, std::size_t len)
	{
		alignas(64) unsigned char chunk[chunk_size];
		static_cast<void>(cprng_buffer_take_key(&buffer_, chunk));
		expanded_key key(chunk);
		const std::size_t chunks = len >= bulk_min ? CPRNG_BUFFER_PAGE / chunk_size : 1;
		for (std::size_t i = 0; i < chunks; i++) {
			std::size_t used = 0;
			key.blocks(chunk, sizeof(chunk));
			if (i == 0) {
				cprng_buffer_put_key(&buffer_, chunk, 1);
				std::memcpy(out, chunk + key_size, len);
				used = key_size + len;
			}
			cprng_buffer_push(&buffer_, chunk + used, sizeof(chunk) - used);
		}
		cprng_wipe_and_clear_registers(chunk, sizeof(chunk));
	}

	cprng_buffer buffer_;
};

} // namespace lab

#endif
