/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces FreeBSD's header: the parts that kernel/freebsd/ uses. */
struct harvest_event;

struct random_algorithm {
	const char *ra_ident;
	u_int ra_poolcount;
	void (*ra_pre_read)(void);
	void (*ra_read)(uint8_t *buf, size_t len);
	bool (*ra_seeded)(void);
	void (*ra_event_processor)(struct harvest_event *event);
};

extern const struct random_algorithm random_alg_context;
#define p_random_alg_context (&random_alg_context)
void randomdev_unblock(void);
