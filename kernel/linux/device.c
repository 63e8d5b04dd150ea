// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * /dev/cprng: reads come from Fortuna; writes go to its pools without credit.
 *
 * Reads and writes never block, so O_NONBLOCK has no effect and poll() reports both as ready.  As
 * with the kernel's own device, a signal interrupts a read only after a whole page, so a key is
 * always read whole.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uio.h>

#include "core/wipe.h"
#include "kernel/linux/compat.h"
#include "kernel/linux/module.h"

enum {
	/* Signals and other tasks wait while this much is copied. */
	PIECE = PAGE_SIZE,
	/* Size of the buffer on the stack. */
	SMALL = 256,
};

#ifdef CPRNG_KERNEL_TEST
CPRNG_TUNABLE(no_memory, 0);
#endif

/* Whether the caller should return with the bytes so far. */
static bool is_interrupted(size_t done)
{
	if (done % PIECE != 0)
		return false;
	if (signal_pending(current))
		return true;
	cond_resched();
	return false;
}

static ssize_t read_with(struct iov_iter *to, u8 *piece, size_t size)
{
	size_t done = 0, n, copied;

	do {
		n = min(iov_iter_count(to), size);
		cprng_fortuna_read(piece, n);
		copied = copy_to_iter(piece, n, to);
		done += copied;
	} while (copied == n && iov_iter_count(to) != 0 && !is_interrupted(done));
	cprng_wipe(piece, size);
	return done != 0 ? done : -EFAULT;
}

static ssize_t read_iter(struct kiocb *kiocb, struct iov_iter *to)
{
	const size_t len = iov_iter_count(to);
	u8 small[SMALL], *piece;
	ssize_t r;

	if (len == 0)
		return 0;
	if (len <= SMALL)
		return read_with(to, small, SMALL);
	/* If kmalloc fails, the small buffer is slower but works. */
	piece = CPRNG_TEST_FAILS(no_memory) ? NULL : kmalloc(PIECE, GFP_KERNEL | __GFP_NOWARN);
	if (!piece)
		return read_with(to, small, SMALL);
	r = read_with(to, piece, PIECE);
	kfree(piece);
	return r;
}

static ssize_t write_iter(struct kiocb *kiocb, struct iov_iter *from)
{
	u8 piece[SMALL];
	size_t done = 0, n;

	if (iov_iter_count(from) == 0)
		return 0;
	do {
		n = copy_from_iter(piece, sizeof(piece), from);
		cprng_fortuna_deal(piece, n);
		done += n;
	} while (n == sizeof(piece) && !is_interrupted(done));
	cprng_wipe(piece, sizeof(piece));
	return done != 0 ? done : -EFAULT;
}

static __poll_t poll(struct file *file, struct poll_table_struct *wait)
{
	return EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.read_iter = read_iter,
	.write_iter = write_iter,
	.poll = poll,
	.llseek = noop_llseek,
	.splice_read = copy_splice_read,
	.splice_write = iter_file_splice_write,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "cprng",
	.fops = &operations,
	.mode = 0666,
};

int __init cprng_device_init(void)
{
	return misc_register(&device);
}

void cprng_device_exit(void)
{
	misc_deregister(&device);
}
