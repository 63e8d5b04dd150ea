// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import static org.junit.jupiter.api.Assertions.*;

import com.google.gson.*;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.*;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.*;
import org.junit.jupiter.api.Test;

/** The vectors shared by all languages. */
class VectorsTest {
	static final Path CHECKOUT = Path.of(System.getProperty("checkout"));
	private static final HexFormat HEX = HexFormat.of();

	static List<JsonObject> rows(String kind) throws IOException {
		String text = Files.readString(CHECKOUT.resolve("tests/vectors/numbers.json"));
		List<JsonObject> rows = new ArrayList<>();
		JsonParser.parseString(text).getAsJsonObject().getAsJsonArray(kind).forEach(row -> rows.add(row.getAsJsonObject()));
		return rows;
	}

	static KeyedStream open(JsonObject row) {
		String engine = row.get("engine").getAsString();
		KeyedStream stream = row.has("integer") ? KeyedStream.ofSeed(engine, Long.parseUnsignedLong(row.get("integer").getAsString()))
			: row.has("string") ? KeyedStream.ofSeed(engine, row.get("string").getAsString())
			: row.has("bytes")  ? KeyedStream.ofSeed(engine, HEX.parseHex(row.get("bytes").getAsString()))
			                    : KeyedStream.ofCheckpoint(HEX.parseHex(row.get("checkpoint").getAsString()));
		for (JsonElement index : row.getAsJsonArray("path"))
			stream = stream.child(Long.parseUnsignedLong(index.getAsString()));
		return stream;
	}

	private static String digest(int size, java.util.function.Consumer<ByteBuffer> numbers) {
		ByteBuffer all = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
		numbers.accept(all);
		try {
			return HEX.formatHex(MessageDigest.getInstance("SHA-256").digest(all.array()));
		} catch (NoSuchAlgorithmException impossible) {
			throw new AssertionError(impossible);
		}
	}

	private static String digest(double[] numbers) {
		return digest(8 * numbers.length, all -> all.asDoubleBuffer().put(numbers));
	}

	private static String list(LongStream numbers) {
		return numbers.mapToObj(number -> "\"" + Long.toUnsignedString(number) + "\"").collect(Collectors.joining(",", "[", "]"));
	}

	/** A number by a call, which must be that of an array with one element, with as many bytes. */
	private static String single(KeyedStream stream, Supplier<Long> call, BiConsumer<KeyedStream, long[]> fill) {
		KeyedStream copy = stream.copy();
		long[] array = {7};
		try {
			long number = call.get();
			fill.accept(copy, array);
			assertEquals(number, array[0]);
			return Long.toString(number);
		} catch (IllegalStateException end) {
			assertThrows(IllegalStateException.class, () -> fill.accept(copy, array));
			throw end;
		} finally {
			assertEquals(stream.tell(), copy.tell());
		}
	}

	private static double[] filled(int count, java.util.function.Consumer<double[]> fill) {
		double[] out = new double[count];
		fill.accept(out);
		return out;
	}

	/** The number, as the vectors' file writes it if the bits are equal. */
	private static String exact(double made, JsonElement stated) {
		boolean same = Double.doubleToRawLongBits(made) == Double.doubleToRawLongBits(stated.getAsDouble());
		return same ? stated.toString() : Double.toHexString(made);
	}

