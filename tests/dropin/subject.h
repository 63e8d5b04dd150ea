/* SPDX-License-Identifier: BSD-2-Clause */
/* A program that knows nothing of the library; test_preload.py starts it with and without the drop-in. */
#ifndef CPRNG_TEST_DROPIN_SUBJECT_H
#define CPRNG_TEST_DROPIN_SUBJECT_H

#include <stddef.h>
#include <stdint.h>

/* What is drawn here is printed, one line of hexadecimal digits each. */
enum { VALUE = 16 };

void print_value(const unsigned char *value);

/* Fill the value by function number `which` of arc4random_buf, getentropy, getrandom, arc4random; exit if it fails. */
void draw_value(unsigned char *value, unsigned int which);

__attribute__((noreturn)) void fail(const char *what);

/* The modes. */
void semantics(void);
void forks(void);
void threads(void);
void shared_memory(void);
void remains(void);
void refused(void);
void sandboxed(void);
void counted(void);

#endif
