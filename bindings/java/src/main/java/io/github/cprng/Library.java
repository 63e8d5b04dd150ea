// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import static java.lang.foreign.ValueLayout.*;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.*;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The C library's functions, and the search for it. */
final class Library {
	/** The property that names a file to load instead of the jar's library. */
	static final String PROPERTY = "cprng.library";
	/** The name identifies the interface: a library with another interface has another name. */
	static final String SONAME = "libcprng.so.0";

	/**
	 * Bytes of a heap array that one critical call fills.  The garbage collector waits for a critical call, so longer requests are
	 * divided: the C library needs 5 to 30 microseconds for a piece, longest for normal numbers.
	 */
	static final int PIECE = 65536;

	/** The functions of a loaded library, and its file or its name in the jar. */
	record Loaded(SymbolLookup functions, String name) {}

	private static final Loaded LOADED;
	private static final UnsatisfiedLinkError PROBLEM;

	static {
		Loaded found = null;
		UnsatisfiedLinkError problem = null;
		try {
			found = find(System.getProperty(PROPERTY), Carried.name(), System.getProperty("java.library.path", ""));
		} catch (UnsatisfiedLinkError error) {
			problem = error;
		}
		LOADED = found;
		PROBLEM = problem;
	}

	// Draws are critical calls: the library blocks for microseconds at most, makes no callbacks, and may write to
	// heap arrays.
	static final MethodHandle FAST = critical("cprng_fast", null, ADDRESS, JAVA_LONG);
	static final MethodHandle FAST32 = critical("cprng_fast32", JAVA_INT);
	static final MethodHandle FAST64 = critical("cprng_fast64", JAVA_LONG);
	static final MethodHandle UNIFORM32 = critical("cprng_uniform32", JAVA_INT, JAVA_INT);
	static final MethodHandle UNIFORM64 = critical("cprng_uniform64", JAVA_LONG, JAVA_LONG);
	static final MethodHandle NORMAL = critical("cprng_normal", JAVA_DOUBLE, JAVA_DOUBLE, JAVA_DOUBLE);
	static final MethodHandle EXPONENTIAL = critical("cprng_exponential", JAVA_DOUBLE, JAVA_DOUBLE);
	static final MethodHandle FILL_UNIFORM32 = critical("cprng_fill_uniform32", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
	static final MethodHandle FILL_INT_RANGE = critical("cprng_fill_int_range", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG);
	static final MethodHandle FILL_FLOAT = critical("cprng_fill_float", JAVA_INT, ADDRESS, JAVA_LONG);
	static final MethodHandle FILL_DOUBLE = critical("cprng_fill_double", JAVA_INT, ADDRESS, JAVA_LONG);
	static final MethodHandle FILL_NORMAL = critical("cprng_fill_normal", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_DOUBLE, JAVA_DOUBLE);
	static final MethodHandle FILL_EXPONENTIAL = critical("cprng_fill_exponential", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_DOUBLE);

	static final MethodHandle BERNOULLI = critical("cprng_bernoulli", JAVA_INT, JAVA_DOUBLE);
	static final MethodHandle TEXT = critical("cprng_text", JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG);
	static final MethodHandle UUID7 = critical("cprng_uuid7", JAVA_INT, ADDRESS);
	static final MethodHandle SHUFFLE = critical("cprng_shuffle", null, ADDRESS, JAVA_LONG, JAVA_LONG);

	// These wait for a lock, the kernel or an entropy source, or take as long as their arguments require.
	static final MethodHandle FAST_NATIVE = function("cprng_fast", null, ADDRESS, JAVA_LONG);
	static final MethodHandle STRONG = function("cprng_strong", null, ADDRESS, JAVA_LONG);
	static final MethodHandle ADD_ENTROPY = function("cprng_add_entropy", JAVA_INT, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
	static final MethodHandle SAMPLE = function("cprng_sample", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
	static final MethodHandle WEIGHTS_INIT = function("cprng_weights_init", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle SHUFFLE_NATIVE = function("cprng_shuffle", null, ADDRESS, JAVA_LONG, JAVA_LONG);
	static final MethodHandle INVALIDATE = function("cprng_invalidate", null);
	static final MethodHandle RESEED = function("cprng_reseed", JAVA_INT);
	static final MethodHandle VERSION = function("cprng_version", ADDRESS);
	static final MethodHandle STRERROR = function("cprng_strerror", ADDRESS, JAVA_INT);

	static final MethodHandle STREAM_INTEGER = function("cprng_stream_seed_integer", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_NUMBER =
		function("cprng_stream_seed_number", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
	static final MethodHandle STREAM_TEXT_SEED = function("cprng_stream_seed_text", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_BYTES = function("cprng_stream_seed_bytes", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_KEY =
		function("cprng_stream_init", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_CHILD = function("cprng_stream_child", JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS);
	static final MethodHandle STREAM_WIPE = function("cprng_stream_wipe", null, ADDRESS);
	static final MethodHandle STREAM_SAVE = critical("cprng_stream_save", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_RESTORE = function("cprng_stream_restore", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_SAMPLE = function("cprng_stream_sample", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG);
	static final MethodHandle STREAM_SHUFFLE_NATIVE =
		function("cprng_stream_try_shuffle", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG);
	static final MethodHandle STREAM_SHUFFLE = critical("cprng_stream_try_shuffle", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG);
	static final MethodHandle STREAM_ADVANCE = critical("cprng_stream_advance", JAVA_INT, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_SEEK = critical("cprng_stream_seek", JAVA_INT, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_TELL = critical("cprng_stream_tell", JAVA_LONG, ADDRESS);
	static final MethodHandle STREAM_READ = critical("cprng_stream_read", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_TEXT = critical("cprng_stream_text", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_FILL_U32 = critical("cprng_stream_fill_u32", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_FILL_U64 = critical("cprng_stream_fill_u64", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_FILL_UNIFORM32 =
		critical("cprng_stream_fill_uniform32", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
	static final MethodHandle STREAM_FILL_INT_RANGE =
		critical("cprng_stream_fill_int_range", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG);
	static final MethodHandle STREAM_FILL_FLOAT = critical("cprng_stream_fill_float", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_FILL_DOUBLE = critical("cprng_stream_fill_double", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_FILL_NORMAL =
		critical("cprng_stream_fill_normal", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_DOUBLE, JAVA_DOUBLE);
	static final MethodHandle STREAM_FILL_EXPONENTIAL =
		critical("cprng_stream_fill_exponential", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG, JAVA_DOUBLE);

	static final MethodHandle STREAM_UNIFORM64 = critical("cprng_stream_try_uniform64", JAVA_INT, ADDRESS, ADDRESS, JAVA_LONG);
	static final MethodHandle STREAM_NORMAL = critical("cprng_stream_try_normal", JAVA_INT, ADDRESS, ADDRESS, JAVA_DOUBLE, JAVA_DOUBLE);
	static final MethodHandle STREAM_EXPONENTIAL = critical("cprng_stream_try_exponential", JAVA_INT, ADDRESS, ADDRESS, JAVA_DOUBLE);
	static final MethodHandle STREAM_BERNOULLI = critical("cprng_stream_try_bernoulli", JAVA_INT, ADDRESS, ADDRESS, JAVA_DOUBLE);

	static final int ERROR_RANGE = -4;
	static final int ERROR_ENTROPY = -5;
	static final int ERROR_ARGUMENT = -7;
	static final int ERROR_FULL = -10;

	private Library() {}

	static boolean present() {
		return PROBLEM == null;
	}

	/** Throws an error that describes the attempts if there is no library. */
	static void require() {
		if (PROBLEM != null)
			throw missing();
	}

	private static UnsatisfiedLinkError missing() {
		UnsatisfiedLinkError error = new UnsatisfiedLinkError(PROBLEM.getMessage());
		error.initCause(PROBLEM);
		return error;
	}

	static Loaded loaded() {
		require();
		return LOADED;
	}

	/**
	 * Finds the library.  If the property names one, only that is tried.  Otherwise the jar's is used; if the jar has none, the
	 * loader's, then one in java.library.path.
	 */
	static Loaded find(String property, String carried, String path) {
		List<String> tried = new ArrayList<>();
		if (property != null) {
			Loaded found = open(property, true, tried);
			if (found != null)
				return found;
		} else if (carried != null) {
			return unpack(carried, Path.of(System.getProperty("java.io.tmpdir")));
		} else {
			Loaded found = open(SONAME, false, tried);
			for (String directory : path.split(File.pathSeparator)) {
				// A relative path would depend on the program's working directory.
				if (found == null && directory.startsWith("/"))
					found = open(directory + "/" + SONAME, true, tried);
			}
			if (found != null)
				return found;
		}
		throw new UnsatisfiedLinkError("cprng: there is no C library; tried " + String.join(", ", tried)
			+ (property != null ? ", which -D" + PROPERTY + " names"
			                    : "; the jar has none for this system: install it, or name it by -D" + PROPERTY + "=/DIRECTORY/" + SONAME));
	}

	static Loaded unpack(String carried, Path temporary) {
		List<String> tried = new ArrayList<>();
		String problem;
		try (Carried unpacked = new Carried(carried, temporary)) {
			Loaded found = open(unpacked.file.toString(), true, tried);
			if (found != null)
				return new Loaded(found.functions, "jar:" + carried);
			problem = tried.get(0) + (tried.get(0).endsWith("loaded)") ? ", perhaps because the file system is mounted noexec." : ".");
		} catch (IOException error) {
			problem = error + ".";
		}
		throw new UnsatisfiedLinkError("cprng: the jar's C library cannot be loaded by a file below " + temporary + ": " + problem
			+ " Name another directory by -Djava.io.tmpdir, or an installed library by -D" + PROPERTY + "=/DIRECTORY/" + SONAME);
	}

	private static Loaded open(String name, boolean file, List<String> tried) {
		try {
			SymbolLookup found = file ? SymbolLookup.libraryLookup(Path.of(name), Arena.global())
			                          : SymbolLookup.libraryLookup(name, Arena.global());
			// This symbol's name identifies the layout of streams in memory.
			if (found.find("cprng_stream_slow_1").isPresent())
				return new Loaded(found, name);
			tried.add(name + " (it is no cprng)");
		} catch (IllegalArgumentException error) {
			String why = !file ? "the loader has none by this name" : Files.exists(Path.of(name)) ? "it cannot be loaded" : "no such file";
			tried.add(name + " (" + why + ")");
		} catch (IllegalCallerException error) {
			tried.add(name + " (native access is denied: --enable-native-access=" + Library.class.getModule() + ")");
		}
		return null;
	}

	private static MethodHandle critical(String name, MemoryLayout result, MemoryLayout... arguments) {
		return handle(name, result, arguments, Linker.Option.critical(true));
	}

	private static MethodHandle function(String name, MemoryLayout result, MemoryLayout... arguments) {
		return handle(name, result, arguments);
	}

	private static MethodHandle handle(String name, MemoryLayout result, MemoryLayout[] arguments, Linker.Option... options) {
		FunctionDescriptor type = result == null ? FunctionDescriptor.ofVoid(arguments) : FunctionDescriptor.of(result, arguments);
		if (LOADED == null) {
			// Every call fails with the same error.
			MethodHandle thrower = MethodHandles.throwException(type.toMethodType().returnType(), UnsatisfiedLinkError.class);
			try {
				MethodHandle error = MethodHandles.lookup().findStatic(Library.class, "missing",
					MethodType.methodType(UnsatisfiedLinkError.class));
				return MethodHandles.dropArguments(MethodHandles.foldArguments(thrower, error), 0, type.toMethodType().parameterList());
			} catch (ReflectiveOperationException impossible) {
				throw new AssertionError(impossible);
			}
		}
		MemorySegment address = LOADED.functions.find(name).orElseThrow(
			() -> new UnsatisfiedLinkError("cprng: the C library has no " + name + "; its version is another than this package's"));
		return Linker.nativeLinker().downcallHandle(address, type, options);
	}

	/** A C string. */
	static String text(MemorySegment string) {
		return string.reinterpret(Long.MAX_VALUE).getString(0);
	}

	static String message(int code) {
		return call(() -> "cprng: " + text((MemorySegment) STRERROR.invokeExact(code)));
	}

	/** Returns for 0; otherwise throws Java's exception for the library's error. */
	static void check(int code) {
		if (code == 0)
			return;
		String message = message(code);
		throw switch (code) {
			case ERROR_RANGE -> new IllegalStateException(message);
			case ERROR_ENTROPY -> new java.security.ProviderException(message);
			default -> new IllegalArgumentException(message);
		};
	}

	/** C reports only that some parameter is invalid; this says which. */
	static void checkNormal(double mean, double deviation) {
		if (!Double.isFinite(mean) || !Double.isFinite(deviation) || deviation < 0)
			throw new IllegalArgumentException("cprng: mean " + mean + ", deviation " + deviation
				+ ": they are finite, and a deviation is not negative");
	}

	static void checkMean(double mean) {
		if (!Double.isFinite(mean) || mean < 0)
			throw new IllegalArgumentException("cprng: mean " + mean + ": it is finite and not negative");
	}

	/** Throws for an empty range, with the platform's messages. */
	static void checkRange(long from, long below) {
		if (from >= below)
			throw new IllegalArgumentException("bound must be greater than origin");
	}

	static void checkBound(long bound) {
		if (bound <= 0)
			throw new IllegalArgumentException("bound must be positive");
	}

	static void checkSample(long[] out, long bound) {
		if (Long.compareUnsigned(out.length, bound) > 0)
			throw new IllegalArgumentException(
				"cprng: there are no " + out.length + " distinct numbers below " + Long.toUnsignedString(bound));
	}

	/** A call of C. */
	interface Call<T> {
		T result() throws Throwable;
	}

	static <T> T call(Call<T> call) {
		try {
			return call.result();
		} catch (Throwable problem) {
			throw failed(problem);
		}
	}

	/** Rethrows: method handles declare Throwable, and throw only errors and unchecked exceptions. */
	static RuntimeException failed(Throwable problem) {
		if (problem instanceof Error error)
			throw error;
		if (problem instanceof RuntimeException unchecked)
			throw unchecked;
		throw new AssertionError(problem);
	}
}
