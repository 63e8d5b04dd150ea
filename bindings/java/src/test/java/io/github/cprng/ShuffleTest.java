// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import java.util.Vector;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Shuffles of all kinds of lists. */
class ShuffleTest {
	private static List<Integer> numbers(int size) {
		return IntStream.range(0, size).boxed().toList();
	}

	/** 0, 1, 2, ... in lists of all kinds. */
	private static List<List<Integer>> lists(int size) {
		List<Integer> numbers = numbers(size), inside = new ArrayList<>(List.of(-1, -1));
		inside.addAll(1, numbers);
		return List.of(new ArrayList<>(numbers), new LinkedList<>(numbers), new Vector<>(numbers), new CopyOnWriteArrayList<>(numbers),
			Arrays.asList(numbers.toArray(new Integer[0])), inside.subList(1, size + 1), new LinkedList<>(inside).subList(1, size + 1),
			Collections.synchronizedList(new ArrayList<>(numbers)), Collections.checkedList(new LinkedList<>(numbers), Integer.class));
	}

	// Catches a kind of list that loses or repeats an element, or whose order differs from the stream's choices.
	@Test
	void listsOfAllKindsHaveTheSameOrder() {
		for (int size : new int[] {0, 1, 2, 100}) {
			List<Integer> expected = new ArrayList<>(numbers(size));
			KeyedStream choices = KeyedStream.ofSeed(size);
			for (int left = size; left > 1; left--)
				Collections.swap(expected, left - 1, choices.nextInt(left));
			for (List<Integer> list : lists(size)) {
				KeyedStream stream = KeyedStream.ofSeed(size);
				stream.shuffle(list);
				assertEquals(expected, list, () -> list.getClass().toString());
				assertEquals(choices.tell(), stream.tell());
			}
		}
		List<Integer> all = new ArrayList<>(numbers(9));
		KeyedStream.ofSeed(1).shuffle(all.subList(3, 6));
		assertEquals(numbers(3), all.subList(0, 3));
		assertEquals(List.of(6, 7, 8), all.subList(6, 9));
	}

	/** Draws numbers until one would be at an odd place below 20. */
	private static class Choosy extends AbstractList<Integer> {
		final List<Integer> numbers = new ArrayList<>(numbers(50));

		@Override
		public Integer get(int at) {
			return numbers.get(at);
		}

		@Override
		public int size() {
			return numbers.size();
		}

		@Override
		public Integer set(int at, Integer number) {
			if (at < 20 && at % 2 == 1 && at != number)
				throw new IllegalArgumentException("not here");
			return numbers.set(at, number);
		}
	}

	private static final class ChoosyByIndex extends Choosy implements RandomAccess {}

	private static void refuses(Class<? extends RuntimeException> type, KeyedStream stream, List<Integer> list) {
		List<Integer> before = List.copyOf(list);
		long offset = stream.tell();
		assertThrows(type, () -> stream.shuffle(list));
		assertEquals(before, list);
		assertEquals(offset, stream.tell());
	}

	// Catches a list that refuses an element after it has lost others; and a stream that has advanced although the shuffle failed.
	@Test
	void whatFailsChangesNothing() {
		KeyedStream stream = KeyedStream.ofSeed(3);
		stream.nextInt();
		for (List<Integer> list : List.of(numbers(9), List.of(1, 2), Collections.unmodifiableList(new LinkedList<>(numbers(9)))))
			refuses(UnsupportedOperationException.class, stream, list);
		refuses(IllegalArgumentException.class, stream, new Choosy());
		refuses(IllegalArgumentException.class, stream, new ChoosyByIndex());
		stream.shuffle(List.of(1));
		assertEquals(4, stream.tell());
		stream.seek(-1 - 4 * 30);
		refuses(IllegalStateException.class, stream, new ArrayList<>(numbers(50)));
	}

	// Catches a shuffle by draws that loses or repeats an element, of lists above and below the size of one critical call.
	@Test
	void drawnOrdersKeepTheElements() {
		for (int size : new int[] {0, 1, 2, 100, 16384, 16385, 50000})
			for (List<Integer> list : size <= 100 ? lists(size) : List.of(new ArrayList<>(numbers(size)))) {
				Cprng.shuffle(list);
				assertTrue(size < 100 || !numbers(size).equals(list)); // probability 1 / 100!
				assertEquals(numbers(size), list.stream().sorted().toList());
			}
		assertThrows(UnsupportedOperationException.class, () -> Cprng.shuffle(List.of(1, 2)));
		List<Integer> choosy = new ChoosyByIndex();
		assertThrows(IllegalArgumentException.class, () -> Cprng.shuffle(choosy)); // ten odd places keep theirs with 1 / 10^16
		assertEquals(numbers(50), choosy);
	}

	// Catches an order that is more or less likely than the others: within eight standard deviations.
	@Test
	void drawnOrdersAreEquallyLikely() {
		Map<List<Integer>, Integer> counts = new HashMap<>();
		for (int i = 0; i < 24000; i++) {
			List<Integer> list = new ArrayList<>(numbers(4));
			Cprng.shuffle(list);
			counts.merge(list, 1, Integer::sum);
		}
		assertEquals(24, counts.size());
		counts.forEach((order, count) -> assertEquals(1000, count, 8 * Math.sqrt(1000), order::toString));
	}
}
