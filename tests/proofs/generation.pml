/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Model of the generation, the claims of slots and the draws from them (src/process/generation.c, placement/slots.c,
 * src/core/buffer.h) for the model checker SPIN.  It covers every order of the steps of: a thread that draws and
 * invalidates; its signal handler, which does the same between any two steps and may be left by a jump; a second thread;
 * a fork by either thread at any step where signals are not blocked; and a thread that the child starts.  The run goes on as
 * the child: the pages that a fork wipes are zero, the claims are kept, the other thread is gone.
 *
 * A value is 0, a number of the epoch that it was made in, or WATCHED: one value, chosen by SPIN.  An epoch ends with a fork
 * or an invalidation.  What is checked:
 *
 *	a draw returns no zeros; no value that is older, when the draw compares the generation for the last time, than the
 *	fork or the invalidation before that (the parent has it, too); and the watched value once
 *	a key is expanded once
 *	a generation's number is of this process
 *	in the end no thread waits, a dead thread has no claim, and no slot holds a value of an earlier epoch
 *
 * Not modelled: the CPUs' buffers, whose sequences tests/explore takes step by step; vfork; reseeds; memory order
 * (docs/decisions/0027 has the two fences).  A refill pushes one value, and a slot has room for two.
 *
 * A line "@ FILE FUNCTION HASH" names the function that the following part stands for, and "= CODE" the step's fragment of it:
 * tools/lint-models compares both with the code.  With -D a mistake is built in; test_models.py checks that SPIN finds each.
 */

#ifndef OPERATIONS
#define OPERATIONS	2	/* of the first thread */
#endif
#ifndef OTHERS
#define OTHERS		1	/* of the second thread, and of the child's new one */
#endif
#ifndef HANDLED
#define HANDLED		1	/* of the handler */
#endif
#ifndef INVALIDATIONS
#define INVALIDATIONS	1
#endif
#ifndef SLOTS
#define SLOTS		1
#endif
#ifdef COARSER
#define COARSE		atomic
#else
#define COARSE
#endif
/* Threads begin at different slots, by their hashes. */
#define START		(_pid == STARTED -> SLOTS - 1 : 0)
#define ROOM		2	/* values in a slot */

/* Contexts by process number: the first thread, its handler, the second thread, a thread of the child. */
#define FIRST		0
#define HANDLER		1
#define SECOND		2
#define STARTED		3
#define CONTEXTS	4
#define THREAD(c)	(c == HANDLER -> FIRST : c)
#define OWNER		(THREAD(_pid) + 1)
/* Contexts that a fork or a jump has ended run first, so that their variables are forgotten: fewer states. */
#define RUNS(c)		(dying != 0 -> ends[c] : began && (c != FIRST || !interrupted) && (c != HANDLER || interrupted) && \
			 (c != STARTED || forked))

#define ZERO		0
#define WATCHED		1
#define MADE_IN(e)	(2 + (e))
#define EPOCH(v)	((v) == WATCHED -> watched_epoch : (v) - 2)

#define NONE		0
#define NUMBER(e)	(2 * (e) + 1)
#define IS_GENERATION(w) ((w) % 2 == 1)
#ifdef ONE_TOKEN
#define TOKEN		2
#else
#define TOKEN		(2 * _pid + 2)
#endif

/* Wiped by a fork. */
byte word = 0;		/* fork_state->generation */
byte lock = 0;
byte left[SLOTS], made_in[SLOTS], key[SLOTS], out[SLOTS * ROOM];
bool tag[SLOTS];
/* Kept by a fork. */
byte claims[SLOTS];

bool began = false, interrupted = false, jumped = false, forked = false;
bool ends[CONTEXTS], finished[CONTEXTS], blocked[CONTEXTS];	/* by context; signals by thread */
byte dying = 0;
byte first_thread = FIRST, begun_by = FIRST, invalidations = 0;

byte epoch = 0, watched_epoch = 0;
bool watched = false, used = false;
/* Whether an operation has compared the generation for the last time, and an invalidation has left its slot to the next claim. */
bool compared[SLOTS], missed[SLOTS];

