// SPDX-License-Identifier: BSD-2-Clause
import io.github.cprng.Cprng;
import io.github.cprng.CprngProvider;
import io.github.cprng.KeyedStream;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * java Draws [TASK GENERATOR SECONDS]: the measurement of lab/peers/bindings/rust, in Java: prints the nanoseconds of a call,
 * by the wall clock.  Without arguments it lists its tasks, each with its generators.
 */
public final class Draws {
	private static final int NUMBERS = 1000; // of an array; each counts as a call
	private static long sink;

	private interface Run {
		void times(long count);
	}

	private static Run bytes(RandomGenerator random, int size) {
		byte[] bytes = new byte[size];
		return count -> {
			for (; count > 0; count--)
				random.nextBytes(bytes);
			sink += bytes[0];
		};
	}

	private static Run filled(Run fill) {
		return count -> fill.times((count + NUMBERS - 1) / NUMBERS);
	}

	private static Run task(RandomGenerator random, String task) {
		return switch (task) {
			case "32 B" -> bytes(random, 32);
			case "4 KiB" -> bytes(random, 4096);
			case "64 KiB" -> bytes(random, 65536);
			case "u64" -> count -> {
				for (; count > 0; count--)
					sink ^= random.nextLong();
			};
			case "below" -> count -> {
				for (; count > 0; count--)
					sink ^= random.nextInt(1_000_000);
			};
			case "double" -> count -> {
				double sum = 0;
				for (; count > 0; count--)
					sum += random.nextDouble();
				sink += (long) sum;
			};
			case "normal" -> count -> {
				double sum = 0;
				for (; count > 0; count--)
					sum += random.nextGaussian();
				sink += (long) sum;
			};
			default -> throw new IllegalArgumentException(task);
		};
	}

	private static Run array(KeyedStream stream, String task) {
		double[] out = new double[NUMBERS];
		return filled(count -> {
			for (; count > 0; count--) {
				if (stream == null && task.equals("double"))
					Cprng.fill(out);
				else if (stream == null)
					Cprng.fillNormal(out, 0, 1);
				else if (task.equals("double"))
					stream.fill(out);
				else
					stream.fillNormal(out, 0, 1);
			}
			sink += (long) out[0];
		});
	}

	private record Measured(String task, String generator) {}

	private static final List<String> NUMBER_TASKS = List.of("u64", "below", "double", "normal");
	private static final List<String> BYTE_TASKS = List.of("32 B", "4 KiB", "64 KiB");

	private static Map<Measured, Run> runs() throws Exception {
		Map<String, RandomGenerator> numbers = new LinkedHashMap<>(), secure = new LinkedHashMap<>();
		secure.put("cprng, SecureRandomSpi", SecureRandom.getInstance("cprng", new CprngProvider()));
		secure.put("SecureRandom", new SecureRandom());
		secure.put("SecureRandom DRBG", SecureRandom.getInstance("DRBG"));
		numbers.put("cprng generator", Cprng.generator());
		numbers.put("cprng KeyedStream", KeyedStream.ofSeed(1));
		numbers.putAll(secure);
		numbers.put("ThreadLocalRandom", ThreadLocalRandom.current());
		numbers.put("SplittableRandom", new SplittableRandom());
		numbers.put("RandomGenerator default", RandomGenerator.getDefault());
		Map<Measured, Run> runs = new LinkedHashMap<>();
		numbers.forEach((name, random) -> NUMBER_TASKS.forEach(task -> runs.put(new Measured(task, name), task(random, task))));
		secure.forEach((name, random) -> BYTE_TASKS.forEach(task -> runs.put(new Measured(task, name), task(random, task))));
		for (String task : new String[] { "double", "normal" }) {
			runs.put(new Measured(task, "cprng, an array"), array(null, task));
			runs.put(new Measured(task, "cprng KeyedStream, an array"), array(KeyedStream.ofSeed(1), task));
		}
		return runs;
	}

	/** Nanoseconds of a call, after JIT compilation. */
	private static double time(Run run, double seconds) {
		for (long begin = System.nanoTime(); System.nanoTime() - begin < 0.5e9;)
			run.times(1000);
		for (long count = 1000;; count *= 2) {
			long begin = System.nanoTime();
			run.times(count);
			long took = System.nanoTime() - begin;
			if (took >= seconds * 1e9)
				return (double) took / count;
		}
	}

	public static void main(String[] arguments) throws Exception {
		if (arguments.length == 0)
			new ArrayList<>(runs().keySet()).forEach(one -> System.out.println(one.task + "\t" + one.generator));
		else
			System.out.println(time(runs().get(new Measured(arguments[0], arguments[1])), Double.parseDouble(arguments[2])));
	}
}
