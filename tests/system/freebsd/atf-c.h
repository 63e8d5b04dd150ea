/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of atf-c(3) that FreeBSD's uint128_test uses: main() runs every case, and exits with 1 if a check fails. */
#ifndef FREEBSD_ATF_H
#define FREEBSD_ATF_H

#include <stdio.h>

static int atf_failures, atf_cases;

#define ATF_CHECK_MSG(condition, ...) \
	do { \
		if (!(condition)) { \
			printf(__VA_ARGS__); \
			putchar('\n'); \
			atf_failures++; \
		} \
	} while (0)
#define ATF_REQUIRE(condition) ATF_CHECK_MSG(condition, "%s", #condition)
#define ATF_TC_WITHOUT_HEAD(name) static void atf_case_##name(void)
#define ATF_TC_BODY(name, tc) static void atf_case_##name(void)
#define ATF_TP_ADD_TC(tp, name) (atf_case_##name(), atf_cases++)
#define ATF_TP_ADD_TCS(tp) static int atf_run(void)
#define atf_no_error() 0

static int atf_run(void);

int main(void)
{
	const int error = atf_run();

	printf("cases %d failures %d\n", atf_cases, atf_failures);
	return error != 0 || atf_failures != 0;
}

#endif
