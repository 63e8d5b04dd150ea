// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.ListIterator;
import java.util.RandomAccess;
import java.util.function.Consumer;

/** Lists and arrays in random order, with one call of C. */
final class Shuffle {
	private Shuffle() {}

	/** A C function that shuffles elements, and returns a status. */
	interface Order {
		int shuffle(MemorySegment elements, long count, long size) throws Throwable;
	}

	/** Shuffles a short array by a critical call.  The garbage collector would wait too long for a long one, which is copied. */
	static void elements(MemorySegment all, int size, Order critical, Order function) {
		try {
			if (all.byteSize() <= Library.PIECE) {
				Library.check(critical.shuffle(all, all.byteSize() / size, size));
				return;
			}
			try (Arena arena = Arena.ofConfined()) {
				MemorySegment copy = arena.allocate(all.byteSize(), Long.BYTES).copyFrom(all);
				try {
					Library.check(function.shuffle(copy, all.byteSize() / size, size));
					all.copyFrom(copy);
				} finally {
					Cprng.erase(copy);
				}
			}
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
	}

	/** Shuffles the places of the elements, and then writes the elements as {@link java.util.Collections#shuffle} does. */
	@SuppressWarnings("unchecked") // the elements are the list's own
	static <T> void list(List<T> list, Consumer<int[]> shuffle) {
		T[] before = (T[]) list.toArray();
		if (before.length < 2)
			return; // even for a list that cannot be written
		int[] places = new int[before.length];
		Arrays.setAll(places, i -> i);
		try {
			shuffle.accept(places);
			ListIterator<T> next = list instanceof RandomAccess ? null : list.listIterator();
			for (int i = 0; i < places.length; i++)
				if (next == null) {
					list.set(i, before[places[i]]);
				} else {
					next.next();
					next.set(before[places[i]]);
				}
		} finally {
			Arrays.fill(places, 0); // the order, which the caller cannot erase
		}
	}
}
