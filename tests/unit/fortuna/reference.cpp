// SPDX-License-Identifier: BSD-2-Clause
#include "reference.hpp"

#include <algorithm>

namespace reference {

cprng_uint128 add(cprng_uint128 a, cprng_uint128 b)
{
	cprng_uint128 sum = { 0, 0 };
	unsigned int carry = 0;

	for (unsigned int i = 0; i < 16; i++) {
		const unsigned int shift = 8 * (i % 8);
		const std::uint64_t x = i < 8 ? a.lo : a.hi, y = i < 8 ? b.lo : b.hi;
		const unsigned int digit = (x >> shift & 0xff) + (y >> shift & 0xff) + carry;
		(i < 8 ? sum.lo : sum.hi) |= std::uint64_t{ digit & 0xff } << shift;
		carry = digit >> 8;
	}
	return sum;
}

Bytes keystream(const cprng_engine *engine, const cprng_backend *backend, const Bytes &key, cprng_uint128 counter,
		std::size_t len)
{
	const std::size_t size = engine->block_size;
	const std::uint64_t blocks = (len + size - 1) / size;
	Bytes out(static_cast<std::size_t>(blocks) * size);

	for (std::uint64_t done = 0, n = 0; done < blocks; done += n) {
		n = 1;
		if (backend != portable_backend(engine))
			n = std::min(blocks - done, 0x100000000 - (counter.lo & 0xffffffff));
		Position p;
		p.key = key;
		if (is_aes(engine)) {
			for (int shift = 120; shift >= 0; shift -= 8)
				p.nonce.push_back(static_cast<std::uint8_t>(shift >= 64 ? counter.hi >> (shift - 64) :
											  counter.lo >> shift));
		} else {
			for (int shift = 0; shift < 64; shift += 8)
				p.nonce.push_back(static_cast<std::uint8_t>(counter.hi >> shift));
			p.block = counter.lo;
		}
		cprng_keystate ks = p.set(engine, backend);
		backend->keystream(&ks, engine->rounds, out.data() + done * size, static_cast<std::size_t>(n), 0);
		counter = add(counter, { 0, n });
	}
	out.resize(len);
	return out;
}

Generator::Generator(const cprng_engine *engine, const Bytes &key, cprng_uint128 counter, bool portable)
    : engine(engine), backend(portable ? portable_backend(engine) : cprng_engine_select(engine)), key(key),
      counter(counter)
{
}

void Generator::reseed(const Bytes &seed)
{
	Bytes message = key;

	message.insert(message.end(), seed.begin(), seed.end());
	key = hd(message);
	counter = add(counter, { 0, 1 });
}

Bytes Generator::piece(std::size_t len)
{
	const std::size_t size = engine->block_size;
	const Bytes out = keystream(engine, backend, key, counter, len);

	counter = add(counter, { 0, (len + size - 1) / size });
	key = keystream(engine, backend, key, counter, 32);
	counter = add(counter, { 0, (32 + size - 1) / size });
	return out;
}

std::size_t Generator::piece_max(bool locked) const
{
	return locked ? 4096 : is_aes(engine) ? std::size_t{ 1 } << 20 : SIZE_MAX;
}

Bytes Generator::read(std::size_t len, bool locked)
{
	Bytes out;

	while (out.size() < len) {
		const Bytes bytes = piece(std::min(len - out.size(), piece_max(locked)));
		out.insert(out.end(), bytes.begin(), bytes.end());
	}
	return out;
}

bool Generator::equals(const std::uint8_t *other_key, cprng_uint128 other_counter) const
{
	return std::equal(key.begin(), key.end(), other_key) && counter.hi == other_counter.hi &&
	       counter.lo == other_counter.lo;
}

} // namespace reference