/* The kernel's bytes, or keystream of a key. */
inline make(v, e)
{
	if
#ifndef AGES_ALONE
	:: !watched -> watched = true; watched_epoch = e; v = WATCHED
#endif
	:: v = MADE_IN(e)
	fi
}

inline check_use(v)
{
	assert(v != ZERO);
	if
	:: v == WATCHED -> assert(!used); used = true
	:: else
	fi
}

/* A draw's result; `at` is the epoch at the last comparison of the generation. */
inline serve(v)
{
	atomic {
		check_use(v);
		assert(EPOCH(v) == at);
		v = ZERO; at = 0
	}
}

#include "slots.pml"

/* Sets whole.  The caller's own claims are not a reason for a repair. */
//@ src/process/generation.c claims_are_left a27ed4604fda
inline look_for_claims()
{
	i = 0;
	do
	:: i == SLOTS -> break		//= i < p->buffer_count; i++)
	:: else ->
		whole = whole && (claims[i] == 0 || claims[i] == OWNER);	//= if (is_of_another(&p->slot_claim[i].claim))
		i++
	od;
	i = 0
}

//@ src/process/generation.c release_others f225d17e8fe3
inline release_others(c)
{
	owner = claims[c];		//= const uint32_t owner = __atomic_load_n(&claim->taken, __ATOMIC_RELAXED);
	if
	:: owner == 0 || owner == OWNER	//= if (owner == 0 || owner == mine) return;
#ifndef ALONE_ASSUMED
	:: else -> if
	:: THREAD(_pid) != first_thread	//= if (!*alone && !(*alone = cprng_os_is_first_thread())) return;
#endif
	:: else ->
#ifndef OTHERS_KEPT
		atomic {		//= (void)cprng_claim_replace(claim, owner, 0);
			if
			:: claims[c] == owner ->
				/* Not a thread of this process. */
				assert(forked && owner != first_thread + 1 && owner != STARTED + 1);
				claims[c] = 0
			:: else
			fi
		}
#else
		skip
#endif
#ifndef ALONE_ASSUMED
	fi
#endif
	fi;
	owner = 0
}

//@ src/process/generation.c release_lost_claims 80135496cd1f
inline release_lost_claims()
{
	i = 0;
	do
	:: i == SLOTS -> break		//= i < p->buffer_count; i++)
	:: else ->
		release_others(i);	//= release_others(&p->slot_claim[i].claim, mine, &alone);
		i++
	od;
	i = 0
}

/* Sets generation, begun and bytes. */
//@ src/process/generation.c publish 6c6a5b4399ac
inline publish()
{
	atomic {			//= cprng_kernel_bytes_by_call(first, sizeof(first->number) + first->len);
		number = epoch;
		make(bytes, epoch);
		generation = NUMBER(epoch)	//= generation = first->number | CPRNG_IS_GENERATION;
	};
	atomic {			//= first->begun = __atomic_compare_exchange_n(&p->fork_state->generation, &token, generation,
#ifdef STORES
		begun = true;
#else
		begun = (word == TOKEN);
#endif
		if
		:: begun ->
			assert(number == epoch && !IS_GENERATION(word));
			word = generation;
			begun_by = THREAD(_pid)
		:: else ->		//= if (!first->begun)
			bytes = ZERO;	//= cprng_wipe(first->bytes, sizeof(first->bytes));
			generation = NONE	//= return first->begun ? generation : CPRNG_NO_GENERATION;
		fi;
		number = 0
	}
}

//@ src/process/generation.c repair_and_publish 67d6aebf4cd3
inline repair_and_publish()
{
	blocked[THREAD(_pid)] = true;	//= cprng_os_block_signals(&saved);
	atomic {			//= } else if (!cprng_lock_try(&p->fork_state->lock)) {
		took = (lock == 0);
		if
		:: took -> lock = OWNER
		:: else
		fi
	};
	if
	:: took ->
		took = false;
		if
#ifndef REPAIR_ANYHOW
		:: word != TOKEN	//= if (__atomic_load_n(&p->fork_state->generation, __ATOMIC_RELAXED) == token) {
#endif
		:: else ->
			release_lost_claims();	//= repair(p, wait);
			publish()	//= generation = publish(p, token, first);
		fi;
		lock = 0		//= cprng_lock_release(&p->fork_state->lock);
	:: else
	fi;
	blocked[THREAD(_pid)] = false	//= cprng_os_restore_signals(&saved);
}

