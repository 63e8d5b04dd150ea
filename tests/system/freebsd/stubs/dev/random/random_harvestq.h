/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces FreeBSD's header: the parts that kernel/freebsd/ uses. */
struct harvest_event {
	uint32_t he_somecounter;
	uint32_t he_entropy[2];
	uint8_t he_size, he_destination, he_source;
};

#if __FreeBSD_version >= 1300000
bool random_harvest_healthtest(const struct harvest_event *event);
#endif
