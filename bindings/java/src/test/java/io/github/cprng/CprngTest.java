// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import static io.github.cprng.ReplacementsTest.ARGUMENT;
import static io.github.cprng.ReplacementsTest.refuse;
import static org.junit.jupiter.api.Assertions.*;

import java.lang.foreign.*;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.*;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CprngTest {
	private static final RandomGenerator GENERATOR = Cprng.generator();

	/** Two of n 64-bit numbers are equal with probability n^2 / 2^65; one such pair is allowed. */
	static void assertUnique(long[] numbers) {
		long twice = numbers.length - Arrays.stream(numbers).distinct().count();
		assertTrue(twice <= 1, () -> twice + " of " + numbers.length + " numbers came twice");
	}

	// Catches a fill that leaves a byte unwritten, or writes outside its part, at sizes near those of pieces.
	@Test
	void allBytesAreWritten() {
		SecureRandom random = SecureRandomTest.of("cprng"), strong = SecureRandomTest.of("cprng-strong");
		for (int size : new int[] {0, 1, 7, 8, 9, 32, 512, 513, 65535, 65536, 65537, 200000}) {
			List<Consumer<byte[]>> fills = List.of(bytes -> Cprng.nextBytes(bytes, 1, size), bytes -> inner(bytes, size, random::nextBytes),
				bytes -> inner(bytes, size, strong::nextBytes), bytes -> inner(bytes, size, GENERATOR::nextBytes),
				bytes -> Cprng.nextBytes(MemorySegment.ofArray(bytes).asSlice(1, size)), bytes -> {
					try (Arena arena = Arena.ofConfined()) {
						MemorySegment segment = arena.allocate(size + 2);
						Cprng.nextBytes(segment.asSlice(1, size));
						MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, 0, bytes, 0, size + 2);
					}
				});
			for (int fill = 0; fill < fills.size(); fill++) {
				byte[] low = new byte[size + 2], high = new byte[size + 2];
				Arrays.fill(low, (byte) 0xff);
				for (int round = 0; round < 20; round++) { // a written byte stays the same with probability 2^-160
					byte[] bytes = new byte[size + 2];
					fills.get(fill).accept(bytes);
					for (int i = 0; i < bytes.length; i++) {
						low[i] &= bytes[i];
						high[i] |= bytes[i];
					}
				}
				for (int i = 0; i < size + 2; i++) {
					boolean inside = i > 0 && i <= size;
					assertEquals(inside, low[i] != high[i], "fill " + fill + " of " + size + ", byte " + i);
				}
			}
		}
	}

	private static void inner(byte[] bytes, int size, Consumer<byte[]> fill) {
		byte[] part = new byte[size];
		fill.accept(part);
		System.arraycopy(part, 0, bytes, 1, size);
	}

	private static void threadsShareNothing(Thread.Builder builder, int threads, int count) throws InterruptedException {
		SecureRandom random = SecureRandomTest.of("cprng");
		ConcurrentLinkedQueue<long[]> all = new ConcurrentLinkedQueue<>();
		Thread[] started = new Thread[threads];
		for (int t = 0; t < threads; t++)
			started[t] = builder.start(() -> {
				long[] own = new long[count];
				byte[] bytes = new byte[8];
				for (int i = 0; i < count; i++) {
					random.nextBytes(bytes);
					own[i] = i % 2 == 0 ? GENERATOR.nextLong() : MemorySegment.ofArray(bytes).get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
					if (i % 64 == 0)
						Thread.yield();
				}
				all.add(own);
			});
		for (Thread thread : started)
			thread.join();
		assertEquals(threads, all.size());
		assertUnique(all.stream().flatMapToLong(LongStream::of).toArray());
	}

	// Catches draws that two threads receive.
	@Test
	void threadsShareNoOutput() throws InterruptedException {
		threadsShareNothing(Thread.ofPlatform(), 8, 100000);
	}

	// Catches state of a carrier thread that two virtual threads share: virtual threads move between carriers.
	@Test
	void virtualThreadsShareNoOutput() throws InterruptedException {
		threadsShareNothing(Thread.ofVirtual(), 1000, 800);
	}

	// Catches numbers with a wrong distribution.  The bounds are eight standard deviations.
	@Test
	void distributionsAreTheirs() {
		int count = 20000;
		double[] doubles = new double[count], normals = new double[count], exponentials = new double[count];
		float[] floats = new float[count];
		int[] ints = new int[count];
		long[] longs = new long[count];
		Cprng.fill(doubles);
		Cprng.fill(floats);
		Cprng.fill(ints);
		Cprng.fill(longs);
		Cprng.fillNormal(normals, 5, 2);
		Cprng.fillExponential(exponentials, 3);
		mean("doubles", DoubleStream.of(doubles), 0.5, 0.2887);
		mean("floats", java.util.stream.IntStream.range(0, count).mapToDouble(i -> floats[i]), 0.5, 0.2887);
		mean("ints", Arrays.stream(ints).mapToDouble(i -> i * 0x1p-32), 0, 0.2887);
		mean("longs", Arrays.stream(longs).mapToDouble(i -> i * 0x1p-64), 0, 0.2887);
		mean("normals", DoubleStream.of(normals), 5, 2);
		mean("exponentials", DoubleStream.of(exponentials), 3, 3);
		Cprng.fillUniform(ints, 7);
		mean("below 7", Arrays.stream(ints).asDoubleStream(), 3, 2);
		Cprng.fillUniform(ints, -9, 12);
		mean("from -9 below 12", Arrays.stream(ints).asDoubleStream(), 1, 6.055);
		Cprng.fillUniform(longs, 7);
		mean("longs below 7", Arrays.stream(longs).asDoubleStream(), 3, 2);
		Cprng.fillUniform(longs, Long.MIN_VALUE, 1L << 62);
		mean("longs below 2^62", Arrays.stream(longs).mapToDouble(i -> i * 0x1p-62), -0.5, 0.866);
		mean("nextInt(7)", count, () -> GENERATOR.nextInt(7), 3, 2);
		mean("nextLong(7)", count, () -> GENERATOR.nextLong(7), 3, 2);
		mean("nextLong(2^62)", count, () -> GENERATOR.nextLong(1L << 62) * 0x1p-62, 0.5, 0.2887);
		mean("nextInt(-3, 4)", count, () -> GENERATOR.nextInt(-3, 4), 0, 2);
		mean("nextInt(-2^31, 2^30)", count, () -> GENERATOR.nextInt(Integer.MIN_VALUE, 1 << 30) * 0x1p-30, -0.5, 0.866);
		mean("nextLong(-3, 4)", count, () -> GENERATOR.nextLong(-3, 4), 0, 2);
		mean("nextInt()", count, () -> GENERATOR.nextInt() * 0x1p-32, 0, 0.2887);
		mean("nextDouble", count, GENERATOR::nextDouble, 0.5, 0.2887);
		mean("nextFloat", count, GENERATOR::nextFloat, 0.5, 0.2887);
		mean("nextGaussian", count, GENERATOR::nextGaussian, 0, 1);
		mean("nextGaussian(5, 2)", count, () -> GENERATOR.nextGaussian(5, 2), 5, 2);
		mean("nextExponential", count, GENERATOR::nextExponential, 1, 1);
		mean("nextBoolean", count, () -> GENERATOR.nextBoolean() ? 1 : 0, 0.5, 0.5);
		mean("doubles()", GENERATOR.doubles(count).parallel(), 0.5, 0.2887);
	}

	private static void mean(String what, int count, DoubleSupplier next, double mean, double deviation) {
		mean(what, DoubleStream.generate(next).limit(count), mean, deviation);
	}

	private static void mean(String what, DoubleStream numbers, double mean, double deviation) {
		var statistics = numbers.summaryStatistics();
		double off = (statistics.getAverage() - mean) / (deviation / Math.sqrt(statistics.getCount()));
		assertEquals(20000, statistics.getCount());
		assertTrue(Math.abs(off) < 8, () -> what + ": the mean is " + off + " deviations off");
		// Constant numbers could also have the right mean.
		assertTrue(statistics.getMax() > mean + deviation / 2 && statistics.getMin() < mean - deviation / 2, what);
	}

	// Catches an invalid argument that reaches C, or is mistaken for another.
	@Test
	void badArgumentsAreRefused() {
		refuse(ARGUMENT, () -> GENERATOR.nextInt(0), () -> GENERATOR.nextLong(-5), () -> GENERATOR.nextInt(5, 5), () -> GENERATOR.nextLong(5, 4),
			() -> Cprng.fillUniform(new int[1], 0), () -> Cprng.fillUniform(new int[0], 3, 2), () -> Cprng.fillUniform(new long[0], -7),
			() -> Cprng.fillUniform(new long[1], 3, 3), () -> Cprng.fillNormal(new double[1], 0, -1),
			() -> Cprng.fillExponential(new double[0], Double.POSITIVE_INFINITY), () -> Cprng.sample(new long[3], 2),
			() -> Cprng.addEntropy(128, new byte[1], 0), () -> Cprng.addEntropy(0, new byte[33], 0), () -> Cprng.addEntropy(0, new byte[1], 9));
		for (double bad : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
			for (RandomGenerator generator : List.of(GENERATOR, KeyedStream.ofSeed(1)))
				for (Consumer<RandomGenerator> draw : List.<Consumer<RandomGenerator>>of(g -> g.nextGaussian(bad, 1), g -> g.nextGaussian(0, bad),
						g -> g.nextDouble(bad), g -> g.nextDouble(0, bad), g -> g.nextFloat((float) bad), g -> g.doubles(bad, 1),
						g -> g.doubles(1, 0, bad), g -> g.equiDoubles(0, bad, true, true)))
					assertThrows(ARGUMENT, () -> draw.accept(generator), generator + ", " + bad);
		refuse(IndexOutOfBoundsException.class, () -> Cprng.nextBytes(new byte[3], 2, 2), () -> Cprng.nextBytes(new byte[3], -1, 2));
		refuse(NullPointerException.class, () -> Cprng.nextBytes((byte[]) null), () -> Cprng.nextBytes((MemorySegment) null));
		refuse(ARGUMENT, () -> Cprng.nextBytes(MemorySegment.ofArray(new byte[8]).asReadOnly()),
			() -> Cprng.nextBytes(Arena.global().allocate(8).asReadOnly()));
		MemorySegment gone;
		try (Arena arena = Arena.ofConfined()) {
			gone = arena.allocate(8);
		}
		assertThrows(IllegalStateException.class, () -> Cprng.nextBytes(gone));
	}

	// Catches a choice with a wrong probability: within eight standard deviations.
	@Test
	void choicesHaveTheirProbabilities() {
		for (double[] row : new double[][] {{-1, 0}, {0, 0}, {Double.NaN, 0}, {1, 1}, {7, 1}, {0.3, 0.3}, {0x1p-40, 0x1p-40}})
			often("bernoulli " + row[0], row[1], () -> Cprng.bernoulli(row[0]));
		often("1 / 6", 1 / 6.0, () -> Cprng.bernoulli(1, 6));
		often("2^63 / (2^64 - 1)", 0.5, () -> Cprng.bernoulli(Long.MIN_VALUE, -1));
		often("1 / 0", 1, () -> Cprng.bernoulli(1, 0));
		Weighted weights = Weighted.of(5, 0, 25, 70), large = Weighted.of(5L << 54, 0, 25L << 54, 70L << 54);
		for (int i = 0; i < 4; i++) {
			int index = i;
			double probability = new double[] {0.05, 0, 0.25, 0.7}[i];
			often("weight " + i, probability, () -> Cprng.choose(weights) == index);
			often("large weight " + i, probability, () -> Cprng.choose(large) == index);
		}
		for (int symbol : "abc\ud83d\ude00".codePoints().toArray())
			often("character " + symbol, 0.25, () -> Cprng.text(1, "abc\ud83d\ude00").codePointAt(0) == symbol);
		assertEquals("xxx", Cprng.text(3, "x"));
		assertEquals("", Cprng.text(0, "x"));
	}

	private static void often(String what, double probability, java.util.function.BooleanSupplier event) {
		long count = java.util.stream.IntStream.range(0, 20000).filter(i -> event.getAsBoolean()).count();
		assertEquals(20000 * probability, count, 8 * Math.sqrt(20000 * probability * (1 - probability)), what);
	}

	// Catches UUIDs of a wrong version or variant, that repeat, or that are out of order or far from the clock's time.
	@Test
	void uuidsAreThoseOfTheirVersion() {
		long before = System.currentTimeMillis();
		List<UUID> ordered = LongStream.range(0, 20000).mapToObj(i -> Cprng.uuid7()).toList();
		assertEquals(ordered, ordered.stream().sorted().distinct().toList());
		// Each millisecond has room for 2048 or more.
		assertTrue(ordered.get(0).getMostSignificantBits() >>> 16 >= before - 1);
		assertTrue(ordered.get(19999).getMostSignificantBits() >>> 16 <= System.currentTimeMillis() + 10);
		for (int i = 0; i < 1000; i++)
			for (UUID uuid : List.of(Cprng.uuid4(), Cprng.uuid7())) {
				assertEquals(2, uuid.variant());
				assertEquals(uuid.toString().charAt(14) - '0', uuid.version());
			}
		assertUnique(LongStream.range(0, 2000).map(i -> Cprng.uuid4().getLeastSignificantBits()).toArray());
		assertEquals(4, Cprng.uuid4().version());
		assertEquals(7, Cprng.uuid7().version());
	}

	// Catches a sample with a repeated element, or one beyond its bound.
	@Test
	void samplesAreDistinct() {
		long[] out = new long[50];
		Cprng.sample(out, 50);
		Arrays.sort(out);
		assertArrayEquals(LongStream.range(0, 50).toArray(), out);
	}

	/**
	 * Searches this process's writable memory for a text, given its bitwise inverse.  Returns its line of the map, or null.  Neither
	 * this method nor its caller stores the text.
	 */
	static String leaked(byte[] inverse) throws java.io.IOException {
		byte[] piece = new byte[1 << 20];
		int size = inverse.length;
		// Horspool's search (doi:10.1002/spe.4380100608): the byte at the text's last position gives the step to the next one.
		int[] steps = new int[256];
		Arrays.fill(steps, size);
		for (int i = 0; i < size - 1; i++)
			steps[~inverse[i] & 0xff] = size - 1 - i;
		try (var memory = new java.io.RandomAccessFile("/proc/self/mem", "r")) {
			for (String line : java.nio.file.Files.readAllLines(Path.of("/proc/self/maps"))) {
				String[] words = line.split("[- ]");
				if (!words[2].startsWith("rw") || line.endsWith("[vvar]"))
					continue;
				long end = Long.parseUnsignedLong(words[1], 16);
				for (long at = Long.parseUnsignedLong(words[0], 16); at < end; at += piece.length - size) {
					int count;
					try {
						memory.seek(at);
						count = memory.read(piece, 0, (int) Math.min(piece.length, end - at));
					} catch (java.io.IOException unreadable) {
						continue;
					}
					for (int last = size - 1; last < count; last += steps[piece[last] & 0xff]) {
						int same = 0;
						while (same < size && piece[last - same] == (byte) ~inverse[size - 1 - same])
							same++;
						if (same == size)
							return line;
					}
				}
			}
		}
		return null;
	}

	/** The bitwise inverse of the second half of an array, which is erased.  free(3) overwrites the beginning of freed memory. */
	private static byte[] inverse(byte[] drawn) {
		byte[] inverse = new byte[drawn.length / 2];
		for (int i = 0; i < drawn.length; i++) {
			if (i >= drawn.length / 2)
				inverse[i - drawn.length / 2] = (byte) ~drawn[i];
			drawn[i] = 0;
		}
		return inverse;
	}

	private static long collections() {
		return ManagementFactory.getGarbageCollectorMXBeans().stream().mapToLong(GarbageCollectorMXBean::getCollectionCount).sum();
	}

	// Catches served bytes that stay in native memory on the way to Java, or in a Java buffer.
	@Test
	void servedBytesAreNowhereElse() throws java.io.IOException {
		byte[] known = "a text that stands in the memory of this process, as it should".getBytes();
		byte[] second = new byte[known.length / 2];
		for (int i = 0; i < second.length; i++)
			second[i] = (byte) ~known[known.length - second.length + i];
		assertNotNull(leaked(second), "the search finds nothing at all");

		List<Consumer<byte[]>> draws = List.of(Cprng::nextBytes, Cprng::strong, GENERATOR::nextBytes,
			SecureRandomTest.of("cprng")::nextBytes, SecureRandomTest.of("cprng-strong")::nextBytes);
		for (int draw = 0; draw < draws.size(); draw++) {
			byte[] bytes = new byte[64], inverse;
			long collections;
			do { // a moving collector leaves a copy of the array, as docs/java.md says
				collections = collections();
				Cprng.invalidate(); // the previous search has also copied the library's buffer
				draws.get(draw).accept(bytes);
				inverse = inverse(bytes);
			} while (collections != collections());
			assertNull(leaked(inverse), "draw " + draw);
		}
		assertEquals('a', known[0]);
	}

	// Catches a forked child of the Java process that draws the same bytes as its parent.
	@Test
	void forkedChildrenDrawOthers() throws Throwable {
		SymbolLookup helper = SymbolLookup.libraryLookup(Path.of(System.getProperty("forked")), Arena.global());
		var forked = Linker.nativeLinker().downcallHandle(helper.find("forked_draw").orElseThrow(),
			FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
		MemorySegment fast = Library.loaded().functions().find("cprng_fast").orElseThrow();
		long[] all = new long[3 * 25 * 8];
		try (Arena arena = Arena.ofConfined()) {
			MemorySegment parent = arena.allocate(64), child = arena.allocate(64);
			for (int i = 0; i < 25; i++) {
				assertEquals(0, (int) forked.invokeExact(fast, parent, child, 64L));
				for (int word = 0; word < 8; word++) {
					all[24 * i + word] = parent.getAtIndex(ValueLayout.JAVA_LONG, word);
					all[24 * i + 8 + word] = child.getAtIndex(ValueLayout.JAVA_LONG, word);
					all[24 * i + 16 + word] = GENERATOR.nextLong();
				}
			}
		}
		assertUnique(all);
	}

	// Catches a reseed or invalidation that fails, or after which draws fail.  Tests in C check their effects.
	@Test
	void reseedAndInvalidate() {
		long[] all = new long[2000];
		for (int i = 0; i < all.length; i++) {
			if (i % 200 == 0)
				Cprng.invalidate();
			if (i % 200 == 100)
				Cprng.reseed();
			all[i] = GENERATOR.nextLong();
		}
		assertUnique(all);
		assertTrue(Cprng.addEntropy(0, new byte[32], 256));
	}
}
