// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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

	/** A call of C with a copy of an array in native memory. */
	interface Copied {
		int result(MemorySegment copy) throws Throwable;
	}

	/** Calls C with a copy of an array, which is erased. */
	static int copied(Arena arena, byte[] bytes, Copied call) throws Throwable {
		MemorySegment copy = arena.allocate(Math.max(1, bytes.length));
		try {
			return call.result(copy.copyFrom(MemorySegment.ofArray(bytes)));
		} finally {
			Cprng.erase(copy);
		}
	}

	/** An engine's name, which C reads up to a NUL. */
	static MemorySegment name(Arena arena, String engine) {
		if (engine != null && engine.indexOf('\0') >= 0)
			throw new IllegalArgumentException("cprng: the engine's name has a NUL");
		return engine == null ? MemorySegment.NULL : arena.allocateFrom(engine);
	}

	/** A text in UTF-8, which has no lone surrogates: each would be encoded as the same question mark. */
	static byte[] utf8(String text) {
		if (!StandardCharsets.UTF_8.newEncoder().canEncode(text))
			throw new IllegalArgumentException("cprng: the seed has a lone surrogate");
		return text.getBytes(StandardCharsets.UTF_8);
	}
}
