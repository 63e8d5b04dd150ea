/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Model of a CPU state's pending key and the generation (percpu.c, reseed.c) for the model checker SPIN.  It covers
 * every order of the steps of: a worker that replaces a key by age; a clone or wake-up of the machine; a draw; and a
 * draw in an NMI that uses the same state between draws.  tests/proofs/test_models.py checks it, and that each
 * mistake below (-D) is detected; tools/lint-models compares the lines "@" and "=" with the code.
 * A key is a number, written in two halves, so that a torn key is visible.  Keys from before the clone or wake-up are
 * odd, later ones even.  Memory order is not modelled: a release store is the last step here, and a store without
 * release precedes the stores that it should follow (NO_RELEASE).
 *
 *	IGNORES_READING	a delivery takes the cell even while a draw reads it
 *	NO_RELEASE	a slot is full before the key is in it
 *	ONE_SLOT	a key that was delivered is taken back while the next one is written
 *	STEPS_FIRST	the generation is stepped before the keys are delivered
 *	NO_RECHECK	a worker delivers a key that it made before the machine became another one
 *	NO_REPEAT	a request is not made again when the generation has been stepped
 *	NO_BUSY		a draw that interrupts another one uses the same state
 */
#define EMPTY	0
#define READING	1
#define FULL	2	/* and FULL + 1, by slots */

byte state = EMPTY;
byte first[2], second[2];	/* halves of the keys in the slots */
byte key = 1;		/* of the CPU's state; 0 while a draw has taken it */
bool busy = false;	/* the mark of the state */
byte generation = 0;
bool is_stopped = false;	/* all CPUs except the one that wakes, with interrupts off */
bool delivery = false;	/* the mutex */
bool is_new = false;	/* the machine has become another one: the generation has been stepped */
bool interrupts_off[2];	/* of worker and draw */

#define MADE_BEFORE(k)	((k) % 2 == 1)

//@ kernel/linux/percpu.c try_deliver 917f29092d3e
inline write(k)
{
	first[next - FULL] = k;		//= struct slot *const slot = &l->pending.slot[next - PENDING_FULL];
	second[next - FULL] = k
}

/* try_deliver(), repeated until it succeeds. */
inline deliver(k)
{
	done = false;
	do
	:: done -> break
	:: else ->
//@ kernel/linux/percpu.c try_deliver 917f29092d3e
		seen = state;		//= const u32 seen = READ_ONCE(l->pending.state)
		next = (seen == FULL -> FULL + 1 : FULL);	//= next = seen == PENDING_FULL ? PENDING_FULL + 1 : PENDING_FULL;
		if
#ifndef IGNORES_READING
		:: seen == READING -> skip	//= if (seen == PENDING_READING) return false;
#endif
		:: else ->
#ifdef ONE_SLOT
			next = FULL;
			if
			:: atomic { state == seen -> state = EMPTY; seen = EMPTY }
			:: else
			fi;
#endif
#ifdef NO_RELEASE
			atomic {
				if
				:: state == seen -> state = next; done = true
				:: else
				fi
			};
			write(k)
#else
			write(k);	//= memcpy(slot->key, key, CPRNG_KEY_SIZE);
			atomic {	//= done = cmpxchg(&l->pending.state, seen, next) == seen;
				if
				:: state == seen -> state = next; done = true
				:: else
				fi
			}
#endif
		fi
	od
}

//@ kernel/linux/reseed.c on_renewal 09321e0e4436
/* A replacement by age: made with interrupts on, and delivered with interrupts off if the generation is unchanged. */
active proctype worker()
{
	byte made_in, made, seen, next;
	bool done;

	do
	:: atomic { !delivery -> delivery = true }	//= mutex_lock(&delivery); renew_online();
again:
//@ kernel/linux/reseed.c renew 10930ac65627
	made_in = generation;		//= made_in = cprng_generation();
	made = (is_new -> 4 : 3);	//= cprng_fortuna_key(k.key, sizeof(k.key));
					//= } while (!cprng_percpu_deliver_key(cpu, level, k.key, made_in));
//@ kernel/linux/percpu.c cprng_percpu_deliver_key d3d59fd86568
	atomic { !is_stopped -> interrupts_off[0] = true }	//= local_irq_save(flags);
#ifndef NO_RECHECK
	if				//= if (cprng_generation_changed(generation)) { local_irq_restore(flags); return false; }
	:: made_in != generation -> interrupts_off[0] = false; goto again
	:: else
	fi;
#endif
	deliver(made);			//= if (try_deliver(l, key)) break;
	interrupts_off[0] = false;	//= local_irq_restore(flags); return true;
	delivery = false
	:: true -> break
	od
}

