// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
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
 * {@link IllegalStateException} and leave the offset unchanged.  An array of bounded integers then has other numbers, and a shuffled
 * array another order.
 */
public final class KeyedStream extends NativeStream implements OrderedGenerator, AutoCloseable {
	/** Size of a checkpoint in bytes. */
	public static final int CHECKPOINT_SIZE = 128;

	private KeyedStream(StreamMemory.Begin begin) {
		super(begin);
	}

	/** A C function that begins a stream of an engine and a copy of bytes. */
	private interface Begin {
		int at(MemorySegment stream, MemorySegment engine, MemorySegment bytes) throws Throwable;
	}

	private static KeyedStream of(String engine, byte[] bytes, Begin begin) {
		return new KeyedStream((arena, s) -> {
			MemorySegment name = StreamMemory.name(arena, engine);
			return StreamMemory.copied(arena, bytes, copy -> begin.at(s, name, copy));
		});
	}

	/**
	 * {@return the stream of an integer, with every language's default engine}
	 * @param seed an unsigned integer
	 */
	public static KeyedStream ofSeed(long seed) {
		return ofSeed(null, seed);
	}

	/**
	 * {@return the stream of an integer}
	 * @param engine "chacha8", "chacha20", "aes256-ctr", ...; null means "chacha8"
	 * @param seed an unsigned integer
	 * @throws IllegalArgumentException if there is no such engine
	 */
	public static KeyedStream ofSeed(String engine, long seed) {
		return new KeyedStream((arena, s) -> (int) Library.STREAM_INTEGER.invokeExact(s, StreamMemory.name(arena, engine), seed));
	}

	/**
	 * {@return the stream of an integer of any size}  Up to 2<sup>64</sup> - 1 it is that of the unsigned {@code long}.
	 * @param engine the engine's name; null means "chacha8"
	 * @param seed the integer
	 * @throws IllegalArgumentException if there is no such engine
	 */
	public static KeyedStream ofSeed(String engine, BigInteger seed) {
		byte[] ordered = seed.abs().toByteArray(), magnitude = new byte[ordered.length];
		for (int i = 0; i < magnitude.length; i++)
			magnitude[i] = ordered[ordered.length - 1 - i];
		int negative = seed.signum() < 0 ? 1 : 0;
		return of(engine, magnitude,
			(s, name, copy) -> (int) Library.STREAM_NUMBER.invokeExact(s, name, copy, (long) magnitude.length, negative));
	}

	/**
	 * {@return the stream of a text}  The text "42" and the integer 42 are different seeds.
	 * @param engine the engine's name; null means "chacha8"
	 * @param seed the text, not empty
	 * @throws IllegalArgumentException if the text is empty or has a NUL or a lone surrogate, or there is no such engine
	 */
	public static KeyedStream ofSeed(String engine, String seed) {
		byte[] text = StreamMemory.utf8(seed);
		return of(engine, text, (s, name, copy) -> {
			int code = (int) Library.STREAM_TEXT_SEED.invokeExact(s, name, copy, (long) text.length);
			if (code == Library.ERROR_ARGUMENT)
				throw new IllegalArgumentException("cprng: the seed has a NUL");
			return code;
		});
	}

	/**
	 * {@return the stream of bytes}
	 * @param engine the engine's name; null means "chacha8"
	 * @param seed 16 bytes or more
	 * @throws IllegalArgumentException if there are fewer bytes, or no such engine
	 */
	public static KeyedStream ofSeed(String engine, byte[] seed) {
		return of(engine, seed, (s, name, copy) -> (int) Library.STREAM_BYTES.invokeExact(s, name, copy, (long) seed.length));
	}

	/**
	 * {@return the keystream of an engine, for interoperability with other programs of the cipher}
	 * @param engine its name: "chacha20", "aes256-ctr", ...
	 * @param key the key, of a size that the engine takes
	 * @param nonce the nonce, of a size that the engine takes; null means the engine's first nonce size, all zero
	 * @throws IllegalArgumentException if there is no such engine, or it takes no such sizes
	 */
	public static KeyedStream ofKey(String engine, byte[] key, byte[] nonce) {
		long size = nonce == null ? 0 : nonce.length;
		return of(engine, key, (s, name, copy) -> {
			try (Arena arena = Arena.ofConfined()) {
				MemorySegment number = nonce == null ? MemorySegment.NULL : arena.allocate(size + 1).copyFrom(MemorySegment.ofArray(nonce));
				return (int) Library.STREAM_KEY.invokeExact(s, name, copy, (long) key.length, number, size);
			}
		});
	}

