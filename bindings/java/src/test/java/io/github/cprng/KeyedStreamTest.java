// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import static org.junit.jupiter.api.Assertions.*;

import com.google.gson.Gson;
import com.google.gson.JsonIOException;
import java.io.*;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.*;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class KeyedStreamTest {
	private static long[] longs(RandomGenerator generator, int count) {
		return IntStream.range(0, count).mapToLong(i -> generator.nextLong()).toArray();
	}

	private static void refuses(Class<? extends Throwable> type, String message, Executable call) {
		assertTrue(assertThrows(type, call).getMessage().contains(message), message);
	}

	// Catches an error of the C library that is missing in Java, or does not describe the problem.
	@Test
	void errorsNameWhatWasWrong() {
		KeyedStream stream = KeyedStream.ofSeed(1);
		var argument = IllegalArgumentException.class;
		refuses(argument, "engine", () -> KeyedStream.ofSeed("no such engine", 1));
		refuses(argument, "engine's name has a NUL", () -> KeyedStream.ofSeed("chacha8\0x", "a"));
		refuses(argument, "seed has a NUL", () -> KeyedStream.ofSeed(null, "a\0b"));
		for (String seed : List.of("\ud800", "a\udc00b", "\udfff\ud83c", "?\ud83c"))
			refuses(argument, "seed has a lone surrogate", () -> KeyedStream.ofSeed(null, seed));
		refuses(argument, "too few for a seed", () -> KeyedStream.ofSeed(null, new byte[15]));
		refuses(argument, "engine", () -> KeyedStream.ofSeed("no such engine", BigInteger.TWO));
		refuses(argument, "unknown engine", () -> KeyedStream.ofKey("no such engine", new byte[32], null));
		refuses(argument, "invalid argument", () -> KeyedStream.ofKey(null, new byte[32], null));
		refuses(argument, "key size", () -> KeyedStream.ofKey("chacha20", new byte[31], null));
		for (int size : new int[] {0, 7, 13})
			refuses(argument, "nonce size", () -> KeyedStream.ofKey("chacha20", new byte[32], new byte[size]));
		refuses(argument, "checkpoint", () -> KeyedStream.ofCheckpoint(new byte[128]));
		refuses(argument, "checkpoint", () -> KeyedStream.ofCheckpoint(new byte[0]));
		refuses(argument, "deviation -1.0", () -> stream.nextGaussian(0, -1));
		refuses(argument, "mean NaN", () -> stream.fillNormal(new double[0], Double.NaN, 1));
		refuses(argument, "mean -1.0", () -> stream.fillExponential(new double[20000], -1));
		refuses(argument, "mean Infinity", () -> stream.nextExponential(Double.POSITIVE_INFINITY));
		refuses(argument, "no 3 distinct numbers below 2", () -> stream.sample(new long[3], 2));
		refuses(argument, "too few for a seed", () -> KeyedStream.ofSeed(null, ""));
		for (long[] weights : new long[][] {{}, {0, 0}, {Long.MIN_VALUE, Long.MIN_VALUE}, {-1, 1}, {1L << 62, 1L << 62, 1L << 62}})
			refuses(argument, "sum of the weights", () -> Weighted.of(weights));
		refuses(argument, "alphabet of 0", () -> stream.text(1, ""));
		refuses(argument, "alphabet of 257", () -> Cprng.text(1, "a".repeat(257)));
		refuses(argument, "length -1", () -> Cprng.text(-1, "a"));
		refuses(argument, "-1 milliseconds", () -> stream.uuid7(-1));
		refuses(argument, "bound", () -> stream.nextInt(0));
		refuses(argument, "bound", () -> stream.nextLong(-1));
		refuses(argument, "bound", () -> stream.nextInt(3, 3));
		refuses(argument, "bound", () -> stream.nextUnsignedLong(0));
		refuses(argument, "between 3 and 2", () -> stream.nextLongWithin(3, 2));
		assertThrows(argument, () -> stream.nextUnsignedLongWithin(-1, 2));
		refuses(argument, "bound", () -> stream.fillUniform(new int[0], 0));
		refuses(argument, "bound", () -> stream.fillUniform(new int[1], 3, 3));
		refuses(argument, "bound", () -> stream.fillUniform(new long[1], -1));
		refuses(argument, "bound", () -> stream.fillUniform(new long[1], 3, 2));
		refuses(IllegalStateException.class, "past the end", () -> stream.advance(-1));
		refuses(IllegalStateException.class, "past the end", () -> stream.advance(Long.MIN_VALUE));
		assertEquals(0, stream.tell());
	}

	// Catches an end of the stream that aborts the process, or after which bytes are consumed or written.
	@Test
	void theEndIsAnException() {
		KeyedStream stream = KeyedStream.ofSeed(1);
		stream.seek(-1);
		List<Executable> draws = List.of(stream::nextUnsignedByte, stream::nextUnsignedShort, stream::nextInt, stream::nextLong,
			stream::nextBoolean, stream::nextGaussian, stream::nextExponential, () -> stream.nextInt(6), () -> stream.nextLong(1L << 40),
			() -> stream.sample(new long[2], 9), () -> stream.shuffle(new java.util.ArrayList<>(List.of(1, 2))), () -> stream.shuffle(new long[2]),
			stream::split,
			() -> stream.bernoulli(0.5), () -> stream.bernoulli(1, 6), () -> stream.choose(Weighted.of(1, 2)), () -> stream.text(1, "ab"),
			() -> stream.text(20000, "ab"), stream::uuid4, () -> stream.uuid7(0), () -> stream.nextBytes(new byte[1]),
			() -> stream.fill(new double[1]), () -> stream.fill(new int[1]),
			() -> stream.fill(new long[1]), () -> stream.fillUniform(new int[1], 6), () -> stream.fillUniform(new long[1], -1, 1L << 40));
		for (Executable draw : draws)
			refuses(IllegalStateException.class, "past the end", draw);
		assertEquals(-1, stream.tell());
		for (int length : new int[] {13, 200000}) {
			stream.seek(-length);
			byte[] bytes = new byte[length];
			refuses(IllegalStateException.class, "past the end", () -> stream.nextBytes(bytes));
			assertEquals(-length, stream.tell());
			assertArrayEquals(new byte[length], bytes);
		}
		// Also if only rejections make an array too long, and if its first pieces were written.
		for (int count : new int[] {40, 40000}) {
			int[] ints = new int[count];
			long[] longs = new long[count];
			stream.seek(-1 - 4 * count);
			refuses(IllegalStateException.class, "past the end", () -> stream.fillUniform(ints, -9, 3 << 29));
			assertEquals(-1 - 4 * count, stream.tell());
			stream.seek(-1 - 8 * count);
			refuses(IllegalStateException.class, "past the end", () -> stream.fillUniform(longs, -9, 5L << 60));
			assertEquals(-1 - 8 * count, stream.tell());
			stream.seek(-1 - 64 * count);
			stream.fillUniform(ints, -9, 3 << 29);
			stream.fillUniform(longs, -9, 5L << 60);
		}
		// Numbers up to the last byte, including leftovers between fetches.
		stream.seek(-1 - 67);
		KeyedStream other = stream.copy();
		int first = stream.nextUnsignedShort();
		for (int i = 0; i < 8; i++)
			stream.nextLong();
		assertEquals(-2, stream.tell());
		refuses(IllegalStateException.class, "past the end", stream::nextUnsignedShort);
		byte[] rest = new byte[67];
		other.nextBytes(rest);
		assertEquals(rest[66] & 0xff, stream.nextUnsignedByte());
		assertEquals((rest[0] & 0xff) | (rest[1] & 0xff) << 8, first);
		assertEquals(-1, stream.tell());
	}

	// Catches numbers near the end, where fetches are short, that run past the buffer or the end; and an offset past the end.
	@Test
	void numbersUpToTheEndInAnyOrder() throws IOException {
		Random choose = new Random(58);
		for (var row : VectorsTest.rows("ends")) {
			KeyedStream stream = VectorsTest.open(row);
			long end = row.get("engine").getAsString().equals("chacha20") ? 1L << 38 : -1;
			byte[] last = new byte[48];
			stream.seek(end - last.length);
			stream.nextBytes(last);
			ByteBuffer bytes = ByteBuffer.wrap(last).order(ByteOrder.LITTLE_ENDIAN);
			for (int i = 0; i < 20_000; i++) {
				int at = choose.nextInt(last.length);
				stream.seek(end - last.length + at);
				for (int draw = 0; draw < 5; draw++) {
					int size = 1 << choose.nextInt(4);
					Supplier<Object> next = switch (size) {
						case 1 -> () -> (byte) stream.nextUnsignedByte();
						case 2 -> () -> (short) stream.nextUnsignedShort();
						case 4 -> stream::nextInt;
						default -> stream::nextLong;
					};
					if (at + size > last.length) {
						refuses(IllegalStateException.class, "past the end", next::get);
					} else {
						Object stated = switch (size) {
							case 1 -> bytes.get(at);
							case 2 -> bytes.getShort(at);
							case 4 -> bytes.getInt(at);
							default -> bytes.getLong(at);
						};
						assertEquals(stated, next.get());
						at += size;
					}
					assertEquals(end - last.length + at, stream.tell());
				}
			}
		}
	}

	// Catches an offset that counts fetched but unserved bytes.
	@Test
	void offsetsCountServedBytes() {
		KeyedStream stream = KeyedStream.ofSeed(7);
		byte[] all = new byte[5000];
		stream.copy().nextBytes(all);
		long at = 0;
		for (int i = 0; at < 4900; i++) {
			switch (i % 5) {
				case 0 -> assertEquals(all[(int) at++] & 0xff, stream.nextUnsignedByte());
				case 1 -> {
					stream.nextLong();
					at += 8;
				}
				case 2 -> {
					stream.nextGaussian();
					at += 8;
				}
				case 3 -> {
					stream.advance(i % 2 == 0 ? 3 : -3);
					at += i % 2 == 0 ? 3 : -3;
				}
				default -> {
					stream.nextInt();
					at += 4;
				}
			}
			assertEquals(at, stream.tell());
		}
	}

	// Catches a copy that shares its state, a split that depends on more than the stream, and children that do not
	// match their index.
	@Test
	void copiesChildrenAndSplits() {
		KeyedStream stream = KeyedStream.ofSeed(3);
		stream.nextInt();
		KeyedStream copy = stream.copy();
		assertArrayEquals(longs(stream, 500), longs(copy, 500));
		long[] child = longs(stream.child(5), 10);
		stream.nextLong();
		assertArrayEquals(child, longs(stream.child(5), 10));
		assertNotEquals(child[0], stream.child(6).nextLong());
		copy.nextLong();
		assertArrayEquals(longs(stream.split(), 10), longs(copy.split(), 10));
		assertArrayEquals(longs(stream, 10), longs(copy, 10));
		assertEquals(1, stream.splits(1).count());
		refuses(IllegalArgumentException.class, "size", () -> stream.splits(-1));
	}

	// Catches an integer that is another seed as a long than as a BigInteger, a magnitude in the wrong order, and a lost sign.
	@Test
	void integersOfAnySizeAreSeeds() {
		for (String unsigned : List.of("0", "1", "255", "256", "9223372036854775808", "18446744073709551615"))
			assertArrayEquals(longs(KeyedStream.ofSeed(null, Long.parseUnsignedLong(unsigned)), 4),
				longs(KeyedStream.ofSeed(null, new BigInteger(unsigned)), 4));
		// The keys are from a model of the specification.
		String[][] rows = {{"chacha8", "-1", "aa5c9f3d5e4a2dbb0883ae3e3bc344ce5ee81689c9501020956b69906b591b8c"},
			{"chacha20", "18446744073709551616", "dba278952684c5387cd166e7bb1cdbf3711d4e235ff749f70ec45050a68b2855"},
			{"aes128-ctr", "-1" + "0".repeat(40), "c21e194e39bfb0d483063717d75b3eb4"},
			{"aes256-ctr", BigInteger.ONE.shiftLeft(300).add(BigInteger.TWO).toString(),
				"dbd2461f00ace7bf5acb1b1b383ea976a68c0653eefa4e258d9de3577a15350d"}};
		for (String[] row : rows)
			assertArrayEquals(KeyedStream.ofKey(row[0], HexFormat.of().parseHex(row[2]), null).checkpoint(),
				KeyedStream.ofSeed(row[0], new BigInteger(row[1])).checkpoint(), row[1]);
	}

	// Catches a key, nonce or size that does not reach the cipher: the vectors of RFC 8439 (A.1) and SP 800-38A (F.5.5).
	@Test
	void keysAndNoncesGiveTheCiphersKeystream() {
		HexFormat hex = HexFormat.of();
		byte[] nonce = new byte[12], first = new byte[16];
		nonce[11] = 2;
		KeyedStream.ofKey("chacha20", new byte[32], nonce).nextBytes(first);
		assertEquals("c2c64d378cd536374ae204b9ef933fcd", hex.formatHex(first));
		for (byte[] zeros : new byte[][] {null, new byte[8]}) {
			KeyedStream.ofKey("chacha20", new byte[32], zeros).nextBytes(first);
			assertEquals("76b8e0ada0f13d90405d6ae55386bd28", hex.formatHex(first));
		}
		KeyedStream.ofKey("aes256-ctr", hex.parseHex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
			hex.parseHex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")).nextBytes(first);
		assertEquals("0bdf7df1591716335e9a8b15c860c502", hex.formatHex(first));
	}

	// Catches a parallel stream that differs from the sequential one, because two threads that draw at once get equal numbers or
	// get them in another order; and numbers of a stream that differ from single numbers.
	@Test
	void parallelStreamsAreTheSame() {
		int count = 20_000;
		List<Function<KeyedStream, Stream<?>>> streams = List.of(s -> s.ints(count).boxed(), s -> s.ints(count, -5, 6).boxed(),
			s -> s.ints().limit(count).boxed(), s -> s.ints(0, 1 << 30).limit(count).boxed(), s -> s.longs(count).boxed(),
			s -> s.longs(count, 0, 3L << 60).boxed(), s -> s.longs().limit(count).boxed(), s -> s.longs(-9, 9).limit(count).boxed(),
			s -> s.doubles(count).boxed(), s -> s.doubles(count, 1, 3).boxed(), s -> s.doubles().limit(count).boxed(),
			s -> s.doubles(-1, 1).limit(count).boxed(), s -> s.equiDoubles(0, 1, true, false).limit(count).boxed(),
			s -> s.splits(count).map(RandomGenerator::nextLong), s -> s.splits(s.copy()).limit(count).map(RandomGenerator::nextLong),
			s -> s.splits(count, s.child(1)).map(RandomGenerator::nextLong), s -> s.rngs(count).map(RandomGenerator::nextLong));
		for (int i = 0; i < streams.size(); i++) {
			List<?> one = streams.get(i).apply(KeyedStream.ofSeed(4)).toList();
			assertEquals(count, one.size());
			assertEquals(one, streams.get(i).apply(KeyedStream.ofSeed(4)).parallel().toList(), "stream " + i);
		}
		KeyedStream stream = KeyedStream.ofSeed(4);
		assertArrayEquals(longs(KeyedStream.ofSeed(4), count), stream.longs(count).parallel().toArray());
		KeyedStream ints = KeyedStream.ofSeed(4), doubles = KeyedStream.ofSeed(4);
		assertArrayEquals(IntStream.range(0, count).map(i -> ints.nextInt()).toArray(), KeyedStream.ofSeed(4).ints(count).toArray());
		assertArrayEquals(
			IntStream.range(0, count).mapToDouble(i -> doubles.nextDouble()).toArray(), KeyedStream.ofSeed(4).doubles(count).toArray());
		assertEquals(8 * count, stream.tell());
		assertEquals(100, stream.rngs(100).filter(SplittableGenerator.class::isInstance).count());
		for (Executable bad : List.<Executable>of(() -> stream.ints(-1), () -> stream.longs(3, 3), () -> stream.doubles(-1, 0, 1)))
			assertThrows(IllegalArgumentException.class, bad);
	}

	// Catches a generator that Java's serialization, a clone or a mapper to JSON copies silently.
	@Test
	void generatorsAreNotSerialized() throws IOException {
		for (Object generator : List.of(KeyedStream.ofSeed(1), Cprng.generator()))
			try (var out = new ObjectOutputStream(new ByteArrayOutputStream())) {
				assertThrows(NotSerializableException.class, () -> out.writeObject(generator));
				assertTrue(!(generator instanceof Cloneable));
			}
		assertThrows(JsonIOException.class, () -> new Gson().toJson(KeyedStream.ofSeed(1)));
	}

	// Catches a text whose pieces do not continue, or whose characters are not the alphabet's.
	@Test
	void textsHaveAnyLengthAndCharacters() {
		KeyedStream stream = KeyedStream.ofSeed(4);
		String text = stream.copy().text(30000, "a\ud83d\ude00\u00e9");
		StringBuilder single = new StringBuilder();
		for (int i = 0; i < 30000; i++)
			single.append(stream.text(1, "a\ud83d\ude00\u00e9"));
		assertEquals(single.toString(), text);
		assertEquals(3, text.codePoints().distinct().count());
	}

	// Catches two threads in C with one stream, which could corrupt memory; numbers may repeat, and calls may fail.
	@Test
	void racesLeaveMemoryWhole() throws InterruptedException {
		KeyedStream stream = KeyedStream.ofSeed(5);
		Throwable[] wrong = new Throwable[1];
		Thread[] threads = new Thread[8];
		for (int t = 0; t < threads.length; t++) {
			int kind = t;
			threads[t] = new Thread(() -> {
				byte[] bytes = new byte[3000];
				for (int i = 0; i < 30000; i++) {
					try {
						switch (kind % 4) {
							case 0 -> stream.nextLong();
							case 1 -> stream.nextBytes(bytes);
							case 2 -> stream.nextGaussian();
							default -> stream.seek(i);
						}
					} catch (ConcurrentModificationException expected) {
						// as the class documents
					} catch (Throwable problem) {
						wrong[0] = problem;
					}
				}
			});
			threads[t].start();
		}
		for (Thread thread : threads)
			thread.join();
		assertEquals(null, wrong[0]);
		stream.seek(0);
		assertArrayEquals(longs(KeyedStream.ofSeed(5), 300), longs(stream, 300));
	}

	private static boolean erased(MemorySegment memory) {
		for (long i = 0; i < memory.byteSize(); i++)
			if (memory.get(ValueLayout.JAVA_BYTE, i) != 0)
				return false;
		return true;
	}

	// Catches a closed stream that keeps its key, or is used in C, which would abort the process.
	@Test
	void closedStreamsAreErased() {
		KeyedStream stream = KeyedStream.ofSeed(6);
		stream.nextLong();
		assertTrue(!erased(stream.memory()));
		stream.close();
		assertTrue(erased(stream.memory()));
		stream.close();
		for (Executable call : List.<Executable>of(stream::nextLong, stream::nextGaussian, stream::tell, stream::checkpoint, stream::copy,
				() -> stream.child(0), () -> stream.seek(0)))
			refuses(IllegalStateException.class, "closed", call);
	}

	private static MemorySegment memoryOfOneThatIsGone() {
		KeyedStream stream = KeyedStream.ofSeed(8);
		stream.nextLong();
		return stream.memory();
	}

	// Catches a collected stream whose key stays in memory.  The test ends when the collector has run.
	@Test
	void collectedStreamsAreErased() throws InterruptedException {
		MemorySegment memory = memoryOfOneThatIsGone();
		while (!erased(memory)) {
			System.gc();
			Thread.sleep(1);
		}
		assertTrue(erased(memory));
	}

	// Catches a stream that is erased during its last call, when nothing refers to it any more.
	@Test
	void streamsLiveAsLongAsTheirCalls() throws InterruptedException {
		double[] expected = new double[4096];
		KeyedStream.ofSeed(9).fillNormal(expected, 0, 1);
		Thread collector = new Thread(() -> {
			while (!Thread.interrupted())
				System.gc();
		});
		collector.start();
		double[] out = new double[4096];
		for (int i = 0; i < 2000; i++) {
			KeyedStream.ofSeed(9).fillNormal(out, 0, 1);
			assertArrayEquals(expected, out);
		}
		collector.interrupt();
		collector.join();
	}
}
