/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that does not know the library; test_preload.py starts it with and without the drop-in. */
#ifndef CPRNG_TESTS_DROPIN_SUBJECT_H
#define CPRNG_TESTS_DROPIN_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

/* Draws are printed, one line of hexadecimal digits each. */
enum { VALUE = 16 };

void print_value(const unsigned char *value);

/* Fill the value through one of four functions; exit if it fails.  draw_libc.c and draw_openssl.c define these two. */
void draw_value(unsigned char *value, unsigned int which);

/* Do what a thread's first draw does in addition to drawing. */
void prepare_thread(void);

__attribute__((noreturn)) void fail(const char *what);

/* Make getrandom fail with this error, for the rest of the process and its children. */
void refuse_getrandom(int error);

struct mode {
	const char *name;
	void (*run)(void);
};

/* Modes of draw_libc.c or draw_openssl.c; the last one has no name. */
extern const struct mode other_modes[];

void semantics(void);
void bad_addresses(void);
void differential(void);
void longest(void);
void longest_read(void);
void seeds(void);
void refused_at_load(void);
void forks(void);
void undrawn_forks(void);
void without_files(void);
void threads(void);
void shared_memory(void);
void remains(void);
void refused(void);
void sandboxed(void);
void copies(void);
/* Defined in adapters/: makes each call of the adapter once.  subject_adapter.c prints bytes as a line of hexadecimal digits. */
void call_each(void);
void print_bytes(const unsigned char *bytes, size_t len);
/* Called by each copy before it draws, or NULL. */
extern void (*in_each_copy)(void);

#endif
