// SPDX-License-Identifier: BSD-2-Clause
// Reports the kernel's bytes and the ciphers' keys to the examiner.  They are copied byte by byte, and only to the shared
// memory, so that neither the subject's stack nor its vector registers hold them.
#include "subject.hpp"

#include "../../../support/internals.hpp"
#include "../../../support/replace.hpp"
#include "numbers/numbers.h"
#include "os/linux/vdso.h"

#include <cerrno>

subject::Seams subject::seams;

namespace {

const struct cprng_backend *watched;
struct cprng_backend watching;
bool key_is_new;

void log_entropy(const void *buf, long len)
{
	// The eight bytes of a generation's number are not secret; when a generation begins, secret bytes follow them.
	constexpr long number = 8;
	if (len <= number || buf == nullptr)
		return;
	const struct cprng_process &p = *cprng_process();
	const bool begins = p.fork_state != nullptr && !cprng_is_generation(p.fork_state->generation);
	const auto kind = p.strong_used != 0 ? channel::Kind::pooled : channel::Kind::entropy;
	const long skipped = begins ? number : 0;
	subject::log(kind, static_cast<const unsigned char *>(buf) + skipped, static_cast<std::size_t>(len - skipped));
}

cprng_vgetrandom vdso_getrandom;

long watched_vdso_getrandom(void *buf, std::size_t len, unsigned int flags, void *state, std::size_t state_size)
{
	const long n = vdso_getrandom(buf, len, flags, state, state_size);

	log_entropy(buf, n);
	return n;
}

// Both functions end with a tail call to the cipher, so that nothing overwrites what the cipher leaves on the stack.
void watched_set_key(struct cprng_keystate *ks, const std::uint8_t *key, std::size_t key_size)
{
	subject::log(channel::Kind::key, key, key_size);
	key_is_new = true;
	watched->set_key(ks, key, key_size);
}

void watched_keystream(struct cprng_keystate *ks, unsigned int rounds, std::uint8_t *out, std::size_t blocks,
		       unsigned int flags)
{
	const bool is_aes = cprng_process()->engine->family == &cprng_family_aesctr;
	if (key_is_new && is_aes) {
		const std::uint64_t counter[2] = { ks->counter_hi, ks->counter_lo };
		subject::log(channel::Kind::start, counter, sizeof(counter));
		subject::log(channel::Kind::round_keys, ks->u.round_key, (rounds + 1) * std::size_t{ 16 });
	} else if (key_is_new) {
		// ChaCha's state contains only the key, constants and this position.
		subject::log(channel::Kind::start, &ks->u.word[12], 16);
	}
	key_is_new = false;
	watched->keystream(ks, rounds, out, blocks, flags);
}

} // namespace

void subject::log(channel::Kind kind, const void *bytes, std::size_t len)
{
	channel::Shared *const shared = seams.shared;
	const volatile unsigned char *from = static_cast<const unsigned char *>(bytes);

	if (shared == nullptr)
		return;
	if (shared->used + len + 16 > sizeof(shared->log)) {
		shared->full = 1;
		return;
	}
	const channel::Record record = { kind, static_cast<std::uint32_t>(len) };
	std::memcpy(shared->log + shared->used, &record, sizeof(record));
	volatile unsigned char *to = shared->log + shared->used + sizeof(record);
	for (std::size_t i = 0; i < len; i++)
		to[i] = from[i];
	shared->used += sizeof(record) + (len + 7) / 8 * 8;
}

void subject::watch_ciphers()
{
	struct cprng_process *p = cprng_process();

	watched = p->backend;
	watching = *watched;
	watching.set_key = watched_set_key;
	watching.keystream = watched_keystream;
	p->backend = &watching;
	p->fortuna.backend = &watching;
}

REPLACE(long, cprng_sys_getrandom, (void *buf, std::size_t len))
{
	const long n = __real_cprng_sys_getrandom(buf, len);

	log_entropy(buf, n);
	return n;
}

REPLACE(long, cprng_sys_madvise, (void *p, std::size_t len, int advice))
{
	return subject::seams.madvise_refused ? -EINVAL : __real_cprng_sys_madvise(p, len, advice);
}

// The best that needs no more than the cipher's backend: each backend of the numbers is then examined with some cipher.
REPLACE(const struct cprng_numbers_backend *, cprng_numbers_first_usable, (void))
{
	const struct cprng_numbers_backend *b = cprng_numbers_backends;

	while ((b->needs & ~watched->needs) != 0)
		b++;
	return b;
}

REPLACE(const struct cprng_numbers_backend *, cprng_numbers_select, (void))
{
	return cprng_numbers_first_usable();
}

REPLACE(std::uint32_t, cprng_os_seconds, (void))
{
	return __real_cprng_os_seconds() + subject::seams.seconds_ahead;
}

REPLACE(cprng_vgetrandom, cprng_vdso_getrandom, (void))
{
	vdso_getrandom = __real_cprng_vdso_getrandom();
	return vdso_getrandom != nullptr ? watched_vdso_getrandom : nullptr;
}
