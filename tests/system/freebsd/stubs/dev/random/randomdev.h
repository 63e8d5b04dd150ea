/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces FreeBSD's header: the parts that kernel/freebsd/ uses, as in 12.x or as in later releases. */
struct harvest_event;

struct random_algorithm {
	const char *ra_ident;
	u_int ra_poolcount;
#if __FreeBSD_version < 1300000
	void (*ra_init_alg)(void *unused);
	void (*ra_deinit_alg)(void *unused);
#endif
	void (*ra_pre_read)(void);
#if __FreeBSD_version < 1300000
	void (*ra_read)(uint8_t *buf, u_int len);
#else
	void (*ra_read)(uint8_t *buf, size_t len);
#endif
	bool (*ra_seeded)(void);
	void (*ra_event_processor)(struct harvest_event *event);
};

#if __FreeBSD_version < 1300000
extern struct random_algorithm random_alg_context, *p_random_alg_context;
#elif defined(RANDOM_LOADABLE)
extern const struct random_algorithm *p_random_alg_context;
#else
extern const struct random_algorithm random_alg_context;
#define p_random_alg_context (&random_alg_context)
#endif
void randomdev_unblock(void);
