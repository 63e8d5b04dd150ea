/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of generation.pml: slots and their buffers (src/process/placement/slots.c, src/core/buffer.h). */

//@ src/process/placement/slots.c erase_slot 27b9c56f5776
inline erase_slot(s, generation_of)
{
	COARSE {
	left[s] = 0;			//= __atomic_store_n(&b->left, 0, __ATOMIC_RELAXED);
	tag[s] = false;			//= __atomic_store_n(&b->key_tag, 0, __ATOMIC_RELAXED);
	made_in[s] = generation_of;	//= __atomic_store_n(&b->made_in, generation, __ATOMIC_RELAXED);
	key[s] = ZERO;			//= cprng_wipe(b->key, sizeof(b->key));
	atomic {			//= cprng_wipe(b->out, sizeof(b->out));
		out[s * ROOM] = ZERO;
		out[s * ROOM + 1] = ZERO
	} }
}

/* Sets slot, SLOTS if there is none, and now. */
//@ src/process/placement/slots.c claim db88c490dc16
inline claim()
{
	atomic {
		now = word;		//= *generation = __atomic_load_n(&p->fork_state->generation, __ATOMIC_ACQUIRE);
		if
#ifdef UNDER_A_TOKEN
		:: now == 0 -> slot = SLOTS
#else
		:: !IS_GENERATION(now) -> slot = SLOTS	//= if (!cprng_is_generation(*generation)) return NULL;
#endif
		:: else -> slot = START; n = 0	//= struct cprng_buffer *b = &p->buffers[index];
		fi
	};
	do
	:: slot == SLOTS -> break
	:: else ->
		atomic {		//= if (cprng_claim_try(&p->slot_claim[index].claim, cprng_claim_owner())) {
#ifdef CLAIM_IGNORED
			took = true;
#else
			took = (claims[slot] == 0);
#endif
//@ src/core/claim.h cprng_claim_try 7347475dfb08
			if
			:: took -> claims[slot] = OWNER	//= cprng_claim_replace(claim, 0, owner);
			:: else ->
				n++;
				slot = (n == SLOTS -> SLOTS : (slot + 1) % SLOTS)
			fi
		};
//@ src/process/placement/slots.c claim db88c490dc16
		if
		:: atomic { took -> took = false; n = 0 };
			if
			:: made_in[slot] != now ->	//= if (CPRNG_UNLIKELY(b->made_in != *generation))
#ifdef CONTENT_KEPT
				made_in[slot] = now
#else
				erase_slot(slot, now)	//= erase_slot(b, *generation);
#endif
			:: else
			fi;
			break
		:: else			//= if (++index == p->buffer_count)
		fi
	od
}

/* Sets same, and at. */
//@ src/process/placement/slots.c slots_release f408b42cb845
inline release()
{
	atomic {			//= bool same = !cprng_generation_changed(p, generation);
#ifdef RELEASE_UNCHECKED
		same = true;
#else
		same = (word == now);
#endif
		at = epoch;
		compared[slot] = same
	};
	if
#ifndef REMAINS_KEPT
	:: !same -> erase_slot(slot, 0)	//= if (CPRNG_UNLIKELY(!same)) erase_slot(b, 0);
#endif
	:: else
	fi;
	atomic {			//= cprng_claim_release(&p->slot_claim[b - p->buffers].claim);
		claims[slot] = 0;
		compared[slot] = false;
		slot = 0
	}
}

//@ src/core/buffer.h cprng_buffer_pop 0fafbfe97602
inline buffer_pop()
{
	n = left[slot];			//= uint32_t left = __atomic_load_n(&b->left, __ATOMIC_RELAXED);
	if
	:: n < 1			//= if (left < len) return false;
	:: else ->
		atomic { n = n - 1; dst = out[slot * ROOM + n] };	//= memcpy(dst, b->out + left, len);
		left[slot] = n;		//= __atomic_store_n(&b->left, left, __ATOMIC_RELAXED);
		atomic { out[slot * ROOM + n] = ZERO; served = true; n = 0 }	//= cprng_wipe(b->out + left, len);
	fi
}

//@ src/process/placement/slots.c slots_pop 9026a9bc58c4
inline pop()
{
	claim();			//= struct cprng_buffer *b = claim(p, &generation);
	if
	:: slot == SLOTS -> slot = 0	//= if (b == NULL) return false;
	:: else ->
		buffer_pop();		//= done = cprng_buffer_pop(b, dst, len);
		release();		//= return slots_release(p, b, generation) && done;
		served = served && same;
	fi
}

