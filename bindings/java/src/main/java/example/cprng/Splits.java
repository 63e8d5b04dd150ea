// SPDX-License-Identifier: BSD-2-Clause
package example.cprng;

import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.random.RandomGenerator.SplittableGenerator;

/** Streams split off a source.  Those of a parallel stream are also created here, by one thread at a time. */
final class Splits extends Spliterators.AbstractSpliterator<SplittableGenerator> {
	private final SplittableGenerator source;
	private long left;

	Splits(long size, SplittableGenerator source) {
		super(size, Spliterator.ORDERED);
		this.source = source;
		left = size;
	}

	@Override
	public boolean tryAdvance(Consumer<? super SplittableGenerator> action) {
		if (left == 0)
			return false;
		left--;
		action.accept(KeyedStream.ofNext(source));
		return true;
	}
}
