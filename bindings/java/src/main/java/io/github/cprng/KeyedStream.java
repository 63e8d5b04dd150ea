// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Reproducible bytes and numbers from a seed: for simulations and test data, and NOT for secrets.  Equal seeds always give
 * equal numbers, on every machine and in every language that has the library; the project's docs/streams-specification.md defines
 * how numbers are made from bytes.
 *
 * <p>Only one thread at a time may use a stream: give each thread its own by {@link #child} or {@link #split}.  If two threads use
 * the same stream at once, a call may throw a {@link ConcurrentModificationException} and numbers may repeat, but memory is not
 * corrupted.
 *
 * <p>{@code ints}, {@code doubles}, {@code splits} and the like draw sequentially even if they are parallel, and give the
 * same numbers in the same order: only the processing of the numbers is divided among threads.
 *
 * <p>At the end of a stream, after 2<sup>64</sup> - 1 bytes (2<sup>38</sup> with a nonce of 12 bytes), methods throw an
 * {@link IllegalStateException} and leave the offset unchanged.
 */
public final class KeyedStream implements OrderedGenerator, AutoCloseable {
	/** Size of a checkpoint in bytes. */
	public static final int CHECKPOINT_SIZE = 128;

	private static final int FETCH = 1024;
	/** Has room for the bytes left before a fetch, which are fewer than those of the largest number. */
	private static final int BUFFER = FETCH + 8;
	/** Size of the first fetch after a call of C: small, because another call may follow. */
	private static final int FIRST = 64;
	/** Above this offset a single number might reach a stream's end: the shortest streams have 2^38 bytes. */
	private static final long FAR = 1L << 37;

	private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
	private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
	private static final VarHandle SHORTS = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
	private static final VarHandle BUSY;

	static {
		try {
			BUSY = MethodHandles.lookup().findVarHandle(KeyedStream.class, "busy", boolean.class);
		} catch (ReflectiveOperationException impossible) {
			throw new AssertionError(impossible);
		}
	}

	// The next bytes are buffer[at..], followed by C's: the offset of the C stream is that of the buffer's end.  Two threads that
	// draw at once see mixed state here, within bounds, but never enter C at once.
	private final byte[] buffer = new byte[BUFFER];
	private int at = BUFFER;
	private int fetched = FIRST / 2;
	private boolean closed;
	@SuppressWarnings("unused") // accessed by BUSY
	private boolean busy;

	private final StreamMemory memory;
	private final MemorySegment stream;
	private String origin; // engine, seed and children, for display

	private KeyedStream(String origin, StreamMemory.Begin begin) {
		memory = new StreamMemory(this, begin);
		stream = memory.segment();
		this.origin = origin;
	}

	private static KeyedStream ofSeed(String engine, String shown, StreamMemory.Begin begin) {
		return new KeyedStream((engine == null ? "chacha8" : engine) + ", seed " + shown, begin);
	}

	/** The stream of an integer, with every language's default engine. */
	public static KeyedStream ofSeed(long seed) {
		return ofSeed(null, seed);
	}

	/** The stream of an unsigned integer, with an engine: "chacha8", "chacha20", "aes256-ctr", ...; null means "chacha8". */
	public static KeyedStream ofSeed(String engine, long seed) {
		return ofSeed(engine, Long.toUnsignedString(seed),
			(arena, s) -> (int) Library.STREAM_INTEGER.invokeExact(s, StreamMemory.name(arena, engine), seed));
	}

	/** The stream of a nonempty string without NULs or lone surrogates.  The string "42" and the integer 42 are different seeds. */
	public static KeyedStream ofSeed(String engine, String seed) {
		if (seed.isEmpty())
			throw new IllegalArgumentException("cprng: the seed is an empty string");
		return ofSeed(engine, '"' + seed + '"', (arena, s)
			-> (int) Library.STREAM_STRING.invokeExact(s, StreamMemory.name(arena, engine), StreamMemory.string(arena, seed, "seed")));
	}

	/** The stream of a seed of 16 bytes or more. */
	public static KeyedStream ofSeed(String engine, byte[] seed) {
		if (seed.length < 16)
			throw new IllegalArgumentException("cprng: the seed has " + seed.length + " bytes, and 16 are the least");
		return ofSeed(engine, "of " + seed.length + " bytes", (arena, s) -> {
			MemorySegment copy = StreamMemory.copyOf(arena, seed);
			try {
				return (int) Library.STREAM_BYTES.invokeExact(s, StreamMemory.name(arena, engine), copy, (long) seed.length);
			} finally {
				Cprng.erase(copy);
			}
		});
	}

	/** Continues from a checkpoint of {@link #checkpoint} or of another language. */
	public static KeyedStream ofCheckpoint(byte[] checkpoint) {
		return new KeyedStream("from a checkpoint", (arena, s) -> {
			MemorySegment copy = StreamMemory.copyOf(arena, checkpoint);
			try {
				return (int) Library.STREAM_RESTORE.invokeExact(s, copy, (long) checkpoint.length);
			} finally {
				Cprng.erase(copy);
			}
		});
	}

	/** A call of C for this stream. */
	private interface Call<T> {
		T of(MemorySegment stream) throws Throwable;
	}

	/** Calls C with the C stream at this stream's offset and the buffer empty; only one thread at a time. */
	private <T> T call(Call<T> call) {
		enter();
		try {
			back();
			return call.of(stream);
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
		if (left > 0) {
			long end = (long) Library.STREAM_TELL.invokeExact(stream);
			Library.check((int) Library.STREAM_SEEK.invokeExact(stream, end - left));
		}
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

	private int take(int size) {
		int from = at;
		if (from > BUFFER - size)
			return refill(size);
		at = from + size;
		return from;
	}

	/** A uniform integer of one byte, 0 to 255. */
	public int nextUnsignedByte() {
		return buffer[take(1)] & 0xff;
	}

	/** A uniform integer of two bytes, 0 to 65535. */
	public int nextUnsignedShort() {
		return (short) SHORTS.get(buffer, take(2)) & 0xffff;
	}

	/** A uniform integer of four bytes. */
	@Override
	public int nextInt() {
		return (int) INTS.get(buffer, take(4));
	}

	/** A uniform integer of eight bytes. */
	@Override
	public long nextLong() {
		return (long) LONGS.get(buffer, take(8));
	}

	/** The lowest bit of one byte. */
	@Override
	public boolean nextBoolean() {
		return (nextUnsignedByte() & 1) == 1;
	}

	/** A uniform integer in [0, bound), by the specification's uniform32. */
	@Override
	public int nextInt(int bound) {
		if (bound <= 0)
			throw new IllegalArgumentException("bound must be positive");
		return uniform32(bound);
	}

	/** A uniform integer in [from, below). */
	@Override
	public int nextInt(int from, int below) {
		if (from >= below)
			throw new IllegalArgumentException("bound must be greater than origin");
		return from + uniform32(below - from); // the difference fits an unsigned int
	}

	/** A uniform integer in [0, bound), by the specification's uniform64. */
	@Override
	public long nextLong(long bound) {
		if (bound <= 0)
			throw new IllegalArgumentException("bound must be positive");
		return nextUnsignedLong(bound);
	}

	/** A uniform integer in [from, below). */
	@Override
	public long nextLong(long from, long below) {
		if (from >= below)
			throw new IllegalArgumentException("bound must be greater than origin");
		return from + nextUnsignedLong(below - from);
	}

	/** A uniform integer in [0, bound), both unsigned; 0 if the bound is 0 or 1. */
	public long nextUnsignedLong(long bound) {
		if (bound >>> 32 == 0)
			return Integer.toUnsignedLong(uniform32((int) bound));
		long low, high;
		long refused = -1; // not computed yet
		long taken = 0;
		try {
			do {
				long word = nextLong();
				taken += Long.BYTES;
				low = word * bound;
				high = Math.unsignedMultiplyHigh(word, bound);
				if (Long.compareUnsigned(low, bound) >= 0)
					break;
				if (refused == -1)
					refused = Long.remainderUnsigned(-bound, bound);
			} while (Long.compareUnsigned(low, refused) < 0);
		} catch (IllegalStateException end) {
			throw returned(taken, end);
		}
		return high;
	}

	/** Moves the offset back by the bytes of rejected tries if the stream ends within a number; returns the exception. */
	private IllegalStateException returned(long taken, IllegalStateException end) {
		if (taken != 0)
			advance(-taken);
		return end;
	}

	// Lemire's method (doi:10.1145/3230636), as in the specification; the bound is unsigned.
	private int uniform32(int bound) {
		long wide = Integer.toUnsignedLong(bound);
		long product = Integer.toUnsignedLong(nextInt()) * wide;
		if (Integer.compareUnsigned((int) product, bound) < 0) {
			int refused = Integer.remainderUnsigned(-bound, bound);
			long taken = Integer.BYTES;
			try {
				for (; Integer.compareUnsigned((int) product, refused) < 0; taken += Integer.BYTES)
					product = Integer.toUnsignedLong(nextInt()) * wide;
			} catch (IllegalStateException end) {
				throw returned(taken, end);
			}
		}
		return (int) (product >>> 32);
	}

	/** A uniform integer between two signed numbers, both included, in either order. */
	public long nextLongWithin(long one, long other) {
		return one <= other ? one + within(other - one) : other + within(one - other);
	}

	/** A uniform integer between two unsigned numbers, both included, in either order. */
	public long nextUnsignedLongWithin(long one, long other) {
		return Long.compareUnsigned(one, other) <= 0 ? one + within(other - one) : other + within(one - other);
	}

	/** A uniform integer in [0, span], unsigned; a span of -1 allows all 64-bit integers. */
	private long within(long span) {
		return span == -1 ? nextLong() : nextUnsignedLong(span + 1);
	}

	/**
	 * A normally distributed number with mean 0 and standard deviation 1, from 8 bytes.  Each is a call of C: {@link #fillNormal} is
	 * faster.
	 */
	@Override
	public double nextGaussian() {
		return nextGaussian(0, 1);
	}

	@Override
	public double nextGaussian(double mean, double deviation) {
		Library.checkNormal(mean, deviation);
		enter();
		try {
			back();
			if (far()) {
				double[] out = new double[1];
				Library.check((int) Library.STREAM_FILL_NORMAL.invokeExact(stream, MemorySegment.ofArray(out), 1L, mean, deviation));
				return out[0];
			}
			return (double) Library.STREAM_NORMAL.invokeExact(stream, mean, deviation);
		} catch (Throwable problem) {
			throw Library.failed(problem);
		} finally {
			leave();
		}
	}

	/** An exponentially distributed number with mean 1, from 8 bytes.  Each is a call of C: {@link #fillExponential} is faster. */
	@Override
	public double nextExponential() {
		return nextExponential(1);
	}

	/** An exponentially distributed number with this mean. */
	public double nextExponential(double mean) {
		Library.checkMean(mean);
		enter();
		try {
			back();
			if (far()) {
				double[] out = new double[1];
				Library.check((int) Library.STREAM_FILL_EXPONENTIAL.invokeExact(stream, MemorySegment.ofArray(out), 1L, mean));
				return out[0];
			}
			return (double) Library.STREAM_EXPONENTIAL.invokeExact(stream, mean);
		} catch (Throwable problem) {
			throw Library.failed(problem);
		} finally {
			leave();
		}
	}

	/** Whether C might reach the stream's end, where a single number aborts the process; an array does not. */
	private boolean far() throws Throwable {
		return Long.compareUnsigned(tellOf(stream), FAR) > 0;
	}

	/** The next bytes. */
	@Override
	public void nextBytes(byte[] bytes) {
		all(MemorySegment.ofArray(bytes), 1, (s, piece, count) -> (int) Library.STREAM_READ.invokeExact(s, piece, count));
	}

	/** Fills an array with the numbers that {@link #nextFloat()} would return. */
	public void fill(float[] out) {
		all(MemorySegment.ofArray(out), Float.BYTES, (s, piece, count) -> (int) Library.STREAM_FILL_FLOAT.invokeExact(s, piece, count));
	}

	/** Fills an array with the numbers that {@link #nextDouble()} would return. */
	public void fill(double[] out) {
		all(MemorySegment.ofArray(out), Double.BYTES, (s, piece, count) -> (int) Library.STREAM_FILL_DOUBLE.invokeExact(s, piece, count));
	}

	/** Fills an array with the numbers that {@link #nextGaussian(double, double)} would return. */
	public void fillNormal(double[] out, double mean, double deviation) {
		Library.checkNormal(mean, deviation);
		all(MemorySegment.ofArray(out), Double.BYTES,
			(s, piece, count) -> (int) Library.STREAM_FILL_NORMAL.invokeExact(s, piece, count, mean, deviation));
	}

	/** Fills an array with the numbers that {@link #nextExponential(double)} would return. */
	public void fillExponential(double[] out, double mean) {
		Library.checkMean(mean);
		all(MemorySegment.ofArray(out), Double.BYTES,
			(s, piece, count) -> (int) Library.STREAM_FILL_EXPONENTIAL.invokeExact(s, piece, count, mean));
	}

	/** A C function for several numbers of a stream. */
	private interface Fill {
		int numbers(MemorySegment stream, MemorySegment piece, long count) throws Throwable;
	}

	/** Fills an array in pieces; if the stream ends first, writes nothing and keeps the offset. */
	private void all(MemorySegment out, int size, Fill fill) {
		call(s -> {
			long bytes = out.byteSize(), offset = tellOf(s);
			if (bytes > Library.PIECE) {
				seekTo(s, reached(offset, bytes));
				seekTo(s, offset);
			}
			long done = 0;
			do {
				long piece = Math.min(Library.PIECE, bytes - done);
				Library.check(fill.numbers(s, out.asSlice(done, piece), piece / size));
				done += piece;
			} while (done < bytes);
			return null;
		});
	}

	private static long reached(long offset, long bytes) {
		if (Long.compareUnsigned(offset + bytes, offset) < 0)
			Library.check(Library.ERROR_RANGE);
		return offset + bytes;
	}

	private static long tellOf(MemorySegment s) throws Throwable {
		return (long) Library.STREAM_TELL.invokeExact(s);
	}

	private static void seekTo(MemorySegment s, long offset) throws Throwable {
		Library.check((int) Library.STREAM_SEEK.invokeExact(s, offset));
	}

	/** Fills an array with distinct integers in [0, bound), in random order; the bound is unsigned. */
	public void sample(long[] out, long bound) {
		Library.checkSample(out, bound);
		call(s -> {
			Cprng.sampleInto(out, chosen -> (int) Library.STREAM_SAMPLE.invokeExact(s, chosen, (long) out.length, bound));
			return null;
		});
	}

	/**
	 * Puts a list into a random order, with the specification's choices.  If the list cannot be written or refuses an element, or
	 * if the stream ends too early, this throws, and list and offset are unchanged.
	 */
	public void shuffle(List<?> list) {
		Shuffle.of(list, this);
	}

	/** The offset in bytes of the next byte, unsigned. */
	public long tell() {
		enter();
		try {
			return tellOf(stream) - (BUFFER - at);
		} catch (Throwable problem) {
			throw Library.failed(problem);
		} finally {
			leave();
		}
	}

	/**
	 * Sets the offset to an absolute number of bytes, unsigned, in constant time.
	 *
	 * @throws IllegalStateException if the stream ends before that offset; the offset is unchanged then
	 */
	public void seek(long offset) {
		call(s -> {
			seekTo(s, offset);
			return null;
		});
	}

	/** Moves the offset forward, or back by a negative number of bytes, in constant time; the errors are those of {@link #seek}. */
	public void advance(long bytes) {
		call(s -> {
			long offset = tellOf(s), target = offset + bytes;
			if (bytes < 0 == Long.compareUnsigned(target, offset) > 0 && bytes != 0)
				Library.check(Library.ERROR_RANGE);
			seekTo(s, target);
			return null;
		});
	}

	/** The state in {@link #CHECKPOINT_SIZE} bytes, the same on every machine.  It is as secret as the key. */
	public byte[] checkpoint() {
		return call(s -> {
			try (Arena arena = Arena.ofConfined()) {
				MemorySegment copy = arena.allocate(CHECKPOINT_SIZE);
				Library.check((int) Library.STREAM_SAVE.invokeExact(s, copy, (long) CHECKPOINT_SIZE));
				byte[] checkpoint = copy.toArray(ValueLayout.JAVA_BYTE);
				Cprng.erase(copy);
				return checkpoint;
			}
		});
	}

	/** A stream with the same state, which continues independently. */
	public KeyedStream copy() {
		return call(s -> new KeyedStream(origin, (arena, other) -> {
			other.copyFrom(s);
			return 0;
		}));
	}

	/** Child number index (unsigned), independent of this stream, its offset and its other children. */
	public KeyedStream child(long index) {
		return call(s -> new KeyedStream(origin + ", child " + Long.toUnsignedString(index),
			(arena, child) -> (int) Library.STREAM_SPAWN.invokeExact(s, index, child)));
	}

	/** @deprecated {@link #child}, which all languages have; this name goes with version 1.0 */
	@Deprecated
	public KeyedStream spawn(long index) {
		return child(index);
	}

	/**
	 * A stream seeded with this one's next 32 bytes.  For numbered streams, {@link #child} is better: a child
	 * does not depend on earlier draws.
	 */
	@Override
	public KeyedStream split() {
		return ofNext(this);
	}

	/** A stream seeded with 32 bytes from another generator. */
	@Override
	public KeyedStream split(SplittableGenerator source) {
		return ofNext(source);
	}

	static KeyedStream ofNext(RandomGenerator source) {
		byte[] seed = new byte[32];
		source.nextBytes(seed);
		try {
			return ofSeed(null, seed);
		} finally {
			Arrays.fill(seed, (byte) 0);
		}
	}

	/** Erases the key and buffer; an unclosed stream is erased when it is collected. */
	@Override
	public void close() {
		if (!BUSY.compareAndSet(this, false, true))
			throw new ConcurrentModificationException("cprng: a stream is closed while a thread uses it");
		try {
			closed = true;
			at = BUFFER;
			origin = "closed";
			Arrays.fill(buffer, (byte) 0);
			memory.erase();
		} finally {
			leave();
		}
	}

	/** The engine, seed and child numbers, as far as they are known.  A seed of bytes may be a key, so only its length is shown. */
	@Override
	public String toString() {
		return "KeyedStream[" + origin + "]";
	}

	/** For tests: the C object. */
	MemorySegment memory() {
		return stream;
	}
}
