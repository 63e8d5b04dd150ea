// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;

/** A stream's C object.  It is erased after its owner has been collected, and then freed. */
final class StreamMemory {
	private static final long SIZE = 1600; // sizeof(cprng_stream), fixed by its symbols' names
	private static final long ALIGNMENT = 64;
	private static final Cleaner CLEANER = Cleaner.create();

	private final MemorySegment segment;
	private final Cleaner.Cleanable cleanable;

	/** A C call that creates a stream; the arena holds its other arguments. */
	interface Begin {
		int at(Arena arena, MemorySegment stream) throws Throwable;
	}

	/** References the memory, but not its owner, until it is erased. */
	private record Wipe(MemorySegment stream) implements Runnable {
		@Override
		public void run() {
			try {
				Library.STREAM_WIPE.invokeExact(stream);
			} catch (Throwable problem) {
				throw Library.failed(problem);
			}
		}
	}

	StreamMemory(Object owner, Begin begin) {
		Library.require();
		segment = Arena.ofAuto().allocate(SIZE, ALIGNMENT);
		try (Arena arena = Arena.ofConfined()) {
			Library.check(begin.at(arena, segment));
		} catch (Throwable problem) {
			throw Library.failed(problem);
		}
		cleanable = CLEANER.register(owner, new Wipe(segment));
	}

	MemorySegment segment() {
		return segment;
	}

	void erase() {
		cleanable.clean();
	}

	static MemorySegment copyOf(Arena arena, byte[] bytes) {
		MemorySegment copy = arena.allocate(Math.max(1, bytes.length));
		MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, bytes.length);
		return copy;
	}

	static MemorySegment name(Arena arena, String engine) {
		return engine == null ? MemorySegment.NULL : string(arena, engine, "engine");
	}

	/** A string that C reads up to its NUL; refuses text that C would read differently. */
	static MemorySegment string(Arena arena, String text, String what) {
		if (text.indexOf('\0') >= 0)
			throw new IllegalArgumentException("cprng: the " + what + " has a NUL");
		// UTF-8 encoding would replace each lone surrogate by the same question mark.
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(text))
			throw new IllegalArgumentException("cprng: the " + what + " has a lone surrogate");
		return arena.allocateFrom(text);
	}
}