//@ src/process/generation.c publish_under 77b7fa61fd01
inline publish_under()
{
	generation = NONE;
#ifdef LOCK_IGNORED
	whole = true;
#else
	whole = (lock == 0);		//= if (__atomic_load_n(&p->fork_state->lock.word, __ATOMIC_ACQUIRE) != 0
#endif
	if
	:: whole -> look_for_claims()	//= || !is_whole(p))
	:: else
	fi;
	if
	:: !whole -> repair_and_publish()	//= return repair_and_publish(p, token, wait, first);
	:: else -> publish()		//= return publish(p, token, first);
	fi;
	whole = false
}

/* Sets now, and took if this is the token that the caller has stored. */
//@ src/process/generation.c take_token c0fee646366c
inline take_token()
{
	atomic {			//= __atomic_compare_exchange_n(&w->generation, &now, token, false,
		took = (word == 0);
		now = word;
		if
		:: took -> word = TOKEN	//= return token;
		:: else
		fi
	};
	if
	:: took || IS_GENERATION(now)	//= while (!cprng_is_generation(now)) {
	:: else ->
		if
		:: lock != 0 ->		//= if (wait == CPRNG_NOWAIT && __atomic_load_n(&w->lock.word, __ATOMIC_RELAXED) != 0)
			now = word	//= return __atomic_load_n(&w->generation, __ATOMIC_ACQUIRE);
		:: else ->		//= cprng_kernel_bytes_by_call(&unused, sizeof(unused));
			atomic {	//= if (__atomic_compare_exchange_n(&w->generation, &now, token, false,
				took = (word == now);
				now = word;
				if
				:: took -> word = TOKEN	//= return token;
				:: else		//= if (wait == CPRNG_NOWAIT) break;
				fi
			}
		fi
	fi
}

/* Sets generation (NONE if there is none), begun and bytes. */
//@ src/process/generation.c begin_generation 644736e3752e
inline begin_generation()
{
	do
	::
		take_token();		//= now = take_token(w, token, wait);
		if
		:: !took -> break	//= if (now != token) break;
		:: else -> took = false
		fi;
		publish_under();	//= generation = publish_under(p, token, wait, first);
		if
		:: generation != NONE -> now = generation; break	//= if (generation != CPRNG_NO_GENERATION)
		:: else
		fi;
		now = word;		//= now = __atomic_load_n(&w->generation, __ATOMIC_ACQUIRE);
		if
		:: now != 0 -> break	//= } while (!cprng_is_generation(now) && (wait == CPRNG_WAIT || now == 0));
		:: else
		fi
	od;
	generation = (IS_GENERATION(now) -> now : NONE)	//= return cprng_is_generation(now) ? now : CPRNG_NO_GENERATION;
}