/* A notifier reports a clone, and takes the mutex; a waking machine has stopped everything else. */
active proctype becomes_another()
{
	bool wakes, done;
	byte seen, next;

	if
	:: wakes = true;
//@ kernel/linux/reseed.c on_wake 518cdb4ad49a
					//= (void)cprng_percpu_deliver_key(cpu, level, key, made_in);
					//= step_generation();
		atomic { !interrupts_off[0] && !interrupts_off[1] -> is_stopped = true }
	:: wakes = false;
//@ kernel/linux/reseed.c begin_generation 5654afbad31b
		atomic { !delivery -> delivery = true }	//= mutex_lock(&delivery);
	fi;
#ifdef STEPS_FIRST
	atomic { generation++; is_new = true };
#endif
	deliver(2);			//= renew_online();
#ifndef STEPS_FIRST
	atomic { generation++; is_new = true };	//= step_generation();
#endif
	if
	:: wakes -> is_stopped = false
	:: else -> delivery = false	//= mutex_unlock(&delivery);
	fi
}

/* One draw with the state marked: it takes a pending key, and a refill takes the key and stores the next one. */
inline draw(k)
{
//@ kernel/linux/percpu.c claim_level e4ab38f6a173
	busy = true;			//= WRITE_ONCE(l->busy, 1);
//@ kernel/linux/percpu.c draw 34f0a3e88649
					//= l = claim_level();
	seen = state;			//= if (unlikely(READ_ONCE(l->pending.state) >= PENDING_FULL)) mix_pending_key(l);
	do
	:: seen < FULL -> break
	:: else ->
//@ kernel/linux/percpu.c take_pending_key fdd18485a69e
		atomic {		//= seen = READ_ONCE(l->pending.state);
			if		//= } while (cmpxchg(&l->pending.state, seen, PENDING_READING) != seen);
			:: state == seen -> state = READING
			:: else -> seen = state; goto again_mail
			fi
		};
//@ kernel/linux/percpu.c mix_pending_key 1b01fd2dc4c3
					//= struct slot *const slot = take_pending_key(l);
		one = first[seen - FULL];	//= cprng_buffer_put_key(&l->buffer, slot->key, new_tag(slot->delivered));
		other = second[seen - FULL];
		assert(one == other && one != 0);
		assert(state == READING);
		first[seen - FULL] = 0;		//= cprng_wipe(slot->key, sizeof(slot->key));
		second[seen - FULL] = 0;
		state = EMPTY;			//= smp_store_release(&l->pending.state, PENDING_EMPTY);
		key = one;
		break;
again_mail:	skip
	od;
	assert(key != 0);
//@ kernel/linux/percpu.c refill 1b71b6d30f01
	k = key;			//= const u64 tag = cprng_buffer_take_key(&l->buffer, fresh);
	key = 0;
	key = k;			//= cprng_buffer_put_key(&l->buffer, fresh, tag + 1);
//@ kernel/linux/percpu.c release_level 70f21ade60c2
	busy = false			//= WRITE_ONCE(l->busy, 0);
}

/* Long requests, which expand a key with interrupts on. */
active proctype request()
{
	byte began_in, used, seen, one, other, requests = 0;

	do
	:: requests < 2 ->
		requests++;
repeat:
//@ kernel/linux/percpu.c draw_long 4fba5ff29fb0
		began_in = generation;	//= generation = cprng_generation();
		atomic { !is_stopped -> interrupts_off[1] = true }
		draw(used);		//= draw(key, sizeof(key));
		interrupts_off[1] = false;
		atomic { !is_stopped -> skip };
		/* Output returned after the clone or wake-up must not come from an earlier key. */
		atomic {
#ifndef NO_REPEAT
			if
			:: began_in != generation -> goto repeat	//= } while (unlikely(cprng_generation_changed(generation)));
			:: else
			fi;
#endif
			assert(!(is_new && MADE_BEFORE(used)));
			used = 0
		}
	:: requests == 2 -> break
	od
}

/* Draws on the same CPU at any time between the other draw's steps, as in an NMI, which runs to completion first. */
active proctype nmi()
{
	byte one, other;

//@ kernel/linux/percpu.c claim_level e4ab38f6a173
	atomic {
#ifndef NO_BUSY
		!busy ->		//= if (unlikely(READ_ONCE(l->busy))) l = next_free_level(c);
#endif
		if
		:: state >= FULL ->
			one = first[state - FULL];
			other = second[state - FULL];
			assert(one == other && one != 0);
			first[state - FULL] = 0;
			second[state - FULL] = 0;
			state = EMPTY;
			key = one
		:: else
		fi;
		assert(key != 0)
	}
}
