/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of FreeBSD's: what kernel/freebsd/ uses of it. */
struct harvest_event {
	uint32_t he_somecounter;
	uint32_t he_entropy[2];
	uint8_t he_size, he_destination, he_source;
};