	/**
	 * Continues from a checkpoint.
	 * @param checkpoint the bytes, from {@link #checkpoint} or from another language
	 * @return the stream at the checkpoint's offset
	 * @throws IllegalArgumentException if the bytes are not a checkpoint
	 */
	public static KeyedStream ofCheckpoint(byte[] checkpoint) {
		return of(null, checkpoint, (s, name, copy) -> (int) Library.STREAM_RESTORE.invokeExact(s, copy, (long) checkpoint.length));
	}

	/** {@return a uniform integer of one byte, 0 to 255} */
	public int nextUnsignedByte() {
		return buffer[take(1)] & 0xff;
	}

	/** {@return a uniform integer of two bytes, 0 to 65535} */
	public int nextUnsignedShort() {
		return (short) SHORTS.get(buffer, take(2)) & 0xffff;
	}

	/** {@return a uniform integer of four bytes} */
	@Override
	public int nextInt() {
		return (int) INTS.get(buffer, take(4));
	}

	/** {@return a uniform integer of eight bytes} */
	@Override
	public long nextLong() {
		return (long) LONGS.get(buffer, take(8));
	}

	/** {@return the lowest bit of one byte} */
	@Override
	public boolean nextBoolean() {
		return (nextUnsignedByte() & 1) == 1;
	}

	// By the specification's uniform32 and uniform64.

	@Override
	public int nextInt(int bound) {
		Library.checkBound(bound);
		return uniform32(bound);
	}

	@Override
	public int nextInt(int from, int below) {
		Library.checkRange(from, below);
		return from + uniform32(below - from); // the difference fits an unsigned int
	}

	@Override
	public long nextLong(long bound) {
		Library.checkBound(bound);
		return uniform64(bound);
	}

	@Override
	public long nextLong(long from, long below) {
		Library.checkRange(from, below);
		return from + uniform64(below - from);
	}

	/**
	 * {@return a uniform integer below an unsigned bound}
	 * @param bound the bound, unsigned
	 * @throws IllegalArgumentException if the bound is 0
	 */
	public long nextUnsignedLong(long bound) {
		Library.checkRange(Long.MIN_VALUE, bound ^ Long.MIN_VALUE);
		return uniform64(bound);
	}

	// Lemire's method (doi:10.1145/3230636), as in the specification; the bounds are unsigned, and 0 counts as 1.
	private long uniform64(long bound) {
		if (bound >>> 32 == 0)
			return Integer.toUnsignedLong(uniform32((int) bound));
		long word = nextLong(), low = word * bound;
		if (Long.compareUnsigned(low, bound) < 0 && Long.compareUnsigned(low, Long.remainderUnsigned(-bound, bound)) < 0)
			return again(Long.BYTES, bound);
		return Math.unsignedMultiplyHigh(word, bound);
	}

	private int uniform32(int bound) {
		long product = Integer.toUnsignedLong(nextInt()) * Integer.toUnsignedLong(bound);
		if (Integer.compareUnsigned((int) product, bound) < 0
			&& Integer.compareUnsigned((int) product, Integer.remainderUnsigned(-bound, bound)) < 0)
			return (int) again(Integer.BYTES, Integer.toUnsignedLong(bound));
		return (int) (product >>> 32);
	}

	/**
	 * {@return a uniform integer between two numbers, both included}
	 * @param least the least number
	 * @param most the greatest number
	 * @throws IllegalArgumentException if {@code most} is below {@code least}
	 */
	public long nextLongWithin(long least, long most) {
		if (least > most)
			throw new IllegalArgumentException("cprng: no integer is between " + least + " and " + most);
		return least + within(most - least);
	}

