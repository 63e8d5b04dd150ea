// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.util.Arrays;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.*;
import java.util.random.RandomGenerator.SplittableGenerator;
import java.util.stream.*;

/**
 * Streams of numbers and generators with the same elements whether they are parallel or not: one thread at a time draws, in order,
 * and hands arrays of its draws to the others.  (In the platform's own, all threads draw at once.)
 */
interface OrderedGenerator extends SplittableGenerator {
	/** The length of a stream without an end. */
	long ENDLESS = Long.MAX_VALUE;
	/** Numbers of an array for another thread: as many as a mebibyte holds, so that all threads get one soon. */
	int MOST_IN_BATCH = 1 << 17;

	void fill(int[] out);

	void fill(long[] out);

	void fillUniform(long[] out, long from, long below);

	private static long checked(long size) {
		if (size < 0)
			throw new IllegalArgumentException("size must be non-negative");
		return size;
	}

	private static <T> Stream<T> drawn(long size, Supplier<T> next) {
		return StreamSupport.stream(new Spliterators.AbstractSpliterator<T>(checked(size), Spliterator.ORDERED) {
			private long left = size;

			@Override
			public boolean tryAdvance(Consumer<? super T> action) {
				if (left == 0)
					return false;
				left--;
				action.accept(next.get());
				return true;
			}
		}, false);
	}

	private static IntStream drawnInts(long size, IntSupplier next, Consumer<long[]> fill) {
		return drawnLongs(size, next::getAsInt, fill).mapToInt(number -> (int) number);
	}

	/** A stream of next's numbers.  What it splits off for another thread is an array with the same numbers, by fill. */
	private static LongStream drawnLongs(long size, LongSupplier next, Consumer<long[]> fill) {
		return StreamSupport.longStream(new Spliterators.AbstractLongSpliterator(checked(size), Spliterator.ORDERED) {
			private long left = size;
			private int batch;

			@Override
			public Spliterator.OfLong trySplit() {
				batch = (int) Math.min(Math.min(left, MOST_IN_BATCH), batch + 1024L);
				if (batch == 0)
					return null;
				long[] numbers = new long[batch];
				fill.accept(numbers);
				left -= batch;
				return Spliterators.spliterator(numbers, Spliterator.ORDERED);
			}

			@Override
			public long estimateSize() {
				return left;
			}

			@Override
			public boolean tryAdvance(LongConsumer action) {
				if (left == 0)
					return false;
				left--;
				action.accept(next.getAsLong());
				return true;
			}
		}, false);
	}

	private static DoubleStream drawnDoubles(long size, DoubleSupplier next) {
		LongSupplier bits = () -> Double.doubleToRawLongBits(next.getAsDouble());
		return drawnLongs(size, bits, out -> Arrays.setAll(out, i -> bits.getAsLong())).mapToDouble(Double::longBitsToDouble);
	}

	private IntStream drawnInts(long size) {
		return drawnInts(size, this::nextInt, out -> {
			int[] words = new int[out.length];
			fill(words);
			Arrays.setAll(out, i -> words[i]);
		});
	}

	@Override
	default IntStream ints() { return drawnInts(ENDLESS); }

	@Override
	default IntStream ints(long size) { return drawnInts(size); }

	@Override
	default IntStream ints(int from, int below) { return ints(ENDLESS, from, below); }

	@Override
	default IntStream ints(long size, int from, int below) {
		Library.checkRange(from, below);
		return drawnInts(size, () -> nextInt(from, below), out -> fillUniform(out, from, below));
	}

	@Override
	default LongStream longs() { return drawnLongs(ENDLESS, this::nextLong, this::fill); }

	@Override
	default LongStream longs(long size) { return drawnLongs(size, this::nextLong, this::fill); }

	@Override
	default LongStream longs(long from, long below) { return longs(ENDLESS, from, below); }

	@Override
	default LongStream longs(long size, long from, long below) {
		Library.checkRange(from, below);
		return drawnLongs(size, () -> nextLong(from, below), out -> fillUniform(out, from, below));
	}

	@Override
	default DoubleStream doubles() { return drawnDoubles(ENDLESS, this::nextDouble); }

	@Override
	default DoubleStream doubles(long size) { return drawnDoubles(size, this::nextDouble); }

	@Override
	default DoubleStream doubles(double from, double below) { return doubles(ENDLESS, from, below); }

	@Override
	default DoubleStream doubles(long size, double from, double below) {
		SplittableGenerator.super.doubles(from, below); // checks the bounds, and draws nothing yet
		return drawnDoubles(size, () -> nextDouble(from, below));
	}

	@Override
	default DoubleStream equiDoubles(double left, double right, boolean leftIncluded, boolean rightIncluded) {
		return drawnDoubles(ENDLESS, SplittableGenerator.super.equiDoubles(left, right, leftIncluded, rightIncluded).iterator()::nextDouble);
	}

	@Override
	default Stream<SplittableGenerator> splits() { return splits(ENDLESS, this); }

	@Override
	default Stream<SplittableGenerator> splits(long size) { return splits(size, this); }

	@Override
	default Stream<SplittableGenerator> splits(SplittableGenerator source) { return splits(ENDLESS, source); }

	@Override
	default Stream<SplittableGenerator> splits(long size, SplittableGenerator source) {
		Objects.requireNonNull(source);
		return drawn(size, () -> KeyedStream.ofNext(source));
	}
}
