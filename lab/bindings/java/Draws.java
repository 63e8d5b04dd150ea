// SPDX-License-Identifier: BSD-2-Clause
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.security.Provider;
import java.security.SecureRandom;
import java.security.SecureRandomSpi;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * java Draws.java LIBRARY [TASK GENERATOR SECONDS]: what lab/bindings/rust measures, in Java, with a prototype of a SecureRandomSpi
 * that calls libcprng.so by the foreign-function interface.
 */
public final class Draws {
	private static final String OWN = "cprng, SecureRandomSpi";
	private static MethodHandle fast;
	private static long sink;

	/** Bytes by a call of C into the caller's array, without a copy. */
	public static final class Spi extends SecureRandomSpi {
		@Override
		protected void engineSetSeed(byte[] seed) {}

		@Override
		protected void engineNextBytes(byte[] bytes) {
			try {
				fast.invokeExact(MemorySegment.ofArray(bytes), (long) bytes.length);
			} catch (Throwable problem) {
				throw new AssertionError(problem);
			}
		}

		@Override
		protected byte[] engineGenerateSeed(int count) {
			byte[] bytes = new byte[count];
			engineNextBytes(bytes);
			return bytes;
		}
	}

	private static final class Cprng extends Provider {
		Cprng() {
			super("cprng", "0.1", "prototype");
			put("SecureRandom.cprng", Spi.class.getName());
			put("SecureRandom.cprng ThreadSafe", "true");
		}
	}

	private interface Run {
		void times(long count);
	}

	private static Run task(SecureRandom random, String task) {
		int size = switch (task) {
			case "32 B" -> 32;
			case "4 KiB" -> 4096;
			case "64 KiB" -> 65536;
			default -> 0;
		};
		if (size != 0) {
			byte[] bytes = new byte[size];
			return count -> {
				for (; count > 0; count--)
					random.nextBytes(bytes);
				sink += bytes[0];
			};
		}
		return switch (task) {
			case "u64" -> count -> {
				for (; count > 0; count--)
					sink ^= random.nextLong();
			};
			case "below" -> count -> {
				for (; count > 0; count--)
					sink ^= random.nextInt(1_000_000);
			};
			default -> throw new IllegalArgumentException(task);
		};
	}

	/** Nanoseconds of a call, after the compiler has done its work. */
	private static double time(Run run, double seconds) {
		for (long begin = System.nanoTime(); System.nanoTime() - begin < 0.5e9;)
			run.times(1000);
		for (long count = 16;; count *= 2) {
			long begin = System.nanoTime();
			run.times(count);
			long took = System.nanoTime() - begin;
			if (took >= seconds * 1e9)
				return (double) took / count;
		}
	}

	public static void main(String[] arguments) throws Exception {
		SymbolLookup library = SymbolLookup.libraryLookup(Path.of(arguments[0]), Arena.global());
		fast = Linker.nativeLinker().downcallHandle(library.find("cprng_fast").orElseThrow(),
			FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG), Linker.Option.critical(true));
		Map<String, SecureRandom> generators = new LinkedHashMap<>();
		generators.put(OWN, SecureRandom.getInstance("cprng", new Cprng()));
		generators.put("SecureRandom", new SecureRandom());
		generators.put("SecureRandom DRBG", SecureRandom.getInstance("DRBG"));
		if (arguments.length == 1) {
			for (String task : new String[] { "u64", "below", "32 B", "4 KiB", "64 KiB" })
				generators.keySet().forEach(name -> System.out.println(task + "\t" + name));
			return;
		}
		System.out.println(time(task(generators.get(arguments[2]), arguments[1]), Double.parseDouble(arguments[3])));
	}
}
