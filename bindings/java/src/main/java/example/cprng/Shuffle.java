// SPDX-License-Identifier: BSD-2-Clause
package example.cprng;

import java.util.List;
import java.util.ListIterator;
import java.util.RandomAccess;

/** A list in random order: all choices come before the first write, and a list that refuses one gets its old order back. */
final class Shuffle {
	private Shuffle() {}

	@SuppressWarnings("unchecked") // the elements are the list's own
	static <T> void of(List<T> list, KeyedStream stream) {
		long offset = stream.tell();
		T[] before = (T[]) list.toArray(), order = before.clone();
		if (order.length < 2)
			return; // also of a list that cannot be written
		try {
			for (int left = order.length; left > 1; left--) {
				int chosen = (int) stream.nextUnsignedLong(left);
				T last = order[left - 1];
				order[left - 1] = order[chosen];
				order[chosen] = last;
			}
			write(list, order);
		} catch (RuntimeException | Error problem) {
			try {
				write(list, before);
			} catch (RuntimeException again) {
				// At the same place, before which all is as it was.
			}
			stream.seek(offset);
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
