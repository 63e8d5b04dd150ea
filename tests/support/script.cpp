// SPDX-License-Identifier: BSD-2-Clause
#include "script.hpp"
#include "fake_os.hpp"
#include "splitmix64.hpp"

#include <algorithm>
#include <cstring>

std::vector<script::Given> script::given;
script::Cipher script::cipher;
unsigned long script::replayed;

namespace {

std::uint64_t words_given;

// Words are unique and never on the stack, where tests search for them.
void give(void *buf, std::size_t len, bool by_vdso)
{
	static std::uint64_t x;
	auto *out = static_cast<unsigned char *>(buf);

	for (std::size_t at = 0; at < len; at += 8) {
		x = ++words_given * splitmix64::step;
		splitmix64::mix(x);
		std::memcpy(out + at, &x, std::min<std::size_t>(8, len - at));
	}
	script::given.push_back({ by_vdso, script::Bytes(out, out + len) });
}

// The fake vDSO's states have the size that it reports, and it uses them.
long pretended_vdso(void *buf, std::size_t len, unsigned int, void *state, std::size_t state_size)
{
	if (state_size == ~std::size_t{ 0 }) {
		const struct cprng_vgetrandom_params params = {
			144, 3, 0x22, {}
		}; // readable, writable; private, anonymous
		std::memcpy(state, &params, sizeof(params));
		return 0;
	}
	std::memset(state, 0x5a, state_size);
	give(buf, len, true);
	return static_cast<long>(len);
}

const struct cprng_backend *watched;
struct cprng_backend watching;

void watched_set_key(struct cprng_keystate *ks, const std::uint8_t *key, std::size_t key_size)
{
	if (script::cipher.before_key)
		script::cipher.before_key();
	script::cipher.keys.emplace_back();
	std::copy_n(key, std::min(key_size, script::cipher.keys.back().size()), script::cipher.keys.back().begin());
	watched->set_key(ks, key, key_size);
}

void watched_keystream(struct cprng_keystate *ks, unsigned int rounds, std::uint8_t *out, std::size_t blocks,
		       unsigned int flags)
{
	if (script::cipher.before_keystream)
		script::cipher.before_keystream();
	watched->keystream(ks, rounds, out, blocks, flags);
}

} // namespace

void script::begin(bool with_vdso)
{
	fake_os.nanoseconds = UINT64_C(1000000000000);
	fake_os.getrandom.instead = [](void *buf, std::size_t len) {
		give(buf, len, false);
		return static_cast<long>(len);
	};
	fake_os.vdso = with_vdso ? pretended_vdso : nullptr;
	fake_os.vdso_missing = !with_vdso;
	given.clear();
	given.reserve(100000); // avoids later allocations
}

long script::replay(void *buf, std::size_t len)
{
	for (std::size_t i = 0; i < len; i++)
		static_cast<unsigned char *>(buf)[i] = static_cast<unsigned char>(splitmix64::word(replayed++));
	return static_cast<long>(len);
}

void script::watch_cipher()
{
	struct cprng_process *p = cprng_process();

	watched = p->backend;
	watching = *watched;
	watching.set_key = watched_set_key;
	watching.keystream = watched_keystream;
	p->backend = &watching;
	p->fortuna.backend = &watching;
	cipher = Cipher();
	cipher.keys.reserve(100000);
}

script::Bytes script::expanded(const Key &key, std::size_t len, std::uint64_t first, std::uint64_t number)
{
	const struct cprng_process *p = cprng_process();
	const std::size_t block = p->engine->block_size, blocks = (len + block - 1) / block;
	unsigned char nonce[CPRNG_NONCE_SIZE_MAX] = {};
	Bytes out(blocks * block);
	struct cprng_keystate ks;

	watched->set_key(&ks, key.data(), key.size());
	for (int i = 0; i < 8; i++)
		nonce[i] = static_cast<unsigned char>(first >> 8 * i);
	p->engine->family->set_position(&ks, nonce, p->engine->nonce_sizes[0], number);
	watched->keystream(&ks, p->engine->rounds, out.data(), blocks, 0);
	out.resize(len);
	return out;
}

script::Key script::sum(const Key &a, const Key &b)
{
	Key both;

	std::transform(a.begin(), a.end(), b.begin(), both.begin(),
		       [](unsigned char x, unsigned char y) { return static_cast<unsigned char>(x ^ y); });
	return both;
}

script::Key script::first_key(const Bytes &bytes, std::size_t at)
{
	Key key = {};

	std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), key.size(), key.begin());
	return key;
}
