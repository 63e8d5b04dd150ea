// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Cryptographic random numbers from the C library cprng.  Any number of threads, including virtual ones, may call all methods.
 *
 * <p>Nothing is buffered in Java: each draw is a call of C, so the promises of the C library hold.  Served bytes are
 * erased in its memory at once, and neither a fork nor a clone of the virtual machine repeats any.  If the kernel's
 * entropy is unavailable, the process aborts.
 *
 * <p>{@link #generator()} is for programs that take a {@link RandomGenerator}; {@link CprngProvider} for programs that take a
 * {@link java.security.SecureRandom}; {@link KeyedStream} for reproducible numbers.
 */
public final class Cprng {
	private static final RandomGenerator GENERATOR = new Generator();

	static {
		// Not as a critical call: the first draw tests engines and may wait for the kernel.  If the library is missing, draws say so.
		if (Library.present())
			firstDraw();
	}

	private Cprng() {}

	private static void firstDraw() {
		try (Arena arena = Arena.ofConfined()) {
			nextBytes(arena.allocate(1));
		}
	}

	/**
	 * {@return the process's generator, for any number of threads}  There is no {@code RandomGenerator.of("cprng")}: that method finds only
	 * the platform's own generators.
	 */
	public static RandomGenerator generator() {
		return GENERATOR;
	}

	/**
	 * Fills an array.
	 * @param bytes the array
	 */
	public static void nextBytes(byte[] bytes) {
		nextBytes(MemorySegment.ofArray(bytes));
	}

	/**
	 * Fills part of an array.
	 * @param bytes the array
	 * @param from the first place
	 * @param count the number of bytes
	 * @throws IndexOutOfBoundsException if the array has no such part
	 */
	public static void nextBytes(byte[] bytes, int from, int count) {
		nextBytes(MemorySegment.ofArray(bytes).asSlice(from, count));
	}

	/**
	 * Fills a segment.
	 * @param segment native memory or an array
	 * @throws IllegalArgumentException if the segment is read-only
	 */
	public static void nextBytes(MemorySegment segment) {
		if (segment.isReadOnly())
			throw new IllegalArgumentException("cprng: the segment is read-only");
		long all = segment.byteSize();
		try {
			if (segment.isNative())
				Library.FAST_NATIVE.invokeExact(segment, all);
			else if (all <= Library.PIECE)
				Library.FAST.invokeExact(segment, all);
			else
				for (long at = 0; at < all; at += Library.PIECE) {
					long size = Math.min(Library.PIECE, all - at);
					Library.FAST.invokeExact(segment.asSlice(at, size), size);
				}
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
	}

	/**
	 * Fills an array from the process's Fortuna, for long-lived keys.  It takes several hundred nanoseconds or more.
	 * The bytes pass through native memory, which is erased before it is freed.
	 * @param bytes the array
	 */
	public static void strong(byte[] bytes) {
		Library.require();
		// Fortuna may wait, so the call is not critical and cannot write to the heap.
		int most = Math.min(bytes.length, Library.PIECE);
		if (most == 0)
			return;
		try (Arena arena = Arena.ofConfined()) {
			MemorySegment piece = arena.allocate(most);
			try {
				for (int at = 0; at < bytes.length; at += most) {
					int size = Math.min(most, bytes.length - at);
					Library.STRONG.invokeExact(piece, (long) size);
					MemorySegment.copy(piece, ValueLayout.JAVA_BYTE, 0, bytes, at, size);
				}
			} finally {
				erase(piece);
			}
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
	}

	/** Erases native memory: the compiler keeps such stores, even just before a call of C frees the memory. */
	static void erase(MemorySegment segment) {
		segment.fill((byte) 0);
	}

	/**
	 * Fills an array with uniform integers of 32 bits.
	 * @param out the array
	 */
	public static void fill(int[] out) {
		nextBytes(MemorySegment.ofArray(out));
	}

	/**
	 * Fills an array with uniform integers of 64 bits.
	 * @param out the array
	 */
	public static void fill(long[] out) {
		nextBytes(MemorySegment.ofArray(out));
	}

	/**
	 * Fills an array with uniform integers in [0, bound).
	 * @param out the array
	 * @param bound above all numbers
	 * @throws IllegalArgumentException if the bound is 0 or negative
	 */
	public static void fillUniform(int[] out, int bound) {
		Library.checkBound(bound);
		fillUniform(out, 0, bound);
	}

	/**
	 * Fills an array with uniform integers in [from, below).
	 * @param out the array
	 * @param from the least number
	 * @param below above all numbers
	 * @throws IllegalArgumentException if there is no number in [from, below)
	 */
	public static void fillUniform(int[] out, int from, int below) {
		Library.checkRange(from, below);
		// The difference fits an unsigned int.
		pieces(MemorySegment.ofArray(out), Integer.BYTES,
			(segment, count) -> (int) Library.FILL_UNIFORM32.invokeExact(segment, count, below - from));
		add(out, from);
	}

	static void add(int[] numbers, int from) {
		for (int i = 0; from != 0 && i < numbers.length; i++)
			numbers[i] += from;
	}

	/**
	 * Fills an array with uniform integers in [0, bound).
	 * @param out the array
	 * @param bound above all numbers
	 * @throws IllegalArgumentException if the bound is 0 or negative
	 */
	public static void fillUniform(long[] out, long bound) {
		Library.checkBound(bound);
		fillUniform(out, 0, bound);
	}

	/**
	 * Fills an array with uniform integers in [from, below).
	 * @param out the array
	 * @param from the least number
	 * @param below above all numbers
	 * @throws IllegalArgumentException if there is no number in [from, below)
	 */
	public static void fillUniform(long[] out, long from, long below) {
		Library.checkRange(from, below);
		pieces(MemorySegment.ofArray(out), Long.BYTES,
			(segment, count) -> (int) Library.FILL_INT_RANGE.invokeExact(segment, count, from, below - 1));
	}

	/**
	 * Fills an array with uniform multiples of 2<sup>-24</sup> in [0, 1).
	 * @param out the array
	 */
	public static void fill(float[] out) {
		pieces(MemorySegment.ofArray(out), Float.BYTES, (segment, count) -> (int) Library.FILL_FLOAT.invokeExact(segment, count));
	}

	/**
	 * Fills an array with uniform multiples of 2<sup>-53</sup> in [0, 1).
	 * @param out the array
	 */
	public static void fill(double[] out) {
		pieces(MemorySegment.ofArray(out), Double.BYTES, (segment, count) -> (int) Library.FILL_DOUBLE.invokeExact(segment, count));
	}

	/**
	 * Fills an array with normally distributed numbers.
	 * @param out the array
	 * @param mean their mean
	 * @param deviation their standard deviation
	 * @throws IllegalArgumentException if one of them is not finite, or the deviation negative
	 */
	public static void fillNormal(double[] out, double mean, double deviation) {
		Library.checkNormal(mean, deviation);
		pieces(MemorySegment.ofArray(out), Double.BYTES,
			(segment, count) -> (int) Library.FILL_NORMAL.invokeExact(segment, count, mean, deviation));
	}

	/**
	 * Fills an array with exponentially distributed numbers.
	 * @param out the array
	 * @param mean their mean
	 * @throws IllegalArgumentException if the mean is negative or not finite
	 */
	public static void fillExponential(double[] out, double mean) {
		Library.checkMean(mean);
		pieces(MemorySegment.ofArray(out), Double.BYTES, (segment, count) -> (int) Library.FILL_EXPONENTIAL.invokeExact(segment, count, mean));
	}

	/** A C function for several numbers. */
	interface Fill {
		int numbers(MemorySegment segment, long count) throws Throwable;
	}

	/** Fills an array in pieces. */
	static void pieces(MemorySegment out, int size, Fill fill) {
		long bytes = out.byteSize(), done = 0;
		try {
			do {
				long piece = Math.min(Library.PIECE, bytes - done);
				Library.check(fill.numbers(out.asSlice(done, piece), piece / size));
				done += piece;
			} while (done < bytes);
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
	}

	/**
	 * Fills an array with distinct integers, in random order.
	 * @param out the array
	 * @param bound above all numbers, unsigned
	 * @throws IllegalArgumentException if there are not as many numbers in [0, bound)
	 */
	public static void sample(long[] out, long bound) {
		Library.checkSample(out, bound);
		Library.require();
		sampleInto(out, segment -> (int) Library.SAMPLE.invokeExact(segment, (long) out.length, bound));
	}

	/** A C function for samples. */
	interface Sample {
		int numbers(MemorySegment segment) throws Throwable;
	}

	static void sampleInto(long[] out, Sample sample) {
		try (Arena arena = Arena.ofConfined()) {
			MemorySegment chosen = arena.allocate(ValueLayout.JAVA_LONG, out.length);
			try {
				Library.check(sample.numbers(chosen));
				MemorySegment.copy(chosen, ValueLayout.JAVA_LONG, 0, out, 0, out.length);
			} finally {
				erase(chosen);
			}
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
	}

	/**
	 * Puts a list into a random order.
	 * @param list the list
	 * @throws UnsupportedOperationException if the list does not have {@code set}, as from {@link java.util.Collections#shuffle}
	 */
	public static void shuffle(List<?> list) {
		Shuffle.list(list, Cprng::shuffle);
	}

	/**
	 * Puts an array into a random order.
	 * @param array the array
	 */
	public static void shuffle(Object[] array) {
		shuffle(Arrays.asList(array));
	}

	/**
	 * Puts an array into a random order.
	 * @param array the array
	 */
	public static void shuffle(int[] array) {
		shuffle(MemorySegment.ofArray(array), Integer.BYTES);
	}

	/**
	 * Puts an array into a random order.
	 * @param array the array
	 */
	public static void shuffle(long[] array) {
		shuffle(MemorySegment.ofArray(array), Long.BYTES);
	}

	/**
	 * Puts an array into a random order.
	 * @param array the array
	 */
	public static void shuffle(double[] array) {
		shuffle(MemorySegment.ofArray(array), Double.BYTES);
	}

	private static void shuffle(MemorySegment array, int size) {
		Shuffle.elements(array, size, (all, count, each) -> {
			Library.SHUFFLE.invokeExact(all, count, each);
			return 0;
		}, (all, count, each) -> {
			Library.SHUFFLE_NATIVE.invokeExact(all, count, each);
			return 0;
		});
	}

	/**
	 * {@return true with a probability, exactly}
	 * @param p the probability; below 0 or a NaN counts as 0, above 1 as 1
	 */
	public static boolean bernoulli(double p) {
		return Library.call(() -> (int) Library.BERNOULLI.invokeExact(p) != 0);
	}

	/**
	 * {@return true with probability numerator / denominator, exactly}
	 * @param numerator unsigned
	 * @param denominator unsigned; 0 counts as 1
	 */
	public static boolean bernoulli(long numerator, long denominator) {
		return Long.compareUnsigned(uniform64(denominator), numerator) < 0;
	}

	private static int uniform32(int bound) {
		try {
			return (int) Library.UNIFORM32.invokeExact(bound);
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
	}

	private static long uniform64(long bound) {
		try {
			return (long) Library.UNIFORM64.invokeExact(bound);
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
	}

	/**
	 * {@return an index of weights, each with probability weight / sum}
	 * @param weights the weights
	 */
	public static int choose(Weighted weights) {
		return weights.choose(Cprng::uniform64);
	}

	/**
	 * {@return a text of characters of an alphabet, all equally likely: a password or an identifier}
	 * @param length the number of characters (code points)
	 * @param alphabet 1 to 256 characters (code points)
	 * @throws IllegalArgumentException if the length is negative, or the alphabet has more or no characters
	 */
	public static String text(int length, String alphabet) {
		return Library.call(() -> Identifiers.text(length, alphabet,
			(out, count, numbers, symbols) -> (int) Library.TEXT.invokeExact(out, count, numbers, symbols)));
	}

	/** {@return a UUID of version 4} */
	public static UUID uuid4() {
		byte[] bytes = new byte[16];
		nextBytes(bytes);
		return Identifiers.uuid(bytes, 4);
	}

	/**
	 * {@return a UUID of version 7: milliseconds since 1970, a counter, and 62 random bits}  As unsigned numbers and as texts, each is greater
	 * than those before it in this process.  ({@link UUID#compareTo} compares signed numbers, which are in order until the year 6429.)
	 * @throws IllegalStateException if the clock has no time, or one after the year 10889
	 */
	public static UUID uuid7() {
		byte[] bytes = new byte[16];
		int code = Library.call(() -> (int) Library.UUID7.invokeExact(MemorySegment.ofArray(bytes)));
		if (code != 0)
			throw new IllegalStateException(Library.message(code));
		return Identifiers.uuid(bytes, 7);
	}

	/**
	 * Mixes an event into the process's Fortuna.  No input makes the output worse.
	 * @param source the number of the source, 0 to 127
	 * @param event up to 32 bytes
	 * @param bits how many bits an attacker cannot know; use 0 if in doubt
	 * @return whether the event was taken; false if too many are queued since the last call of {@link #strong}
	 * @throws IllegalArgumentException if one of them is outside these limits
	 */
	public static boolean addEntropy(int source, byte[] event, int bits) {
		if (source < 0 || source > 127 || event.length > 32 || bits < 0 || bits > 8 * event.length)
			throw new IllegalArgumentException("cprng: source " + source + " with " + event.length + " bytes, " + bits
				+ " bits of them unknown: the source is 0 to 127, and 32 bytes, with all their bits, are the most");
		Library.require();
		int code = Library.call(() -> {
			try (Arena arena = Arena.ofConfined()) {
				return StreamMemory.copied(arena, event,
					copy -> (int) Library.ADD_ENTROPY.invokeExact(source, copy, (long) event.length, bits));
			}
		});
		if (code != Library.ERROR_FULL)
			Library.check(code);
		return code == 0;
	}

	/**
	 * Drops all buffered bytes, for all threads: no byte drawn after it returns was generated before the call.
	 * Call it after a restore from a snapshot.
	 */
	public static void invalidate() {
		try {
			Library.INVALIDATE.invokeExact();
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
	}

	/**
	 * Does what {@link #invalidate} does, and reseeds from the kernel before the next bytes.
	 * @throws java.security.ProviderException if the kernel does not answer; nothing is changed then
	 */
	public static void reseed() {
		Library.check(Library.call(() -> (int) Library.RESEED.invokeExact()));
	}

	/** {@return the version of the loaded C library} */
	public static String version() {
		return Library.call(() -> Library.text((MemorySegment) Library.VERSION.invokeExact()));
	}

	/** {@return the C library in use: its file, "libcprng.so.0" if the system's loader chose it, or "jar:" and its name in the jar} */
	public static String library() {
		return Library.loaded().name();
	}

	private static final class Generator implements RandomGenerator {
		@Override
		public long nextLong() {
			try {
				return (long) Library.FAST64.invokeExact();
			} catch (Throwable problem) {
				throw Library.failed(problem);
			}
		}

		@Override
		public int nextInt() {
			try {
				return (int) Library.FAST32.invokeExact();
			} catch (Throwable problem) {
				throw Library.failed(problem);
			}
		}

		@Override
		public int nextInt(int bound) {
			Library.checkBound(bound);
			return uniform32(bound);
		}

		@Override
		public long nextLong(long bound) {
			Library.checkBound(bound);
			return uniform64(bound);
		}

		/** The platform's own methods divide. */
		@Override
		public int nextInt(int from, int below) {
			Library.checkRange(from, below);
			return from + uniform32(below - from);
		}

		@Override
		public long nextLong(long from, long below) {
			Library.checkRange(from, below);
			return from + uniform64(below - from);
		}

		@Override
		public double nextGaussian() {
			try {
				return (double) Library.NORMAL.invokeExact(0.0, 1.0);
			} catch (Throwable problem) {
				throw Library.failed(problem);
			}
		}

		/** The platform's own method accepts a mean of NaN or infinity. */
		@Override
		public double nextGaussian(double mean, double deviation) {
			Library.checkNormal(mean, deviation);
			return mean + deviation * nextGaussian();
		}

		@Override
		public double nextExponential() {
			try {
				return (double) Library.EXPONENTIAL.invokeExact(1.0);
			} catch (Throwable problem) {
				throw Library.failed(problem);
			}
		}

		@Override
		public void nextBytes(byte[] bytes) {
			Cprng.nextBytes(bytes);
		}

		@Override
		public String toString() {
			return "cprng";
		}
	}
}
