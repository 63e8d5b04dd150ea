// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.UUID;
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
public final class KeyedStream extends NativeStream implements OrderedGenerator, AutoCloseable {
	/** Size of a checkpoint in bytes. */
	public static final int CHECKPOINT_SIZE = 128;

	private String origin; // engine, seed and children, for display

	private KeyedStream(String origin, StreamMemory.Begin begin) {
		super(begin);
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
		Library.checkBound(bound);
		return uniform32(bound);
	}

	/** A uniform integer in [from, below). */
	@Override
	public int nextInt(int from, int below) {
		Library.checkRange(from, below);
		return from + uniform32(below - from); // the difference fits an unsigned int
	}

	/** A uniform integer in [0, bound), by the specification's uniform64. */
	@Override
	public long nextLong(long bound) {
		Library.checkBound(bound);
		return nextUnsignedLong(bound);
	}

	/** A uniform integer in [from, below). */
	@Override
	public long nextLong(long from, long below) {
		Library.checkRange(from, below);
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
	 * Returns true with probability p, exactly: by 8 bytes, and by more of them while they are equal to the digits of p.  A p below 0
	 * or a NaN counts as 0, a p above 1 as 1.
	 */
	public boolean bernoulli(double p) {
		double left = p > 0 ? p : 0;
		long taken = 0;
		for (;; taken += Long.BYTES) {
			long word;
			try {
				word = nextLong();
			} catch (IllegalStateException end) {
				throw returned(taken, end);
			}
			if (left >= 1)
				return true;
			double scaled = left * 0x1p64, whole = Math.floor(scaled);
			long digits = whole < 0x1p63 ? (long) whole : (long) (whole - 0x1p63) ^ Long.MIN_VALUE;
			left = scaled - whole;
			if (word != digits || left == 0)
				return Long.compareUnsigned(word, digits) < 0;
		}
	}

	/** Returns true with probability numerator / denominator, both unsigned.  A denominator of 0 counts as 1. */
	public boolean bernoulli(long numerator, long denominator) {
		return Long.compareUnsigned(nextUnsignedLong(denominator), numerator) < 0;
	}

	/** Chooses an index of the weights, by one number of {@link #nextUnsignedLong}. */
	public int choose(Weighted weights) {
		return weights.choose(this::nextUnsignedLong);
	}

	/** A text of characters (code points) of an alphabet, which has 1 to 256, all equally likely; by one byte for each try. */
	public String text(int length, String alphabet) {
		return whole(s
			-> Identifiers.text(length, alphabet,
				(out, count, numbers, symbols) -> (int) Library.STREAM_TEXT.invokeExact(s, out, count, numbers, symbols)));
	}

	/** A UUID of version 4, from 16 bytes. */
	public UUID uuid4() {
		byte[] bytes = new byte[16];
		nextBytes(bytes);
		return Identifiers.uuid(bytes, 4);
	}

	/** A UUID of version 7, of a time in milliseconds since 1970 and 10 bytes: UUIDs of one millisecond are in no order. */
	public UUID uuid7(long milliseconds) {
		if (milliseconds >>> 48 != 0)
			throw new IllegalArgumentException("cprng: " + milliseconds + " milliseconds: they are 0 or more, and below 2^48");
		byte[] random = new byte[10], bytes = new byte[16];
		nextBytes(random);
		ByteBuffer.wrap(bytes).putLong(milliseconds << 16).put(6, random);
		return Identifiers.uuid(bytes, 7);
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
		return number(s -> (double) Library.STREAM_NORMAL.invokeExact(s, mean, deviation),
			(s, piece, count) -> (int) Library.STREAM_FILL_NORMAL.invokeExact(s, piece, count, mean, deviation));
	}

	/** An exponentially distributed number with mean 1, from 8 bytes.  Each is a call of C: {@link #fillExponential} is faster. */
	@Override
	public double nextExponential() {
		return nextExponential(1);
	}

	/** An exponentially distributed number with this mean. */
	public double nextExponential(double mean) {
		Library.checkMean(mean);
		return number(s -> (double) Library.STREAM_EXPONENTIAL.invokeExact(s, mean),
			(s, piece, count) -> (int) Library.STREAM_FILL_EXPONENTIAL.invokeExact(s, piece, count, mean));
	}

	/** The next bytes. */
	@Override
	public void nextBytes(byte[] bytes) {
		all(MemorySegment.ofArray(bytes), 1, (s, piece, count) -> (int) Library.STREAM_READ.invokeExact(s, piece, count));
	}

	/** Fills an array with the numbers that {@link #nextInt()} would return. */
	@Override
	public void fill(int[] out) {
		all(MemorySegment.ofArray(out), Integer.BYTES, (s, piece, count) -> (int) Library.STREAM_FILL_U32.invokeExact(s, piece, count));
	}

	/** Fills an array with the numbers that {@link #nextLong()} would return. */
	@Override
	public void fill(long[] out) {
		all(MemorySegment.ofArray(out), Long.BYTES, (s, piece, count) -> (int) Library.STREAM_FILL_U64.invokeExact(s, piece, count));
	}

	/** Fills an array with the numbers that {@link #nextInt(int)} would return. */
	public void fillUniform(int[] out, int bound) {
		Library.checkBound(bound);
		fillUniform(out, 0, bound);
	}

	/** Fills an array with the numbers that {@link #nextInt(int, int)} would return. */
	public void fillUniform(int[] out, int from, int below) {
		Library.checkRange(from, below);
		bounded(MemorySegment.ofArray(out), Integer.BYTES,
			(s, piece, count) -> (int) Library.STREAM_FILL_UNIFORM32.invokeExact(s, piece, count, below - from));
		Cprng.add(out, from);
	}

	/** Fills an array with the numbers that {@link #nextLong(long)} would return. */
	public void fillUniform(long[] out, long bound) {
		Library.checkBound(bound);
		fillUniform(out, 0, bound);
	}

	/** Fills an array with the numbers that {@link #nextLong(long, long)} would return. */
	@Override
	public void fillUniform(long[] out, long from, long below) {
		Library.checkRange(from, below);
		bounded(MemorySegment.ofArray(out), Long.BYTES,
			(s, piece, count) -> (int) Library.STREAM_FILL_INT_RANGE.invokeExact(s, piece, count, from, below - 1));
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
		return offset();
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
		erase();
		origin = "closed";
	}

	/** The engine, seed and child numbers, as far as they are known.  A seed of bytes may be a key, so only its length is shown. */
	@Override
	public String toString() {
		return "KeyedStream[" + origin + "]";
	}
}
