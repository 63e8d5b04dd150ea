// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

/** Texts of an alphabet, and UUIDs. */
final class Identifiers {
	private static final int MOST_SYMBOLS = 256;
	/** Characters by one critical call, which takes several times as long for one as for a byte. */
	private static final int PIECE = Library.PIECE / 8;

	private Identifiers() {}

	/** A C function that writes count characters of an alphabet, and a NUL. */
	interface Text {
		int write(MemorySegment out, long count, MemorySegment alphabet, long symbols) throws Throwable;
	}

	/** A text of an alphabet: C chooses from the numbers of its characters, so any characters are possible. */
	static String text(int length, String alphabet, Text text) throws Throwable {
		int[] symbols = alphabet.codePoints().toArray();
		if (symbols.length == 0 || symbols.length > MOST_SYMBOLS)
			throw new IllegalArgumentException("cprng: an alphabet of " + symbols.length + " characters: it has 1 to " + MOST_SYMBOLS);
		if (length < 0)
			throw new IllegalArgumentException("cprng: length " + length + " is negative");
		byte[] numbers = new byte[symbols.length], piece = new byte[Math.min(length, PIECE) + 1];
		for (int i = 0; i < numbers.length; i++)
			numbers[i] = (byte) i;
		StringBuilder out = new StringBuilder(length);
		for (int left = length; left > 0;) {
			int count = Math.min(left, PIECE);
			Library.check(text.write(MemorySegment.ofArray(piece), count, MemorySegment.ofArray(numbers), numbers.length));
			for (int i = 0; i < count; i++)
				out.appendCodePoint(symbols[piece[i] & 0xff]);
			left -= count;
		}
		Arrays.fill(piece, (byte) 0);
		return out.toString();
	}

	/** A UUID of bytes, to which this adds version and variant (RFC 9562). */
	static UUID uuid(byte[] bytes, int version) {
		bytes[6] = (byte) (bytes[6] & 0x0f | version << 4);
		bytes[8] = (byte) (bytes[8] & 0x3f | 0x80);
		ByteBuffer both = ByteBuffer.wrap(bytes);
		UUID uuid = new UUID(both.getLong(), both.getLong());
		Arrays.fill(bytes, (byte) 0);
		return uuid;
	}
}