//@ src/process/generation.c invalidate baa137babb28
inline invalidate()
{
	blocked[THREAD(_pid)] = true;	//= cprng_os_block_signals(&saved);
#ifndef UNLOCKED
	atomic { lock == 0 -> lock = OWNER };	//= cprng_lock_take(&p->fork_state->lock);
#endif
	atomic {			//= generation = __atomic_load_n(&p->fork_state->generation, __ATOMIC_SEQ_CST);
		generation = word;
		if
#ifdef TOKEN_KEPT
		:: !IS_GENERATION(generation) -> epoch++
#else
		:: generation == 0 -> epoch++
#endif
		:: else
		fi
	};
#ifndef TOKEN_KEPT
	do
	:: generation == 0 || IS_GENERATION(generation) -> break	//= while (generation != 0 && !cprng_is_generation(generation) &&
	:: else ->
		atomic {		//= !__atomic_compare_exchange_n(&p->fork_state->generation, &generation, 0, false,
			if
			:: word == generation -> word = 0; epoch++; generation = 0
			:: else -> generation = word
			fi
		}
	od;
#endif
	if
	:: IS_GENERATION(generation) ->	//= if (cprng_is_generation(generation)) {
		atomic {		//= __atomic_store_n(&p->fork_state->generation, generation + 2, __ATOMIC_SEQ_CST);
#ifdef SAME_GENERATION
			word = generation;
#else
			word = generation + 2;
#endif
			epoch++
		};
#ifndef NO_ERASURE
		erase()			//= p->placement->erase(p);
#endif
	:: else
	fi;
#ifndef UNLOCKED
	lock = 0;			//= cprng_lock_release(&p->fork_state->lock);
#endif
	blocked[THREAD(_pid)] = false;	//= cprng_os_restore_signals(&saved);
	generation = 0
}

//@ src/process/draw.c fresh_key 02394e86d93f
inline fresh_key()
{
	if
	:: !has_key ->			//= if (tag == 0) {
		atomic { make(taken, epoch) }	//= key_from_kernel(p, key);
	:: else
	fi;
	has_key = false
}

//@ src/process/draw.c refill cd699ecf5780
inline refill()
{
	take_key();			//= const uint64_t taken = p->placement->take_key(p, work.chunk);
	fresh_key();			//= uint64_t tag = fresh_key(p, work.chunk, taken);
	atomic {			//= p->backend->keystream(&work.ks, p->engine->rounds, work.chunk,
		check_use(taken);
		number = EPOCH(taken);
		make(next, number);
		make(dst, number);
		make(rest, number);
		taken = ZERO; number = 0
	};
	put_key(next);			//= p->placement->put_key(p, generation, work.chunk, tag);
	next = ZERO;
	push(rest);			//= p->placement->push(p, generation, work.chunk + used, CPRNG_REFILL_CHUNK - used);
	rest = ZERO			//= cprng_wipe_and_clear_registers(&work, sizeof(work));
}

//@ src/process/draw.c draw_in_one_generation d7fa70918fea
inline draw_in_one_generation()
{
	do
	::
		begun = false;
		generation = word;	//= generation = short_draw ? cprng_generation_after_pop(p, &first) :
		if
		:: IS_GENERATION(generation)
		:: else -> begin_generation()
		fi;
		if
		:: generation == NONE ->	//= if (CPRNG_UNLIKELY(generation == CPRNG_NO_GENERATION))
			atomic {	/* as at the end of the loop */
				make(dst, epoch);
				at = epoch
			};
			break
		:: else
		fi;
		if
		:: begun ->		//= if (CPRNG_UNLIKELY(first.begun))
			dst = bytes;	//= draw_first(p, &first, dst, len);
			bytes = ZERO
		:: else -> refill()	//= refill(p, generation, dst, len);
		fi;
		atomic {		//= if (CPRNG_LIKELY(!cprng_generation_changed(p, generation)))
			same = (word == generation);
			at = epoch
		}
		if
#ifndef DRAWN_ONCE
		:: !same -> dst = ZERO
		:: !same ->		/* the last generation of the loop */
			atomic {	//= draw_unbuffered(p, dst, len);
				make(dst, epoch);
				at = epoch
			};
			break
#endif
		:: else -> break
		fi
	od;
	same = false; generation = 0; begun = false
}

//@ src/process/draw.c draw_more 2ce4b55aedda
inline draw()
{
	pop();				//= CPRNG_UNLIKELY(!p->placement->pop(p, dst, len)))
	if
	:: served
	:: else -> draw_in_one_generation()	//= cprng_draw_by_refill(p, dst, len);
	fi;
	served = false; same = false; now = 0;
	serve(dst)
}