	/** The package's result for a step, as the vectors' file writes it. */
	private static String perform(KeyedStream stream, JsonArray step) {
		JsonElement first = step.get(1), second = step.get(Math.min(2, step.size() - 1)), last = step.get(step.size() - 1);
		String made = switch (step.get(0).getAsString()) {
			case "read" -> {
				byte[] bytes = new byte[first.getAsInt()];
				stream.nextBytes(bytes);
				yield HEX.formatHex(bytes);
			}
			case "seek" -> {
				stream.seek(Long.parseUnsignedLong(first.getAsString()));
				yield Long.toUnsignedString(stream.tell());
			}
			case "tell" -> Long.toUnsignedString(stream.tell());
			case "u8" -> Integer.toString(stream.nextUnsignedByte());
			case "u16" -> Integer.toString(stream.nextUnsignedShort());
			case "u32" -> Integer.toUnsignedString(stream.nextInt());
			case "u64" -> Long.toUnsignedString(stream.nextLong());
			case "bool" -> stream.nextBoolean() ? "1" : "0";
			case "uniform32", "uniform64" -> {
				long bound = Long.parseUnsignedLong(first.getAsString());
				if (bound == 0) { // refused here; C takes a word
					assertThrows(IllegalArgumentException.class, () -> stream.nextUnsignedLong(0));
					yield Integer.toString(stream.nextInt() & 0);
				}
				// Use Java's own method for this bound, if there is one.
				yield bound > 0 && bound <= Integer.MAX_VALUE
					? single(stream, () -> (long) stream.nextInt((int) bound), (copy, array) -> {
						  int[] one = {7};
						  try {
							  copy.fillUniform(one, (int) bound);
						  } finally {
							  array[0] = one[0];
						  }
					  })
					: bound > 0 ? single(stream, () -> stream.nextLong(bound), (copy, array) -> copy.fillUniform(array, bound))
								: Long.toUnsignedString(stream.nextUnsignedLong(bound));
			}
			case "range64" -> {
				long one = Long.parseUnsignedLong(first.getAsString()), other = Long.parseUnsignedLong(second.getAsString());
				if (Long.compareUnsigned(one, other) <= 0)
					yield Long.toUnsignedString(stream.nextUnsignedLongWithin(one, other));
				// Refused here; C exchanges the ends.
				assertThrows(IllegalArgumentException.class, () -> stream.nextUnsignedLongWithin(one, other));
				yield Long.toUnsignedString(stream.nextUnsignedLongWithin(other, one));
			}
			case "int_range" -> {
				long least = Math.min(first.getAsLong(), second.getAsLong()), most = Math.max(first.getAsLong(), second.getAsLong());
				if (first.getAsLong() != least)
					assertThrows(IllegalArgumentException.class, () -> stream.nextLongWithin(most, least));
				yield most < Long.MAX_VALUE
					? single(stream, () -> stream.nextLong(least, most + 1), (copy, array) -> copy.fillUniform(array, least, most + 1))
					: Long.toString(stream.nextLongWithin(least, most));
			}
			case "shuffle" -> {
				List<Long> order = new ArrayList<>(LongStream.range(0, first.getAsLong()).boxed().toList());
				long[] array = LongStream.range(0, first.getAsLong()).toArray();
				stream.copy().shuffle(array);
				stream.shuffle(order);
				assertArrayEquals(array, order.stream().mapToLong(Long::longValue).toArray());
				yield list(LongStream.of(array));
			}
			case "sample" -> {
				long[] chosen = new long[first.getAsInt()];
				stream.sample(chosen, Long.parseUnsignedLong(second.getAsString()));
				yield list(LongStream.of(chosen));
			}
			case "bernoulli" -> stream.bernoulli(first.getAsDouble()) ? "1" : "0";
			case "bernoulli_ratio" ->
				stream.bernoulli(Long.parseUnsignedLong(first.getAsString()), Long.parseUnsignedLong(second.getAsString())) ? "1" : "0";
			case "weighted" -> {
				Weighted weights =
					Weighted.of(first.getAsJsonArray().asList().stream().mapToLong(w -> Long.parseUnsignedLong(w.getAsString())).toArray());
				yield list(LongStream.range(0, second.getAsInt()).map(i -> stream.choose(weights)));
			}
			case "text" -> {
				String alphabet = new String(HEX.parseHex(second.getAsString()), StandardCharsets.ISO_8859_1);
				yield HEX.formatHex(stream.text(first.getAsInt(), alphabet).getBytes(StandardCharsets.ISO_8859_1));
			}
			case "uuid4" -> stream.uuid4().toString();
			case "uuid7" -> stream.uuid7(first.getAsLong()).toString();
			case "float" -> exact(stream.nextFloat(), last);
			case "double" -> exact(stream.nextDouble(), last);
			case "normal" -> exact(stream.nextGaussian(first.getAsDouble(), second.getAsDouble()), last);
			case "exponential" -> exact(stream.nextExponential(first.getAsDouble()), last);
			case "floats" -> {
				float[] out = new float[first.getAsInt()];
				stream.fill(out);
				yield digest(4 * out.length, all -> all.asFloatBuffer().put(out));
			}
			case "doubles" -> digest(filled(first.getAsInt(), stream::fill));
			case "normals" -> digest(filled(first.getAsInt(), out -> stream.fillNormal(out, 0, 1)));
			case "exponentials" -> digest(filled(first.getAsInt(), out -> stream.fillExponential(out, 1)));
			case "checkpoint" -> HEX.formatHex(stream.checkpoint());
			default -> "no such step";
		};
		return made.startsWith("[") || made.startsWith("\"") ? made : "\"" + made + "\"";
	}

