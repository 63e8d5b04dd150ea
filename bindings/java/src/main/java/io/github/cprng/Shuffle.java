// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.util.List;
import java.util.ListIterator;
import java.util.RandomAccess;

/** Puts a list into random order.  All choices precede the first write; if the list refuses a write, the old order is restored. */
final class Shuffle {
	private Shuffle() {}

	@SuppressWarnings("unchecked") // the elements are the list's own
	static <T> void of(List<T> list, KeyedStream stream) {
		long offset = stream.tell();
		T[] before = (T[]) list.toArray(), order = before.clone();
		if (order.length < 2)
			return; // even for a list that cannot be written
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
				// The list refused the same position again; everything before it is restored.
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
