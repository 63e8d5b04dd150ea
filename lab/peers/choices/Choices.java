// SPDX-License-Identifier: BSD-2-Clause
import java.lang.management.ManagementFactory;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Scanner;
import java.util.UUID;
import java.util.function.IntToDoubleFunction;
import java.util.random.RandomGenerator;

/** Java's choices for cprng-lab choices, with -Dsecure=true those of its secure generator; choices.hpp has the requests. */
public final class Choices {
	private static final boolean SECURE = Boolean.getBoolean("secure");
	private static final RandomGenerator RANDOM = SECURE ? new SecureRandom() : RandomGenerator.getDefault();

	/** Times the work, after JIT compilation, and describes what it leaves. */
	private static String measured(int count, double seconds, Runnable work, IntToDoubleFunction value) {
		for (long begin = System.nanoTime(), rounds = 0; rounds == 0 || System.nanoTime() - begin < 0.2e9; rounds++)
			work.run();
		double took;
		long times = 1;
		for (;; times *= 2) {
			long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
			for (long i = 0; i < times; i++)
				work.run();
			took = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin;
			if (took >= seconds / 2 * 1e9)
				break;
		}
		double[] values = new double[count];
		Arrays.setAll(values, value);
		int moved = 0;
		for (int i = 0; i < count; i++)
			moved += values[i] != i ? 1 : 0;
		Arrays.sort(values);
		int distinct = 1;
		for (int i = 1; i < count; i++)
			distinct += values[i] != values[i - 1] ? 1 : 0;
		return took / times / count + " " + values[0] + " " + values[count - 1] + " " + distinct + " " + moved;
	}

	/** Numbers, each kind by a loop of its own, which the JIT compiler inlines. */
	private static String filled(String kind, int of, int count, double seconds) {
		double[] array = new double[count];
		Runnable loop = switch (kind) {
			case "bounded" -> () -> {
				for (int i = 0; i < array.length; i++)
					array[i] = RANDOM.nextInt(of);
			};
			case "double" -> () -> {
				for (int i = 0; i < array.length; i++)
					array[i] = RANDOM.nextDouble();
			};
			case "normal" -> () -> {
				for (int i = 0; i < array.length; i++)
					array[i] = RANDOM.nextGaussian();
			};
			case "bernoulli" -> () -> {
				for (int i = 0; i < array.length; i++)
					array[i] = RANDOM.nextDouble() < 0.3 ? 1 : 0;
			};
			default -> () -> {
				for (int i = 0; i < array.length; i++)
					array[i] = RANDOM.nextExponential();
			};
		};
		return measured(count, seconds, loop, i -> array[i]);
	}

	/** A list has references, so the size of the elements counts for nothing; a shuffle of 8 bytes stands for all. */
	private static String shuffled(int count, double seconds) {
		List<Long> list = new ArrayList<>(count);
		for (long i = 0; i < count; i++)
			list.add(i);
		return measured(count, seconds, () -> Collections.shuffle(list, RANDOM), list::get);
	}

	private static String sampled(int of, int count, double seconds) {
		int[][] last = new int[1][];
		return measured(count, seconds, () -> last[0] = RANDOM.ints(0, of).distinct().limit(count).toArray(), i -> last[0][i]);
	}

	private static String identified(int count, double seconds) {
		UUID[] array = new UUID[count];
		Runnable loop = () -> {
			for (int i = 0; i < array.length; i++)
				array[i] = UUID.randomUUID();
		};
		/* The second half has its highest bit set. */
		return measured(count, seconds, loop, i -> array[i].getLeastSignificantBits() + 0x1p64);
	}

	private static String secure(String kind, int count, double seconds) {
		return switch (kind) {
			case "bernoulli" -> filled(kind, 0, count, seconds);
			case "uuid4" -> identified(count, seconds);
			default -> "-";
		};
	}

	private static String answer(String kind, int of, int count, double seconds) {
		return switch (kind) {
			case "shuffle" -> of == 8 ? shuffled(count, seconds) : "-";
			case "sample" -> sampled(of, count, seconds);
			case "bounded", "double", "normal", "exponential", "bernoulli" -> filled(kind, of, count, seconds);
			default -> "-";
		};
	}

	public static void main(String[] arguments) {
		System.out.println("java " + Runtime.version());
		for (Scanner in = new Scanner(System.in); in.hasNextLine();) {
			String[] words = in.nextLine().split(" ");
			int of = Integer.parseInt(words[1]), count = Integer.parseInt(words[2]);
			double seconds = Double.parseDouble(words[3]);
			System.out.println(SECURE ? secure(words[0], count, seconds) : answer(words[0], of, count, seconds));
		}
	}
}
