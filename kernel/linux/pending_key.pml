/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Model of a CPU state's pending key and the generation (percpu.c, reseed.c) for the model checker SPIN.  It covers
 * every order of the steps of: a worker that replaces a key by age; a clone or wake-up of the machine; a draw; and a
 * draw in an NMI that uses the same state between draws.  tests/programs/kernel/test_model.py checks it, and that each
 * mistake below (-D) is detected.
 * A key is a number, and is written in two halves, so that one that is torn is seen.  Keys of the machine as it was are
 * A key is a number, written in two halves, so that a torn key is visible.  Keys from before the clone or wake-up are
 * odd, later ones even.  Memory order is not modelled: a release store is the last step here, and a store without
 * release precedes the stores that it should follow (NO_RELEASE).
 *
 *	IGNORES_READING	a delivery takes the cell whatever is in it
 *	NO_RELEASE	a slot is full before the key is in it
 *	ONE_SLOT	a key that was delivered is taken back while the next one is written
 *	STEPS_FIRST	the generation is stepped before the keys are delivered
 *	NO_RECHECK	a worker delivers what it made before the machine became another one
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
bool is_stopped = false;	/* all CPUs but the one that wakes, with interrupts off */
bool delivery = false;	/* the mutex */
bool is_new = false;	/* the machine has become another one: the generation has been stepped */
bool interrupts_off[2];	/* of worker and draw */

#define MADE_BEFORE(k)	((k) % 2 == 1)

inline write(k)
{
	first[next - FULL] = k;
	second[next - FULL] = k
}

/* try_deliver(), repeated until it succeeds. */
inline deliver(k)
{
	done = false;
	do
	:: done -> break
	:: else ->
		seen = state;
		next = (seen == FULL -> FULL + 1 : FULL);
		if
#ifndef IGNORES_READING
		:: seen == READING -> skip
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
			write(k);
			atomic {
				if
				:: state == seen -> state = next; done = true
				:: else
				fi
			}
#endif
		fi
	od
}

/* A replacement by age: made with interrupts on, and delivered with interrupts off if the generation is unchanged. */
active proctype worker()
{
	byte made_in, made, seen, next;
	bool done;

	do
	:: atomic { !delivery -> delivery = true }
again:
	made_in = generation;
	made = (is_new -> 4 : 3);
	atomic { !is_stopped -> interrupts_off[0] = true }
#ifndef NO_RECHECK
	if
	:: made_in != generation -> interrupts_off[0] = false; goto again
	:: else
	fi;
#endif
	deliver(made);
	interrupts_off[0] = false;
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
		atomic { !interrupts_off[0] && !interrupts_off[1] -> is_stopped = true }
	:: wakes = false;
		atomic { !delivery -> delivery = true }
	fi;
#ifdef STEPS_FIRST
	atomic { generation++; is_new = true };
#endif
	deliver(2);
#ifndef STEPS_FIRST
	atomic { generation++; is_new = true };
#endif
	if
	:: wakes -> is_stopped = false
	:: else -> delivery = false
	fi
}

/* One draw with the state marked: it takes a pending key, and a refill takes the key and stores the next one. */
inline draw(k)
{
	busy = true;
	seen = state;
	do
	:: seen < FULL -> break
	:: else ->
		atomic {
			if
			:: state == seen -> state = READING
			:: else -> seen = state; goto again_mail
			fi
		};
		one = first[seen - FULL];
		other = second[seen - FULL];
		assert(one == other && one != 0);
		assert(state == READING);
		first[seen - FULL] = 0;
		second[seen - FULL] = 0;
		state = EMPTY;
		key = one;
		break;
again_mail:	skip
	od;
	assert(key != 0);
	k = key;
	key = 0;
	key = k;
	busy = false
}

/* Long requests, which expand a key with interrupts on. */
active proctype request()
{
	byte began_in, used, seen, one, other, requests = 0;

	do
	:: requests < 2 ->
		requests++;
repeat:
		began_in = generation;
		atomic { !is_stopped -> interrupts_off[1] = true }
		draw(used);
		interrupts_off[1] = false;
		atomic { !is_stopped -> skip };
		/* Output returned after the clone or wake-up must not come from an earlier key. */
		atomic {
#ifndef NO_REPEAT
			if
			:: began_in != generation -> goto repeat
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

	atomic {
#ifndef NO_BUSY
		!busy ->
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
