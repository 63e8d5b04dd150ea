// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.random.RandomGenerator.JumpableGenerator;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.stream.*;
import org.apache.commons.rng.UniformRandomProvider;
import org.apache.commons.rng.sampling.*;
import org.apache.commons.rng.sampling.distribution.AliasMethodDiscreteSampler;
import org.apache.commons.rng.sampling.distribution.ZigguratSampler;
import org.apache.commons.rng.simple.RandomSource;
import org.junit.jupiter.api.*;
import org.junit.jupiter.api.function.Executable;

/** The first table of docs/java.md: what is used today, the call here, and what differs. */
class ReplacementsTest {
	static final Class<? extends RuntimeException> ARGUMENT = IllegalArgumentException.class;
	private static final Class<? extends RuntimeException> REFUSED = UnsupportedOperationException.class;

	private final SecureRandom random = new SecureRandom();
	private final Random old = new Random();
	private final JumpableGenerator jumping = JumpableGenerator.of("Xoshiro256PlusPlus");
	private final UniformRandomProvider commons = RandomSource.XO_SHI_RO_256_PP.create();
	private final KeyedStream stream = KeyedStream.ofSeed(42);
	private final byte[] bytes = new byte[32];
	private final int[] ints = IntStream.range(0, 1000).toArray();
	private final long[] longs = new long[50];
	private final double[] doubles = new double[1000];
	private final List<Integer> list = new ArrayList<>(IntStream.range(0, 1000).boxed().toList());

	static void refuse(Class<? extends RuntimeException> type, Executable... calls) {
		for (Executable call : calls)
			assertThrows(type, call);
	}

	/** Numbers of both calls are in [least, most], and use the range: 1000 of them have one in each half but for 2^-999. */
	private static void range(double least, double most, DoubleSupplier... calls) {
		for (DoubleSupplier call : calls) {
			double[] numbers = DoubleStream.generate(call).limit(1000).sorted().toArray();
			assertTrue(least <= numbers[0] && numbers[0] < (least + most) / 2 && numbers[999] >= (least + most) / 2 && numbers[999] <= most);
		}
	}

	private static void words(LongSupplier... calls) {
		for (LongSupplier call : calls)
			range(Long.MIN_VALUE, Long.MAX_VALUE, call::getAsLong);
	}

