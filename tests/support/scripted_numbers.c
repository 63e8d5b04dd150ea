/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * src/api/draw_choices.c and the inline functions of <cprng/draw.h> under other names.  They draw from scripted_draw() instead
 * of the library call made on a system without restartable sequences.  See scripted_draws.hpp.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#undef __linux__
#define CPRNG_INLINE_DRAW
#define cprng_draw_slow_1 scripted_draw
#define cprng_fast scripted_fill
#define cprng_fast8 scripted_fast8
#define cprng_fast16 scripted_fast16
#define cprng_fast32 scripted_fast32
#define cprng_fast64 scripted_fast64
#define cprng_uniform32 scripted_uniform32
#define cprng_uniform64 scripted_uniform64
#define cprng_range64 scripted_range64
#define cprng_double scripted_double
#define cprng_shuffle scripted_shuffle
#define cprng_bool scripted_bool
#define cprng_bernoulli scripted_bernoulli
#define cprng_bernoulli_ratio scripted_bernoulli_ratio
#define cprng_float scripted_float
#define cprng_int_range scripted_int_range
#define cprng_sample scripted_sample

#include "api/draw_choices.c" /* NOLINT(bugprone-suspicious-include): see the comment above */