	/**
	 * {@return a uniform integer between two unsigned numbers, both included}
	 * @param least the least number, unsigned
	 * @param most the greatest number, unsigned
	 * @throws IllegalArgumentException if {@code most} is below {@code least}
	 */
	public long nextUnsignedLongWithin(long least, long most) {
		return nextLongWithin(least ^ Long.MIN_VALUE, most ^ Long.MIN_VALUE) ^ Long.MIN_VALUE;
	}

	/** A uniform integer in [0, span], unsigned; a span of -1 allows all 64-bit integers. */
	private long within(long span) {
		return span == -1 ? nextLong() : uniform64(span + 1);
	}

	/**
	 * {@return true with a probability, exactly: by 8 bytes, and by more of them while they are equal to the digits of p}
	 * @param p the probability; below 0 or a NaN counts as 0, above 1 as 1
	 */
	public boolean bernoulli(double p) {
		return call(s -> {
			int[] out = new int[1];
			Library.check((int) Library.STREAM_BERNOULLI.invokeExact(s, MemorySegment.ofArray(out), p));
			return out[0] != 0;
		});
	}

	/**
	 * {@return true with probability numerator / denominator, exactly}
	 * @param numerator unsigned
	 * @param denominator unsigned; 0 counts as 1
	 */
	public boolean bernoulli(long numerator, long denominator) {
		return Long.compareUnsigned(uniform64(denominator), numerator) < 0;
	}

	/**
	 * Chooses an index of weights, by one number of {@link #nextUnsignedLong}.
	 * @param weights the weights
	 * @return an index
	 */
	public int choose(Weighted weights) {
		return weights.choose(this::uniform64);
	}

	/**
	 * {@return a text of characters of an alphabet, all equally likely, by one byte for each try}
	 * @param length the number of characters (code points)
	 * @param alphabet 1 to 256 characters (code points)
	 * @throws IllegalArgumentException if the length is negative, or the alphabet has more or no characters
	 */
	public String text(int length, String alphabet) {
		return whole(s
			-> Identifiers.text(length, alphabet,
				(out, count, numbers, symbols) -> (int) Library.STREAM_TEXT.invokeExact(s, out, count, numbers, symbols)));
	}

	/** {@return a UUID of version 4, from 16 bytes} */
	public UUID uuid4() {
		byte[] bytes = new byte[16];
		nextBytes(bytes);
		return Identifiers.uuid(bytes, 4);
	}

	/**
	 * {@return a UUID of version 7, of a time and 10 bytes: UUIDs of one millisecond are in no order}
	 * @param milliseconds since 1970
	 * @throws IllegalArgumentException if the time is negative, or 2<sup>48</sup> or more
	 */
	public UUID uuid7(long milliseconds) {
		if (milliseconds >>> 48 != 0)
			throw new IllegalArgumentException("cprng: " + milliseconds + " milliseconds: they are 0 or more, and below 2^48");
		byte[] random = new byte[10], bytes = new byte[16];
		nextBytes(random);
		ByteBuffer.wrap(bytes).putLong(milliseconds << 16).put(6, random);
		return Identifiers.uuid(bytes, 7);
	}

	/**
	 * {@return a normally distributed number with mean 0 and standard deviation 1, from 8 bytes}  Each is a call of C:
	 * {@link #fillNormal} is faster.
	 */
	@Override
	public double nextGaussian() {
		return nextGaussian(0, 1);
	}

	@Override
	public double nextGaussian(double mean, double deviation) {
		Library.checkNormal(mean, deviation);
		return number((s, out) -> (int) Library.STREAM_NORMAL.invokeExact(s, out, mean, deviation));
	}

	/** {@return an exponentially distributed number with mean 1, from 8 bytes}  Each is a call of C: {@link #fillExponential} is faster. */
	@Override
	public double nextExponential() {
		return nextExponential(1);
	}

	/**
	 * {@return an exponentially distributed number, from 8 bytes}
	 * @param mean its mean
	 * @throws IllegalArgumentException if the mean is negative or not finite
	 */
	public double nextExponential(double mean) {
		Library.checkMean(mean);
		return number((s, out) -> (int) Library.STREAM_EXPONENTIAL.invokeExact(s, out, mean));
	}

	@Override
	public void nextBytes(byte[] bytes) {
		all(MemorySegment.ofArray(bytes), 1, (s, piece, count) -> (int) Library.STREAM_READ.invokeExact(s, piece, count));
	}