//@ src/core/buffer.h cprng_buffer_take_key 2c663664a0ef
inline buffer_take_key()
{
	has_key = tag[slot];		//= uint64_t tag = b->key_tag;
	if
	:: has_key ->			//= if (tag != 0) {
		taken = key[slot];	//= memcpy(key, b->key, sizeof(b->key));
#ifndef TAG_KEPT
		tag[slot] = false;	//= b->key_tag = 0;
#endif
		key[slot] = ZERO	//= cprng_wipe(b->key, sizeof(b->key));
	:: else
	fi
}

//@ src/process/placement/slots.c slots_take_key 8338e82d5736
inline take_key()
{
	claim();			//= struct cprng_buffer *b = claim(p, &generation);
	if
	:: slot == SLOTS -> slot = 0	//= if (b == NULL) return 0;
	:: else ->
		buffer_take_key();	//= tag = cprng_buffer_take_key(b, key);
		release();		//= return slots_release(p, b, generation) ? tag : 0;
		has_key = has_key && same
	fi
}

//@ src/core/buffer.h cprng_buffer_put_key 2faea2573c17
inline buffer_put_key(v)
{
	if
	:: !tag[slot] ->		//= if (b->key_tag == 0) {
		key[slot] = v;		//= memcpy(b->key, key, sizeof(b->key));
		tag[slot] = true	//= b->key_tag = tag;
	:: else
	fi
}

//@ src/process/placement/slots.c slots_put_key 897928dd13d4
inline put_key(v)
{
	claim();			//= struct cprng_buffer *b = claim(p, &now);
	if
	:: slot == SLOTS -> slot = 0	//= if (b == NULL) return;
	:: else ->
		if
#ifdef PUT_ALWAYS
		:: true ->
#else
		:: now == generation ->	//= if (now == generation) {
#endif
			buffer_put_key(v)	//= cprng_buffer_put_key(b, key, tag);
		:: else
		fi;
		release()		//= (void)slots_release(p, b, now);
	fi
}

//@ src/core/buffer.h cprng_buffer_push e17449944360
inline buffer_push(v)
{
	n = left[slot];			//= uint32_t left = __atomic_load_n(&b->left, __ATOMIC_RELAXED);
	if
	:: n >= ROOM			//= len > CPRNG_BUFFER_SIZE - left) return;
	:: else ->
		out[slot * ROOM + n] = v;	//= memcpy(b->out + left, src, len);
		left[slot] = n + 1	//= __atomic_store_n(&b->left, left + (uint32_t)len, __ATOMIC_RELAXED);
	fi;
	n = 0
}

//@ src/process/placement/slots.c slots_push ac0f8a5e7e16
inline push(v)
{
	claim();			//= struct cprng_buffer *b = claim(p, &now);
	if
	:: slot == SLOTS -> slot = 0	//= if (b == NULL) return;
	:: else ->
		if
#ifdef PUSH_ALWAYS
		:: true ->
#else
		:: now == generation ->	//= if (now == generation) {
#endif
			buffer_push(v)	//= cprng_buffer_push(b, src, len);
		:: else
		fi;
		release()		//= (void)slots_release(p, b, now);
	fi
}

//@ src/process/placement/slots.c slots_erase 8ae6ef69e7a6
inline erase()
{
	i = 0;
	do
	:: i == SLOTS -> break
	:: else ->
		if
		:: made_in[i] == 0	//= if (__atomic_load_n(&b->made_in, __ATOMIC_RELAXED) == 0 ||
		:: else ->
			atomic {	//= !cprng_claim_try(&p->slot_claim[i].claim, cprng_claim_owner()))
#ifdef ERASE_CLAIMED
				took = true;
#else
				took = (claims[i] == 0);
#endif
				if
				:: took -> claims[i] = OWNER
				:: else -> missed[i] = missed[i] || compared[i]
				fi
			};
			if
			:: took ->
				erase_slot(i, 0);	//= erase_slot(b, 0);
				claims[i] = 0	//= cprng_claim_release(&p->slot_claim[i].claim);
			:: else
			fi;
			took = false
		fi;
		i++
	od;
	i = 0
}
