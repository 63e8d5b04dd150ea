// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.ListIterator;
import java.util.RandomAccess;
import java.util.function.Consumer;

/** Puts a list into random order.  All choices precede the first write; if the list refuses a write, the old order is restored. */
final class Shuffle {
	private Shuffle() {}

	/** By the specification's choices. */
	static <T> void of(List<T> list, KeyedStream stream) {
		long offset = stream.tell();
		try {
			of(list, order -> {
				for (int left = order.length; left > 1; left--) {
					int chosen = (int) stream.nextUnsignedLong(left);
					T last = order[left - 1];
					order[left - 1] = order[chosen];
					order[chosen] = last;
				}
			});
		} catch (RuntimeException | Error problem) {
			stream.seek(offset);
			throw problem;
		}
	}

	/** By draws: C shuffles the places, with one call. */
	static <T> void of(List<T> list) {
		of(list, order -> {
			T[] before = order.clone();
			int[] places = places(order.length);
			for (int i = 0; i < places.length; i++)
				order[i] = before[places[i]];
		});
	}

	private static int[] places(int count) {
		int[] places = new int[count];
		Arrays.setAll(places, i -> i);
		try {
			if (count <= Library.PIECE / Integer.BYTES) {
				Library.SHUFFLE.invokeExact(MemorySegment.ofArray(places), (long) count, (long) Integer.BYTES);
				return places;
			}
			// The garbage collector would wait too long for a critical call.
			try (Arena arena = Arena.ofConfined()) {
				MemorySegment copy = arena.allocateFrom(ValueLayout.JAVA_INT, places);
				Library.SHUFFLE_NATIVE.invokeExact(copy, (long) count, (long) Integer.BYTES);
				MemorySegment.copy(copy, ValueLayout.JAVA_INT, 0, places, 0, count);
				Cprng.erase(copy);
			}
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
		return places;
	}

	@SuppressWarnings("unchecked") // the elements are the list's own
	private static <T> void of(List<T> list, Consumer<T[]> shuffle) {
		T[] before = (T[]) list.toArray(), order = before.clone();
		if (order.length < 2)
			return; // even for a list that cannot be written
		shuffle.accept(order);
		try {
			write(list, order);
		} catch (RuntimeException | Error problem) {
			try {
				write(list, before);
			} catch (RuntimeException again) {
				// The list refused the same position again; everything before it is restored.
			}
			throw problem;
		}
	}

	private static <T> void write(List<T> list, T[] elements) {
		if (list instanceof RandomAccess) {
			for (int i = 0; i < elements.length; i++)
				list.set(i, elements[i]);
			return;
		}
		ListIterator<T> place = list.listIterator();
		for (T element : elements) {
			place.next();
			place.set(element);
		}
	}
}