	/** For each first cell of the table, both calls, and what the third cell says. */
	private Map<String, Executable> cases() {
		return Map.ofEntries(
			entry("new SecureRandom()", () -> {
				SecureRandom here = SecureRandom.getInstance("cprng", new CprngProvider());
				range(0, 5, () -> new SecureRandom().nextInt(6), () -> here.nextInt(6));
			}),
			entry("SecureRandom.getInstanceStrong()", () -> {
				SecureRandom here = SecureRandom.getInstance("cprng-strong", new CprngProvider());
				assertNotEquals(SecureRandom.getInstanceStrong().nextLong(), here.nextLong());
			}),
			entry("random.nextBytes(bytes)", () -> {
				random.nextBytes(bytes);
				byte[] before = bytes.clone();
				Cprng.nextBytes(bytes);
				assertTrue(!Arrays.equals(before, bytes));
				before = bytes.clone();
				Cprng.nextBytes(bytes, 8, 24);
				assertEquals(8, Arrays.mismatch(before, bytes) & ~7); // one of eight bytes differs but for 2^-64
			}),
			entry("random.generateSeed(32)", () -> {
				Cprng.strong(bytes);
				assertTrue(!Arrays.equals(random.generateSeed(32), bytes));
			}),
			entry("random.setSeed(bytes)", () -> {
				random.setSeed(bytes);
				assertTrue(Cprng.addEntropy(0, bytes, 0));
				refuse(ARGUMENT, () -> Cprng.addEntropy(0, new byte[33], 0));
			}),
			entry("random.reseed()", () -> {
				refuse(REFUSED, () -> random.reseed());
				Cprng.reseed();
			}),
			entry("new Random(42)", () -> {
				assertEquals(new Random(42).nextInt(), new Random(42).nextInt());
				assertEquals(KeyedStream.ofSeed(42).nextInt(), KeyedStream.ofSeed(42).nextInt());
				assertNotEquals(new Random(42).nextInt(), KeyedStream.ofSeed(42).nextInt());
			}),
			entry("old.setSeed(42)", () -> {
				long first = stream.nextLong();
				old.setSeed(42);
				stream.seek(0);
				assertEquals(first, stream.nextLong());
			}),
			entry("old.nextInt()", () -> range(Integer.MIN_VALUE, Integer.MAX_VALUE, () -> old.nextInt(), () -> Cprng.generator().nextInt())),
			entry("old.nextInt(6)", () -> {
				range(0, 5, () -> old.nextInt(6), () -> Cprng.generator().nextInt(6));
				refuse(ARGUMENT, () -> old.nextInt(0), () -> Cprng.generator().nextInt(0));
			}),
			entry("old.nextInt(1, 7)", () -> {
				range(1, 6, () -> old.nextInt(1, 7), () -> Cprng.generator().nextInt(1, 7));
				refuse(ARGUMENT, () -> old.nextInt(7, 7), () -> Cprng.generator().nextInt(7, 7));
			}),
			entry("old.nextLong()", () -> words(() -> old.nextLong(), () -> Cprng.generator().nextLong())),
			entry("old.nextBoolean()", () -> range(0, 1, () -> old.nextBoolean() ? 1 : 0, () -> Cprng.generator().nextBoolean() ? 1 : 0)),
			entry("old.nextFloat()", () -> range(0, Math.nextDown(1f), () -> old.nextFloat(), () -> Cprng.generator().nextFloat())),
			entry("old.nextDouble()", () -> range(0, Math.nextDown(1.0), () -> old.nextDouble(), () -> Cprng.generator().nextDouble())),
			entry("old.nextGaussian(170, 10)", () -> {
				range(70, 270, () -> old.nextGaussian(170, 10), () -> Cprng.generator().nextGaussian(170, 10)); // ten deviations
				refuse(ARGUMENT, () -> old.nextGaussian(0, -1), () -> Cprng.generator().nextGaussian(0, -1),
					() -> Cprng.generator().nextGaussian(Double.NaN, 1));
				assertTrue(Double.isNaN(old.nextGaussian(Double.NaN, 1)));
			}),
			entry("old.nextExponential()", () -> {
				for (DoubleSupplier call : List.<DoubleSupplier>of(() -> old.nextExponential(), () -> Cprng.generator().nextExponential()))
					assertEquals(1, DoubleStream.generate(call).limit(10000).average().getAsDouble(), 0.08); // 8 deviations
				assertEquals(3 * KeyedStream.ofSeed(1).nextExponential(), KeyedStream.ofSeed(1).nextExponential(3), 1e-12);
			}),
			entry("old.ints(1000, 1, 7)", () -> {
				Cprng.fillUniform(ints, 1, 7);
				for (IntStream numbers : List.of(old.ints(1000, 1, 7), Arrays.stream(ints)))
					assertArrayEquals(IntStream.range(1, 7).toArray(), numbers.sorted().distinct().toArray());
				refuse(ARGUMENT, () -> old.ints(1000, 7, 7), () -> Cprng.fillUniform(ints, 7, 7));
			}),
			entry("RandomGenerator.getDefault()", () -> {
				RandomGenerator here = Cprng.generator();
				assertNotEquals(RandomGenerator.getDefault().nextLong(), here.nextLong());
			}),
			entry("RandomGenerator.of(\"L64X128MixRandom\")", () -> {
				RandomGenerator here = KeyedStream.ofSeed(42);
				assertNotEquals(RandomGenerator.of("L64X128MixRandom").nextLong(), here.nextLong());
				refuse(ARGUMENT, () -> RandomGenerator.of("cprng"));
			}),
			entry("new SplittableRandom(42).split()", () -> {
				SplittableGenerator here = KeyedStream.ofSeed(42).split();
				assertNotEquals(new SplittableRandom(42).split().nextLong(), here.nextLong());
				long child = stream.child(7).nextLong();
				stream.nextInt();
				assertEquals(child, stream.child(7).nextLong());
			}),
			entry("jumping.jump()", () -> {
				jumping.jump();
				stream.advance(1L << 40);
				assertEquals(1L << 40, stream.tell());
				stream.seek(-9);
				refuse(IllegalStateException.class, () -> stream.advance(1L << 40));
			}),
			entry("ThreadLocalRandom.current().nextInt(6)", () -> {
				range(0, 5, () -> ThreadLocalRandom.current().nextInt(6), () -> Cprng.generator().nextInt(6));
				CompletableFuture.runAsync(() -> range(0, 5, () -> Cprng.generator().nextInt(6))).get();
			}),
			entry("Math.random()", () -> range(0, Math.nextDown(1.0), () -> Math.random(), () -> Cprng.generator().nextDouble())),
			entry("UUID.randomUUID()", () -> {
				for (UUID uuid : List.of(UUID.randomUUID(), Cprng.uuid4()))
					assertEquals(List.of(4, 2), List.of(uuid.version(), uuid.variant()));
				assertTrue(Cprng.uuid7().compareTo(Cprng.uuid7()) < 0);
			}),
			entry("Collections.shuffle(list)", () -> {
				Collections.shuffle(list);
				Cprng.shuffle(list);
				assertEquals(IntStream.range(0, 1000).boxed().toList(), list.stream().sorted().toList());
				refuse(REFUSED, () -> Collections.shuffle(List.of(1, 2)), () -> Cprng.shuffle(List.of(1, 2)));
				Cprng.shuffle(ints);
			}),
			entry("Collections.shuffle(list, new Random(42))", () -> {
				List<Integer> there = new ArrayList<>(list);
				Collections.shuffle(there, new Random(42));
				KeyedStream.ofSeed(42).shuffle(list);
				assertNotEquals(there, list);
			}),
			entry("RandomSource.XO_SHI_RO_256_PP.create(42)", () -> {
				UniformRandomProvider here = new CommonsRandom(KeyedStream.ofSeed(42));
				assertNotEquals(RandomSource.XO_SHI_RO_256_PP.create(42).nextLong(), here.nextLong());
				ListSampler.shuffle(here, list);
			}),
			entry("ArraySampler.shuffle(commons, ints)", () -> {
				ArraySampler.shuffle(commons, ints);
				Cprng.shuffle(ints);
				assertArrayEquals(IntStream.range(0, 1000).toArray(), Arrays.stream(ints).sorted().toArray());
			}),
			entry("new PermutationSampler(commons, 50, 50).sample()", () -> {
				Cprng.sample(longs, 50);
				for (LongStream order : List.of(LongStream.of(longs), IntStream.of(new PermutationSampler(commons, 50, 50).sample()).asLongStream()))
					assertArrayEquals(LongStream.range(0, 50).toArray(), order.sorted().toArray());
				refuse(ARGUMENT, () -> Cprng.sample(longs, 49), () -> new PermutationSampler(commons, 49, 50));
			}),
			entry("AliasMethodDiscreteSampler.of(commons, new double[] {0.7, 0.25, 0.05}).sample()", () -> {
				range(0, 2, () -> AliasMethodDiscreteSampler.of(commons, new double[] {0.7, 0.25, 0.05}).sample(),
					() -> Cprng.choose(Weighted.of(70, 25, 5)));
				refuse(ARGUMENT, () -> AliasMethodDiscreteSampler.of(commons, new double[2]), () -> Weighted.of(0, 0));
			}),
			entry("ZigguratSampler.NormalizedGaussian.of(commons).sample()", () -> {
				Cprng.fillNormal(doubles, 0, 1);
				assertTrue(Arrays.stream(doubles).anyMatch(z -> z < 0) && Arrays.stream(doubles).allMatch(z -> Math.abs(z) < 10));
				assertTrue(Math.abs(ZigguratSampler.NormalizedGaussian.of(commons).sample()) < 10);
			}));
	}

