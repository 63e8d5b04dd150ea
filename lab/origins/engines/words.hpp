// SPDX-License-Identifier: BSD-2-Clause
// Byte output from a word generator, for engines that step by 4 or 8 bytes.
#ifndef CPRNG_LAB_ORIGINS_ENGINES_WORDS_HPP
#define CPRNG_LAB_ORIGINS_ENGINES_WORDS_HPP

#include <cstddef>
#include <cstdint>

#include "core/bytes.h"

namespace lab {

// Engine has `Word step()`; the stream is its words, little-endian.  Unused bytes of a word are kept, so that any split
// of a request gives the same stream.
template <typename Engine, typename Word> class words {
	static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);

public:
	std::uint32_t next32()
	{
		if (sizeof(Word) == 4 && left_ == 0)
			return static_cast<std::uint32_t>(engine().step());
		if (sizeof(Word) == 8 && left_ == 0) {
			word_ = engine().step();
			left_ = 4;
			return static_cast<std::uint32_t>(word_);
		}
		if (sizeof(Word) == 8 && left_ == 4) {
			left_ = 0;
			return static_cast<std::uint32_t>(static_cast<std::uint64_t>(word_) >> 32);
		}
		unsigned char bytes[4];
		fill(bytes, sizeof(bytes));
		return cprng_load_le32(bytes);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		for (; left_ != 0 && len != 0; len--)
			*out++ = next_byte();
		for (; len >= sizeof(Word); len -= sizeof(Word), out += sizeof(Word))
			store(out, engine().step());
		if (len == 0)
			return;
		word_ = engine().step();
		left_ = sizeof(Word);
		for (; len != 0; len--)
			*out++ = next_byte();
	}

protected:
	// Restarts the stream.
	void restart()
	{
		left_ = 0;
		word_ = 0;
	}

	// The secret bytes kept here: see the engines.
	template <typename Function> void word_secrets(Function function)
	{
		function(&word_, sizeof(word_));
	}

private:
	Engine &engine()
	{
		return static_cast<Engine &>(*this);
	}

	unsigned char next_byte()
	{
		return static_cast<unsigned char>(word_ >> 8 * (sizeof(Word) - left_--));
	}

	static void store(unsigned char *out, std::uint32_t word)
	{
		cprng_store_le32(out, word);
	}

	static void store(unsigned char *out, std::uint64_t word)
	{
		cprng_store_le64(out, word);
	}

	Word word_ = 0;
	unsigned int left_ = 0; // bytes of word_, the upper ones
};

} // namespace lab

#endif
