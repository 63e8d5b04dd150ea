// SPDX-License-Identifier: BSD-2-Clause
// The loops whose instructions lab/instructions/run counts, for any architecture with a compiler.  No clock is read.
//
//     instructions list            one line per work: KIND NAME [BACKEND], bytes per call, implementation; separated by tabs
//     instructions COUNT WORK...   does that work COUNT times
//
// KIND is keystream (4096 bytes of an engine by one backend), draw (32 bits of a generator of lab/origins/placements/) or fill
// (256 bytes of it).
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include <cprng/cprng.h>

#include "../origins/placements/generators.hpp"
#include "engine/engine.h"

namespace {

constexpr std::size_t keystream_bytes = 4096, request = 256, number = 4;

// Each lab engine, and the library's buffer and cipher, as one plain state; the latter also claimed per draw.  The library
// itself is left out, because it buffers nothing in an emulator.
constexpr const char *generators[] = { "nothing",       "arc4-plain",   "hc128-plain",  "chacha8-plain",
				       "xoshiro-plain", "buffer-plain", "buffer-percpu" };

void list()
{
	for (std::size_t i = 0; cprng_engines[i].name != nullptr; i++)
		for (const cprng_backend *b = cprng_engines[i].family->backends; b->name != nullptr; b++)
			if (cprng_backend_usable(b))
				std::printf("keystream %s %s\t%zu\t%s\n", cprng_engines[i].name, b->name,
					    keystream_bytes, b->name);
	for (const char *name : generators) {
		const char *placement = lab::find_generator(name).placement;
		std::printf("draw %s\t%zu\t%s\n", name, number, placement);
		std::printf("fill %s\t%zu\t%s\n", name, request, placement);
	}
}

void keystream(const char *engine_name, const char *backend_name, std::uint64_t count)
{
	const cprng_engine *engine = cprng_engine_find(engine_name);
	const cprng_backend *backend = engine != nullptr ? cprng_backend_find(engine, backend_name) : nullptr;
	if (backend == nullptr || !cprng_backend_usable(backend))
		std::exit(2);
	static const unsigned char key[CPRNG_KEY_SIZE_MAX] = {}, nonce[CPRNG_NONCE_SIZE_MAX] = {};
	alignas(64) static unsigned char out[keystream_bytes];
	cprng_keystate state;
	backend->set_key(&state, key, engine->key_sizes[0]);
	engine->family->set_position(&state, nonce, engine->nonce_sizes[0], 0);
	for (std::uint64_t i = 0; i < count; i++)
		backend->keystream(&state, engine->rounds, out, sizeof(out) / engine->block_size, 0);
}

} // namespace

int main(int argc, char **argv)
{
	if (argc == 2 && std::strcmp(argv[1], "list") == 0) {
		list();
		return 0;
	}
	if (argc < 4)
		return 2;
	const std::uint64_t count = std::strtoull(argv[1], nullptr, 10);
	const std::string kind = argv[2];
	if (kind == "keystream" && argc == 5) {
		keystream(argv[3], argv[4], count);
		return 0;
	}
	const auto source = lab::find_generator(argv[3]).make_inlined(1, lab::no_limit);
	alignas(64) static unsigned char out[request];
	if (kind == "draw")
		source->draw(count);
	else
		source->fill(out, sizeof(out), count);
	return 0;
}
