// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongUnaryOperator;

/**
 * Weights of things that {@link Cprng#choose} and {@link KeyedStream#choose} choose from, each with probability weight / sum, exactly
 * and in constant time.  Any number of threads may use an object.
 */
public final class Weighted {
	private static final long SIZE_IN_C = 40; // sizeof(cprng_weights)

	// Column i has two elements: 2 i is the share of i, and 2 i + 1 the index that has the rest of the column.
	private final long[] table;
	private final long sum;

	private Weighted(long[] weights) {
		table = new long[2 * weights.length];
		long all = 0;
		for (long weight : weights)
			all += weight;
		sum = all;
		Library.require();
		try (Arena arena = Arena.ofConfined()) {
			MemorySegment made = arena.allocate(ValueLayout.JAVA_LONG, table.length);
			MemorySegment given = arena.allocateFrom(ValueLayout.JAVA_LONG, weights);
			if ((int) Library.WEIGHTS_INIT.invokeExact(arena.allocate(SIZE_IN_C, Long.BYTES), made, given, (long) weights.length) != 0)
				throw new IllegalArgumentException("cprng: the sum of the weights is 0, or not below 2^64 when multiplied by their number");
			MemorySegment.copy(made, ValueLayout.JAVA_LONG, 0, table, 0, table.length);
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
	}

	/**
	 * {@return a table of weights}
	 * @param weights unsigned integers
	 * @throws IllegalArgumentException if their sum is 0, or not below 2<sup>64</sup> when multiplied by the number of weights
	 */
	public static Weighted of(long... weights) {
		return new Weighted(weights);
	}

	/** An index, by a function that returns an unsigned integer below an unsigned bound. */
	int choose(LongUnaryOperator below) {
		long number = below.applyAsLong(table.length / 2 * sum);
		int column = (int) Long.divideUnsigned(number, sum);
		boolean own = Long.compareUnsigned(number - column * sum, table[2 * column]) < 0;
		return own ? column : (int) table[2 * column + 1];
	}
}