	// Catches a row of the page whose calls fail or differ in another way than it says, and a row or a case without the other.
	@TestFactory
	Stream<DynamicTest> theRowsOfThePage() throws IOException {
		String source = Files.readString(VectorsTest.CHECKOUT.resolve("bindings/java/src/test/java/io/github/cprng/ReplacementsTest.java"));
		List<String[]> rows = Files.readString(VectorsTest.CHECKOUT.resolve("docs/java.md")).lines()
			.dropWhile(line -> !line.startsWith("| what you")).skip(2).takeWhile(line -> line.startsWith("|")).map(line -> line.split("`?\\s*\\|\\s*`?")).toList();
		assertEquals(cases().keySet(), new HashSet<>(rows.stream().map(row -> row[1]).toList()));
		return rows.stream().map(row -> DynamicTest.dynamicTest(row[1], () -> {
			assertTrue(source.contains(row[2]), row[2]);
			new ReplacementsTest().cases().get(row[1]).execute();
		}));
	}

	// Catches a number of the adapter for Commons RNG that is not the generator's.
	@Test
	void commonsHasTheGeneratorsNumbers() {
		KeyedStream own = KeyedStream.ofSeed(3);
		UniformRandomProvider here = new CommonsRandom(KeyedStream.ofSeed(3));
		byte[] bytes = new byte[20], expected = new byte[20];
		for (int i = 0; i < 50; i++) {
			own.nextBytes(expected);
			here.nextBytes(bytes);
			assertArrayEquals(expected, bytes);
			assertEquals(own.nextInt(), here.nextInt());
			assertEquals(own.nextInt(7), here.nextInt(7));
			assertEquals(own.nextInt(-5, 5), here.nextInt(-5, 5));
			assertEquals(own.nextLong(), here.nextLong());
			assertEquals(own.nextLong(1L << 40), here.nextLong(1L << 40));
			assertEquals(own.nextLong(-5, 1L << 40), here.nextLong(-5, 1L << 40));
			assertEquals(own.nextBoolean(), here.nextBoolean());
			assertEquals(own.nextFloat(), here.nextFloat());
			assertEquals(own.nextDouble(), here.nextDouble());
			byte[] part = new byte[9];
			own.nextBytes(part);
			System.arraycopy(part, 0, expected, 3, 9);
			here.nextBytes(bytes, 3, 9);
			assertArrayEquals(expected, bytes);
		}
		refuse(IndexOutOfBoundsException.class, () -> here.nextBytes(bytes, 15, 6));
	}
}