active [CONTEXTS] proctype context() provided (RUNS(_pid))
{
	byte now, slot, n, i, owner, number, generation, at;
	byte dst, bytes, taken, next, rest;
	bool took, same, served, has_key, whole, begun;
	byte operations = (_pid == FIRST -> OPERATIONS : (_pid == HANDLER -> HANDLED : OTHERS));

	{
		do
		:: operations == 0 -> break
		:: else ->
			operations--;
			if
			:: draw()
			:: atomic { invalidations < INVALIDATIONS -> invalidations++ };
				invalidate()
			fi
		od
	} unless { ends[_pid] };
	/* One step, since a context that has ended does not run. */
	skip;
	d_step {
		finished[_pid] = true;
		if
		:: _pid == HANDLER -> interrupted = false
		:: else
		fi;
		if
		:: ends[_pid] -> ends[_pid] = false; dying--
		:: else
		fi;
		now = 0; slot = 0; n = 0; i = 0; owner = 0; number = 0; generation = 0; at = 0; operations = 0;
		dst = 0; bytes = 0; taken = 0; next = 0; rest = 0;
		took = false; same = false; served = false; has_key = false; whole = false; begun = false
	}
}

inline end(c)
{
	if
	:: !finished[c] -> ends[c] = true; dying++
	:: else
	fi
}

#define CAN_FORK(t)	(dying == 0 && !forked && !blocked[t] && !ALL_DONE)

inline fork(t)
{
	forked = true;
	word = 0; lock = 0;
	i = 0;
	do
	:: i == SLOTS -> break
	:: else ->
		left[i] = 0; tag[i] = false; made_in[i] = 0; key[i] = ZERO; out[i * ROOM] = ZERO; out[i * ROOM + 1] = ZERO;
		missed[i] = false;
#ifdef CLAIMS_WIPED
		claims[i] = 0;
#endif
//@ src/process/process.c set_up -
		/* The claims are before what is wiped. */	//= cprng_os_wipe_on_fork(pages + l.kept, l.mapped - l.kept)
		i++
	od;
	i = 0;
	if
	:: t == FIRST -> end(SECOND)
	:: else -> end(FIRST); end(HANDLER)
	fi;
	blocked[FIRST] = false;
	blocked[SECOND] = false;
	first_thread = t;
	epoch++
}

/* The slots' content at the beginning: any number of values, and a key or none; or nothing, in a new process. */
inline fill(s)
{
	made_in[s] = NUMBER(0);
	do
	:: left[s] < ROOM -> make(out[s * ROOM + left[s]], 0); left[s] = left[s] + 1
	:: break
	od;
	if
	:: make(key[s], 0); tag[s] = true
	:: skip
	fi
}

#define ALL_DONE	(finished[FIRST] && finished[SECOND] && (finished[STARTED] || !forked) && !interrupted)
#define CURRENT(v)	((v) == ZERO || EPOCH(v) == epoch)

active proctype events()
{
	byte i;

	atomic {
		if
		:: word = NUMBER(0);
			do
			:: i == SLOTS -> break
			:: else -> fill(i); i++
			od;
			i = 0
		:: skip
		fi;
		began = true
	};
	do
	:: atomic { dying == 0 && !interrupted && !finished[HANDLER] && !finished[FIRST] && !blocked[FIRST] ->
		interrupted = true }
	/* A handler that interrupts this one jumps away. */
	:: atomic { dying == 0 && interrupted && !jumped && !blocked[FIRST] -> jumped = true; end(HANDLER) }
	:: atomic { CAN_FORK(FIRST) -> fork(FIRST) }
#if OTHERS != 0
	:: atomic { CAN_FORK(SECOND) -> fork(SECOND) }
#endif
	:: timeout -> break
	od;
	atomic {
		assert(ALL_DONE);
		do
		:: i == SLOTS -> break
		:: else ->
			/* The child's first thread has begun its generation here; its own claim was left by a jump. */
			assert(!forked || !IS_GENERATION(word) || begun_by != first_thread || claims[i] == 0 ||
			       claims[i] == first_thread + 1);
			assert(claims[i] != 0 || missed[i] || (CURRENT(key[i]) && CURRENT(out[i * ROOM]) && CURRENT(out[i * ROOM + 1])));
			i++
		od
	}
}