	// Catches a seed, child or checkpoint that differs from the model.
	@Test
	void seedsAndChildrenHaveTheStatedKeys() throws IOException {
		List<JsonObject> rows = rows("seeds");
		assertEquals(70, rows.size());
		for (JsonObject row : rows) {
			byte[] checkpoint = open(row).checkpoint();
			assertEquals(row.get("checkpoint").getAsString(), HEX.formatHex(checkpoint), row::toString);
			assertArrayEquals(checkpoint, KeyedStream.ofCheckpoint(checkpoint).checkpoint());
		}
	}

	/** An argument may be refused, or the stream ends. */
	private static Class<? extends RuntimeException> refusal(JsonArray step) {
		boolean argument = switch (step.get(0).getAsString()) {
			case "text" -> step.get(2).getAsString().isEmpty() || step.get(2).getAsString().length() > 2 * 256;
			case "weighted" -> {
				BigInteger sum = BigInteger.ZERO;
				for (JsonElement weight : step.get(1).getAsJsonArray())
					sum = sum.add(weight.getAsBigInteger());
				BigInteger bound = sum.multiply(BigInteger.valueOf(step.get(1).getAsJsonArray().size()));
				yield bound.signum() == 0 || bound.bitLength() > 64;
			}
			case "uuid7" -> step.get(1).getAsLong() >= 1L << 48;
			default -> false;
		};
		return argument ? IllegalArgumentException.class : IllegalStateException.class;
	}

	/** Compares the steps of a kind of sequences, and returns their number. */
	private static int compared(String kind) throws IOException {
		int steps = 0;
		for (JsonObject row : rows(kind)) {
			KeyedStream stream = open(row);
			for (JsonElement step : row.getAsJsonArray("steps")) {
				JsonArray parts = step.getAsJsonArray();
				JsonElement stated = parts.get(parts.size() - 1);
				String text = stated.isJsonPrimitive() ? "\"" + stated.getAsString() + "\"" : stated.toString();
				if (text.equals("\"refused\""))
					assertThrows(refusal(parts), () -> perform(stream, parts), step::toString);
				else
					assertEquals(text, perform(stream, parts), step::toString);
				steps++;
			}
		}
		return steps;
	}

	// Catches a number made from other bytes or in another way than the specification says; and an offset on which
	// Java's buffer and C disagree.
	@Test
	void sequencesAreTheStatedOnes() throws IOException {
		assertEquals(1697, compared("sequences"));
	}

	// Catches a stream that ends at another offset, refused bytes before the end, and an offset moved by a refused call.
	@Test
	void endsAreTheStatedOnes() throws IOException {
		assertEquals(503, compared("ends"));
	}

	// Catches a choice that takes other words, or rejects another one, than the specification says; and an offset moved by a refused one.
	@Test
	void choicesAreTheStatedOnes() throws IOException {
		assertEquals(953, compared("choices"));
	}

	// Catches a package, provider or page whose version differs from the headers' and the loaded library's.
	@Test
	void versionsAgree() throws IOException {
		String header = Files.readString(CHECKOUT.resolve("include/cprng/cprng.h"));
		String version = List.of("MAJOR", "MINOR", "PATCH").stream()
			.map(part -> header.replaceAll("(?s).*#define CPRNG_VERSION_" + part + " (\\d+)\n.*", "$1")).collect(Collectors.joining("."));
		assertEquals(version, Cprng.version());
		assertEquals(version, new CprngProvider().getVersionStr());
		for (String file : List.of("bindings/java/pom.xml", "docs/java.md"))
			assertEquals(version, Files.readString(CHECKOUT.resolve(file))
				.replaceAll("(?s).*?<artifactId>cprng</artifactId>\\s*<version>([^<]*)<.*", "$1"), file);
	}

