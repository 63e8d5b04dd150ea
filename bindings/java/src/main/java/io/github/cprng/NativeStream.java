// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.ConcurrentModificationException;

/** A stream of C, the bytes that were fetched from it, and calls that only one thread at a time makes. */
abstract class NativeStream {
	private static final int FETCH = 1024;
	/** Has room for the bytes left before a fetch, which are fewer than those of the largest number. */
	private static final int BUFFER = FETCH + 8;
	/** Size of the first fetch after a call of C: small, because another call may follow. */
	private static final int FIRST = 64;

	static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
	static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
	static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
	private static final VarHandle BUSY;

	static {
		try {
			BUSY = MethodHandles.lookup().findVarHandle(NativeStream.class, "busy", boolean.class);
		} catch (ReflectiveOperationException impossible) {
			throw new AssertionError(impossible);
		}
	}

	// The next bytes are buffer[at..], followed by C's: the offset of the C stream is that of the buffer's end.  Two threads that
	// draw at once see mixed state here, within bounds, but never enter C at once.
	final byte[] buffer = new byte[BUFFER];
	private int at = BUFFER;
	private int fetched = FIRST / 2;
	private boolean closed;
	@SuppressWarnings("unused") // accessed by BUSY
	private boolean busy;

	private final StreamMemory memory;
	private final MemorySegment stream;

	NativeStream(StreamMemory.Begin begin) {
		memory = new StreamMemory(this, begin);
		stream = memory.segment();
	}

	/** A call of C for this stream. */
	interface Call<T> {
		T result(MemorySegment stream) throws Throwable;
	}

	/** Calls C with the C stream at this stream's offset and the buffer empty; only one thread at a time. */
	<T> T call(Call<T> call) {
		enter();
		try {
			back();
			return call.result(stream);
		} catch (Throwable problem) {
			throw Library.failed(problem);
		} finally {
			leave();
		}
	}

	private void enter() {
		if (!BUSY.compareAndSet(this, false, true))
			throw new ConcurrentModificationException("cprng: two threads use a stream at a time");
		if (closed) {
			BUSY.setRelease(this, false);
			throw new IllegalStateException("cprng: the stream is closed");
		}
	}

	private void leave() {
		BUSY.setRelease(this, false);
		// Keep the object reachable: otherwise the stream might be erased during the call.
		Reference.reachabilityFence(this);
	}

	/** Returns the unserved bytes of the buffer to C.  Called between enter and leave. */
	private void back() throws Throwable {
		int left = BUFFER - at;
		at = BUFFER;
		fetched = FIRST / 2;
		if (left > 0)
			Library.check((int) Library.STREAM_ADVANCE.invokeExact(stream, (long) -left));
	}

	/** Puts the next `size` bytes, at most 8, into the buffer, takes them, and returns their position. */
	private int refill(int size) {
		enter();
		try {
			int left = BUFFER - at;
			if (left >= size) { // another thread has refilled the buffer, against the contract
				at += size;
				return at - size;
			}
			int count = Math.min(FETCH, 2 * fetched);
			int from = BUFFER - count;
			System.arraycopy(buffer, BUFFER - left, buffer, from - left, left);
			int code = (int) Library.STREAM_READ.invokeExact(stream, MemorySegment.ofArray(buffer).asSlice(from, count), (long) count);
			if (code == Library.ERROR_RANGE) {
				// Near the end of the stream: fetch only what is requested.
				count = size - left;
				from = BUFFER - count;
				System.arraycopy(buffer, BUFFER - left, buffer, from - left, left);
				code = (int) Library.STREAM_READ.invokeExact(stream, MemorySegment.ofArray(buffer).asSlice(from, count), (long) count);
			}
			if (code != 0)
				System.arraycopy(buffer, from - left, buffer, BUFFER - left, left);
			Library.check(code);
			// The next fetch must not be shorter than a number, even after a short fetch near the end.
			fetched = Math.max(FIRST / 2, count);
			at = from - left + size;
			return from - left;
		} catch (Throwable problem) {
			throw Library.failed(problem);
		} finally {
			leave();
		}
	}

	final int take(int size) {
		int from = at;
		if (from > BUFFER - size)
			return refill(size);
		at = from + size;
		return from;
	}

	/** A C function for several numbers of a stream. */
	interface Fill {
		int numbers(MemorySegment stream, MemorySegment piece, long count) throws Throwable;
	}

	/** Fills an array; if the stream ends first, writes nothing and keeps the offset. */
	void all(MemorySegment out, int size, Fill fill) {
		call(s -> {
			long bytes = out.byteSize(), offset = tellOf(s);
			if (bytes > Library.PIECE) {
				Library.check((int) Library.STREAM_ADVANCE.invokeExact(s, bytes));
				seekTo(s, offset);
			}
			Cprng.pieces(out, size, (piece, count) -> fill.numbers(s, piece, count));
			return null;
		});
	}

	/** The same for numbers of which some are rejected: if the stream ends first, the array has other numbers. */
	void bounded(MemorySegment out, int size, Fill fill) {
		whole(s -> {
			Cprng.pieces(out, size, (piece, count) -> fill.numbers(s, piece, count));
			return null;
		});
	}

	/** A call that keeps the offset if the stream ends within one of its pieces. */
	<T> T whole(Call<T> call) {
		return call(s -> {
			long offset = tellOf(s);
			try {
				return call.result(s);
			} catch (IllegalStateException end) {
				seekTo(s, offset);
				throw end;
			}
		});
	}

	static long tellOf(MemorySegment s) throws Throwable {
		return (long) Library.STREAM_TELL.invokeExact(s);
	}

	static void seekTo(MemorySegment s, long offset) throws Throwable {
		Library.check((int) Library.STREAM_SEEK.invokeExact(s, offset));
	}

	/** A C function that stores one number. */
	interface Single {
		int store(MemorySegment stream, MemorySegment out) throws Throwable;
	}

	/** A number by a call of C, which keeps the offset if the stream ends first. */
	double number(Single single) {
		return call(s -> {
			double[] out = new double[1];
			Library.check(single.store(s, MemorySegment.ofArray(out)));
			return out[0];
		});
	}

	/** The uniform integer whose first try, of so many bytes, was rejected: C begins again, and returns nothing at the stream's end. */
	long again(int bytes, long bound) {
		return call(s -> {
			Library.check((int) Library.STREAM_ADVANCE.invokeExact(s, (long) -bytes));
			long[] out = new long[1];
			Library.check((int) Library.STREAM_UNIFORM64.invokeExact(s, MemorySegment.ofArray(out), bound));
			return out[0];
		});
	}

	/** The offset in bytes of the next byte, unsigned. */
	long offset() {
		enter();
		try {
			return tellOf(stream) - (BUFFER - at);
		} catch (Throwable problem) {
			throw Library.failed(problem);
		} finally {
			leave();
		}
	}

	void erase() {
		if (!BUSY.compareAndSet(this, false, true))
			throw new ConcurrentModificationException("cprng: a stream is closed while a thread uses it");
		try {
			closed = true;
			at = BUFFER;
			Arrays.fill(buffer, (byte) 0);
			memory.erase();
		} finally {
			leave();
		}
	}

	/** For tests: the C object. */
	MemorySegment memory() {
		return stream;
	}
}