	/**
	 * Fills an array with the numbers that {@link #nextInt()} would return.
	 * @param out the array
	 */
	@Override
	public void fill(int[] out) {
		all(MemorySegment.ofArray(out), Integer.BYTES, (s, piece, count) -> (int) Library.STREAM_FILL_U32.invokeExact(s, piece, count));
	}

	/**
	 * Fills an array with the numbers that {@link #nextLong()} would return.
	 * @param out the array
	 */
	@Override
	public void fill(long[] out) {
		all(MemorySegment.ofArray(out), Long.BYTES, (s, piece, count) -> (int) Library.STREAM_FILL_U64.invokeExact(s, piece, count));
	}

	/**
	 * Fills an array with the numbers that {@link #nextInt(int)} would return.
	 * @param out the array
	 * @param bound above all numbers
	 * @throws IllegalArgumentException if the bound is 0 or negative
	 */
	public void fillUniform(int[] out, int bound) {
		Library.checkBound(bound);
		fillUniform(out, 0, bound);
	}

	/**
	 * Fills an array with the numbers that {@link #nextInt(int, int)} would return.
	 * @param out the array
	 * @param from the least number
	 * @param below above all numbers
	 * @throws IllegalArgumentException if there is no number in [from, below)
	 */
	public void fillUniform(int[] out, int from, int below) {
		Library.checkRange(from, below);
		bounded(MemorySegment.ofArray(out), Integer.BYTES,
			(s, piece, count) -> (int) Library.STREAM_FILL_UNIFORM32.invokeExact(s, piece, count, below - from));
		Cprng.add(out, from);
	}

	/**
	 * Fills an array with the numbers that {@link #nextLong(long)} would return.
	 * @param out the array
	 * @param bound above all numbers
	 * @throws IllegalArgumentException if the bound is 0 or negative
	 */
	public void fillUniform(long[] out, long bound) {
		Library.checkBound(bound);
		fillUniform(out, 0, bound);
	}

	/**
	 * Fills an array with the numbers that {@link #nextLong(long, long)} would return.
	 * @param out the array
	 * @param from the least number
	 * @param below above all numbers
	 * @throws IllegalArgumentException if there is no number in [from, below)
	 */
	@Override
	public void fillUniform(long[] out, long from, long below) {
		Library.checkRange(from, below);
		bounded(MemorySegment.ofArray(out), Long.BYTES,
			(s, piece, count) -> (int) Library.STREAM_FILL_INT_RANGE.invokeExact(s, piece, count, from, below - 1));
	}

	/**
	 * Fills an array with the numbers that {@link #nextFloat()} would return.
	 * @param out the array
	 */
	public void fill(float[] out) {
		all(MemorySegment.ofArray(out), Float.BYTES, (s, piece, count) -> (int) Library.STREAM_FILL_FLOAT.invokeExact(s, piece, count));
	}

	/**
	 * Fills an array with the numbers that {@link #nextDouble()} would return.
	 * @param out the array
	 */
	public void fill(double[] out) {
		all(MemorySegment.ofArray(out), Double.BYTES, (s, piece, count) -> (int) Library.STREAM_FILL_DOUBLE.invokeExact(s, piece, count));
	}

	/**
	 * Fills an array with the numbers that {@link #nextGaussian(double, double)} would return.
	 * @param out the array
	 * @param mean their mean
	 * @param deviation their standard deviation
	 * @throws IllegalArgumentException if one of them is not finite, or the deviation negative
	 */
	public void fillNormal(double[] out, double mean, double deviation) {
		Library.checkNormal(mean, deviation);
		all(MemorySegment.ofArray(out), Double.BYTES,
			(s, piece, count) -> (int) Library.STREAM_FILL_NORMAL.invokeExact(s, piece, count, mean, deviation));
	}

	/**
	 * Fills an array with the numbers that {@link #nextExponential(double)} would return.
	 * @param out the array
	 * @param mean their mean
	 * @throws IllegalArgumentException if the mean is negative or not finite
	 */
	public void fillExponential(double[] out, double mean) {
		Library.checkMean(mean);
		all(MemorySegment.ofArray(out), Double.BYTES,
			(s, piece, count) -> (int) Library.STREAM_FILL_EXPONENTIAL.invokeExact(s, piece, count, mean));
	}