	// Catches a function of C whose type native-image does not know, and a type that no function has.
	@Test
	void nativeImageKnowsTheFunctions() throws IOException {
		Map<String, String> types = Map.of("ADDRESS", "void*", "JAVA_LONG", "jlong", "JAVA_INT", "jint", "JAVA_DOUBLE", "jdouble", "null", "void");
		Set<String> called = new TreeSet<>(), known = new TreeSet<>();
		String source = Files.readString(CHECKOUT.resolve("bindings/java/src/main/java/io/github/cprng/Library.java"));
		Pattern.compile("(critical|function)\\(\\s*\"\\w+\", ([\\w, ]+)\\)").matcher(source).results().forEach(call
			-> called.add(call.group(1) + Stream.of(call.group(2).split(", ")).map(types::get).toList()));
		String file = "/META-INF/native-image/io.github.cprng/cprng/reachability-metadata.json";
		String text = new String(Library.class.getResourceAsStream(file).readAllBytes(), StandardCharsets.UTF_8);
		for (JsonElement row : JsonParser.parseString(text).getAsJsonObject().getAsJsonObject("foreign").getAsJsonArray("downcalls")) {
			List<String> type = new ArrayList<>(List.of(row.getAsJsonObject().get("returnType").getAsString()));
			row.getAsJsonObject().getAsJsonArray("parameterTypes").forEach(parameter -> type.add(parameter.getAsString()));
			known.add((row.getAsJsonObject().has("options") ? "critical" : "function") + type);
		}
		assertEquals(called, known);
		assertEquals(41, known.size());
	}

	// Catches arrays whose pieces do not continue as single numbers do.
	@Test
	void longArraysAreTheNumbersOneByOne() {
		for (int count : new int[] {0, 1, 7, 8191, 8192, 8193, 20000}) {
			double[] out = filled(count, KeyedStream.ofSeed(1)::fill);
			KeyedStream one = KeyedStream.ofSeed(1);
			assertArrayEquals(IntStream.range(0, count).mapToDouble(i -> one.nextDouble()).toArray(), out);
			double[] normals = filled(count, array -> KeyedStream.ofSeed(1).fillNormal(array, 3, 2));
			KeyedStream other = KeyedStream.ofSeed(1);
			assertArrayEquals(IntStream.range(0, count).mapToDouble(i -> other.nextGaussian(3, 2)).toArray(), normals);
		}
	}

	// Catches arrays of integers whose pieces do not continue as single numbers do, or that reject other numbers.
	@Test
	void longArraysOfIntegersAreTheNumbersOneByOne() {
		for (int count : new int[] {0, 1, 7, 8193, 16384, 16385, 40000}) {
			int[] ints = new int[count];
			long[] longs = new long[count];
			KeyedStream one = KeyedStream.ofSeed(1), all = KeyedStream.ofSeed(1);
			all.fill(ints);
			assertArrayEquals(IntStream.range(0, count).map(i -> one.nextInt()).toArray(), ints);
			all.fill(longs);
			assertArrayEquals(LongStream.range(0, count).map(i -> one.nextLong()).toArray(), longs);
			for (int[] range : new int[][] {{0, 1}, {0, 6}, {-5, 6}, {0, 3 << 29}, {-2, Integer.MAX_VALUE}, {Integer.MIN_VALUE, 5 << 28}}) {
				if (range[0] == 0)
					all.fillUniform(ints, range[1]);
				else
					all.fillUniform(ints, range[0], range[1]);
				assertArrayEquals(IntStream.range(0, count).map(i -> one.nextInt(range[0], range[1])).toArray(), ints);
			}
			for (long[] range : new long[][] {{0, 6}, {-5, 6}, {0, 1L << 32}, {0, 3L << 61}, {Long.MIN_VALUE, Long.MAX_VALUE}}) {
				if (range[0] == 0)
					all.fillUniform(longs, range[1]);
				else
					all.fillUniform(longs, range[0], range[1]);
				assertArrayEquals(LongStream.range(0, count).map(i -> one.nextLong(range[0], range[1])).toArray(), longs);
			}
			assertEquals(one.tell(), all.tell());
		}
	}
}
