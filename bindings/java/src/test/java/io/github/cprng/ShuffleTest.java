// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import static org.junit.jupiter.api.Assertions.*;

import java.util.*;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.*;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

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

	// Catches a refusal other than that of Collections.shuffle, and a list that has changed although the stream ended.
	@Test
	void refusalsAreThoseOfThePlatform() {
		KeyedStream stream = KeyedStream.ofSeed(3);
		for (List<Integer> list : List.of(numbers(9), List.of(1, 2), Collections.unmodifiableList(new LinkedList<>(numbers(9)))))
			for (Executable shuffle : List.<Executable>of(() -> Collections.shuffle(list), () -> Cprng.shuffle(list), () -> stream.shuffle(list)))
				assertThrows(UnsupportedOperationException.class, shuffle);
		for (List<Integer> list : List.of(List.of(1), List.<Integer>of())) {
			Collections.shuffle(list);
			Cprng.shuffle(list);
			stream.shuffle(list);
		}
		assertThrows(NullPointerException.class, () -> Cprng.shuffle((int[]) null));
		for (int size : new int[] {50, 50000}) {
			stream.seek(-1 - 4 * (size - 20));
			List<Integer> list = new ArrayList<>(numbers(size));
			assertThrows(IllegalStateException.class, () -> stream.shuffle(list));
			assertEquals(numbers(size), list);
			assertEquals(-1 - 4 * (size - 20), stream.tell());
		}
	}

	// Catches an array that loses an element, or whose order is not that of a list: below and above the size of one critical call.
	@Test
	void arraysHaveTheOrderOfLists() {
		for (int size : new int[] {0, 1, 2, 100, 8192, 8193, 16385, 50000}) {
			int[] ints = IntStream.range(0, size).toArray();
			long[] longs = IntStream.of(ints).asLongStream().toArray();
			double[] doubles = IntStream.of(ints).asDoubleStream().toArray();
			Integer[] objects = numbers(size).toArray(new Integer[0]);
			List<Integer> list = new ArrayList<>(numbers(size));
			KeyedStream.ofSeed(4).shuffle(ints);
			KeyedStream.ofSeed(4).shuffle(longs);
			KeyedStream.ofSeed(4).shuffle(doubles);
			KeyedStream.ofSeed(4).shuffle(objects);
			KeyedStream.ofSeed(4).shuffle(list);
			assertEquals(list, IntStream.of(ints).boxed().toList());
			assertArrayEquals(longs, IntStream.of(ints).asLongStream().toArray());
			assertArrayEquals(doubles, IntStream.of(ints).asDoubleStream().toArray());
			assertEquals(list, List.of(objects));
			int[] before = ints.clone();
			Cprng.shuffle(ints);
			Cprng.shuffle(longs);
			Cprng.shuffle(doubles);
			Cprng.shuffle(objects);
			assertTrue(size < 100 || !Arrays.equals(before, ints)); // probability 1 / 100!
			for (int[] drawn : List.of(ints, LongStream.of(longs).mapToInt(i -> (int) i).toArray(),
					DoubleStream.of(doubles).mapToInt(i -> (int) i).toArray(), Arrays.stream(objects).mapToInt(i -> i).toArray())) {
				Arrays.sort(drawn);
				assertArrayEquals(IntStream.range(0, size).toArray(), drawn);
			}
		}
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