	/**
	 * Fills an array with distinct integers, in random order.
	 * @param out the array
	 * @param bound above all numbers, unsigned
	 * @throws IllegalArgumentException if there are not as many numbers in [0, bound)
	 */
	public void sample(long[] out, long bound) {
		Library.checkSample(out, bound);
		call(s -> {
			Cprng.sampleInto(out, chosen -> (int) Library.STREAM_SAMPLE.invokeExact(s, chosen, (long) out.length, bound));
			return null;
		});
	}

	/**
	 * Puts a list into a random order, with the specification's choices.  If the stream ends first, the list is unchanged.
	 * @param list the list
	 * @throws UnsupportedOperationException if the list does not have {@code set}, as from {@link java.util.Collections#shuffle}
	 */
	public void shuffle(List<?> list) {
		Shuffle.list(list, this::shuffle);
	}

	/**
	 * Puts an array into the random order that a list would have.
	 * @param array the array
	 */
	public void shuffle(Object[] array) {
		shuffle(Arrays.asList(array));
	}

	/**
	 * Puts an array into the random order that a list would have.
	 * @param array the array
	 */
	public void shuffle(int[] array) {
		shuffle(MemorySegment.ofArray(array), Integer.BYTES);
	}

	/**
	 * Puts an array into the random order that a list would have.
	 * @param array the array
	 */
	public void shuffle(long[] array) {
		shuffle(MemorySegment.ofArray(array), Long.BYTES);
	}

	/**
	 * Puts an array into the random order that a list would have.
	 * @param array the array
	 */
	public void shuffle(double[] array) {
		shuffle(MemorySegment.ofArray(array), Double.BYTES);
	}

	private void shuffle(MemorySegment array, int size) {
		call(s -> {
			Shuffle.elements(array, size, (all, count, each) -> (int) Library.STREAM_SHUFFLE.invokeExact(s, all, count, each),
				(all, count, each) -> (int) Library.STREAM_SHUFFLE_NATIVE.invokeExact(s, all, count, each));
			return null;
		});
	}

	/** {@return the offset in bytes of the next byte, unsigned} */
	public long tell() {
		return offset();
	}

	/**
	 * Sets the offset, in constant time.
	 * @param offset the number of bytes from the beginning, unsigned
	 * @throws IllegalStateException if the stream ends before that offset; the offset is unchanged then
	 */
	public void seek(long offset) {
		call(s -> {
			seekTo(s, offset);
			return null;
		});
	}

	/**
	 * Moves the offset forward or back, in constant time.
	 * @param bytes the number of bytes; a negative one moves back
	 * @throws IllegalStateException as from {@link #seek}
	 */
	public void advance(long bytes) {
		call(s -> {
			Library.check((int) Library.STREAM_ADVANCE.invokeExact(s, bytes));
			return null;
		});
	}

	/** {@return the state in {@link #CHECKPOINT_SIZE} bytes, the same on every machine}  It is as secret as the key. */
	public byte[] checkpoint() {
		return call(s -> {
			byte[] checkpoint = new byte[CHECKPOINT_SIZE];
			Library.check((int) Library.STREAM_SAVE.invokeExact(s, MemorySegment.ofArray(checkpoint), (long) CHECKPOINT_SIZE));
			return checkpoint;
		});
	}

	/** {@return a stream with the same state, which continues independently} */
	public KeyedStream copy() {
		return call(s -> new KeyedStream((arena, other) -> {
			other.copyFrom(s);
			return 0;
		}));
	}

	/**
	 * {@return a child, independent of this stream, its offset and its other children}
	 * @param index the number of the child, unsigned
	 */
	public KeyedStream child(long index) {
		return call(s -> new KeyedStream((arena, child) -> (int) Library.STREAM_CHILD.invokeExact(s, index, child)));
	}

	/**
	 * {@return a stream seeded with this one's next 32 bytes}  For numbered streams, {@link #child} is better: a child
	 * does not depend on earlier draws.
	 */
	@Override
	public KeyedStream split() {
		return ofNext(this);
	}

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
	}
}
