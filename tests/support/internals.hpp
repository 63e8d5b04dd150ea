// SPDX-License-Identifier: BSD-2-Clause
// The library's internals, for C++.
#ifndef CPRNG_TESTS_INTERNALS_HPP
#define CPRNG_TESTS_INTERNALS_HPP

// Included first, so that their contents do not end up in the block below.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cprng/cprng.h"
#include "cprng/fortuna.h"
#include "engine/engine.h"
#include "os/os.h"

#define _Static_assert static_assert
extern "C" {
#include "core/buffer.h"
#include "numbers/choices.h"
#include "numbers/scatter.h"
#include "process/draw.h"
#include "process/kernel_bytes.h"
#include "process/fortuna_object.h"
#include "process/generation.h"
#include "process/inlined.h"
#include "process/placement.h"
#include "process/process.h"
#include "process/process_fortuna.h"
#include "process/vfork.h"
#include "process/vm_clone.h"
}
#undef _Static_assert

// Whether draws, including inlined ones, may use the CPUs' buffers.
// Where threads register their own areas, no draw is inlined.
inline std::uint32_t inlined_cpus(const struct cprng_process *p)
{
	return p->draw.rseq_offset == CPRNG_OS_OWN_AREAS ? p->draw.cpus : cprng_draw_1.cpus;
}

inline bool all_closed(const struct cprng_process *p)
{
	return p->draw.cpus == 0 && inlined_cpus(p) == 0;
}

inline bool all_open(const struct cprng_process *p)
{
	return p->draw.cpus == p->buffer_count && inlined_cpus(p) == p->buffer_count;
}

#endif
