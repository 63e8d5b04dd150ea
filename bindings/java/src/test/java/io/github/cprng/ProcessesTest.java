// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.security.Security;
import java.util.*;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that start Java again with other options. */
class ProcessesTest {
	private record Ended(int status, String output) {}

	/** Arguments: options, then a main class of this file and its arguments. */
	private static Ended java(List<String> options, Class<?> main, String... arguments) throws IOException, InterruptedException {
		List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-cp",
			System.getProperty("java.class.path"), "--enable-native-access=ALL-UNNAMED"));
		command.addAll(options);
		command.add(main.getName());
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes());
		return new Ended(process.waitFor(), output);
	}

	/** Tries several operations, and prints their results. */
	public static final class Tries {
		public static void main(String[] arguments) {
			attempt(() -> Cprng.generator().nextLong());
			attempt(() -> Cprng.strong(new byte[8]));
			attempt(() -> KeyedStream.ofSeed(1));
			attempt(() -> SecureRandom.getInstance("cprng", new CprngProvider()));
			attempt(() -> System.out.println("default " + new SecureRandom().getAlgorithm()));
		}

		private interface Attempt {
			void run() throws Exception;
		}

		private static void attempt(Attempt attempt) {
			try {
				attempt.run();
				System.out.println("went well");
			} catch (Throwable problem) {
				System.out.println(problem);
			}
		}
	}

	// Catches a missing library whose error does not always say where it was searched; and a named but missing
	// file that is replaced by another.
	@Test
	void aMissingLibraryIsNamed(@TempDir Path directory) throws Exception {
		Path text = Files.writeString(directory.resolve("text.so"), "no library");
		for (String named : List.of("/nowhere/libcprng.so.0", text.toString(), "libc.so.6")) {
			// The virtual machine also warns about files that are not libraries.
			String[] lines = java(List.of("-D" + Library.PROPERTY + "=" + named), Tries.class).output().lines()
				.filter(line -> line.startsWith("java.")).toArray(String[]::new);
			for (int i = 0; i < 4; i++)
				assertTrue(lines[i].contains(named) && lines[i].contains(Library.PROPERTY), lines[i]);
			assertTrue(lines[3].startsWith("java.security.NoSuchAlgorithmException"), lines[3]);
		}
		String message = assertThrows(UnsatisfiedLinkError.class, () -> Library.find(null, null, "relative:" + directory)).getMessage();
		assertTrue(message.contains(Library.SONAME + " (the loader has none")
			&& message.contains(directory + "/" + Library.SONAME + " (no such file)") && !message.contains("relative"), message);
	}

	// Catches a jar's library that is not used, a named one that is not preferred, and an installed one that is not the fallback.
	@Test
	void theJarsLibraryIsUsed(@TempDir Path directory) throws IOException {
		String carried = Carried.name(), file = directory + "/" + Library.SONAME;
		assertEquals("jar:" + carried, Cprng.library());
		Files.copy(Library.class.getResourceAsStream(carried), Path.of(file));
		assertEquals(file, Library.find(file, carried, "").name());
		assertEquals(file, Library.find(null, null, directory.toString()).name());
	}

	// Catches a file that another user could read or replace before it is loaded, and one that is left behind.
	@Test
	void theJarsLibraryIsLoadedFromAPrivateFile(@TempDir Path directory) throws IOException {
		String carried = Carried.name();
		try (Carried unpacked = new Carried(carried, directory)) {
			assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(unpacked.file)));
			assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(unpacked.file.getParent())));
			assertEquals(directory.toRealPath(), unpacked.file.getParent().getParent());
		}
		Path inner = Files.createDirectory(directory.resolve("inner"));
		for (Path shared : List.of(directory, inner)) {
			for (int mode : new int[] {0777, 0770, 01777, 0700}) {
				Files.setAttribute(shared, "unix:mode", mode);
				if (mode == 01777 || mode == 0700)
					assertEquals("jar:" + carried, Library.unpack(carried, inner).name());
				else
					assertRefused(inner, "other users may rename files in " + shared.toRealPath());
			}
		}
		assertRefused(inner.resolve("absent"), "NoSuchFileException");
		Files.delete(inner); // it is empty
	}

	private static void assertRefused(Path temporary, String why) {
		String message = assertThrows(UnsatisfiedLinkError.class, () -> Library.unpack(Carried.name(), temporary)).getMessage();
		assertTrue(message.contains(why) && message.contains("-Djava.io.tmpdir") && message.contains("-D" + Library.PROPERTY), message);
	}

	// Catches a provider that the security properties do not install, and programs that silently draw from another
	// generator if it has no library.
	@Test
	void theDefaultByAFileOfProperties(@TempDir Path directory) throws Exception {
		StringBuilder properties = new StringBuilder("security.provider.1=cprng\n");
		int number = 2;
		for (var provider : java.security.Security.getProviders())
			properties.append("security.provider." + number++ + "=" + provider.getName() + "\n");
		Path file = Files.writeString(directory.resolve("java.security"), properties);
		String option = "-Djava.security.properties=" + file;
		Ended here = java(List.of(option), Tries.class);
		assertTrue(here.output().contains("default cprng\n"), here.output());
		Ended missing = java(List.of(option, "-D" + Library.PROPERTY + "=/nowhere/x.so"), Tries.class);
		assertTrue(!missing.output().contains("default") && missing.output().endsWith("x.so (no such file), which -Dcprng.library names\n"),
			missing.output());
	}

	/** Fills arrays of many sizes while the collector moves them; prints errors. */
	public static final class Collected {
		private static final Object[] KEPT = new Object[4096];

		public static void main(String[] arguments) throws InterruptedException {
			Thread[] threads = new Thread[4];
			for (int t = 0; t < threads.length; t++) {
				int first = t;
				threads[t] = new Thread(() -> {
					for (int i = first; i < 60000; i += threads.length)
						step(i);
				});
				threads[t].start();
			}
			Thread collector = new Thread(() -> {
				while (!Thread.interrupted())
					System.gc();
			});
			collector.start();
			for (Thread thread : threads)
				thread.join();
			collector.interrupt();
			collector.join();
			System.out.println("ended");
		}

		private static void step(int i) {
			int size = i % 1000 == 0 ? 1000000 : 40 + i % 3000;
			byte[] before = new byte[64], bytes = new byte[size], behind = new byte[64];
			double[] doubles = new double[1 + size / 8];
			Arrays.fill(doubles, -1);
			KEPT[i % KEPT.length] = new Object[] {before, bytes, behind, doubles};
			Cprng.nextBytes(bytes);
			Cprng.fill(doubles);
			int zeros = 0;
			for (byte one : bytes)
				zeros += one == 0 ? 1 : 0;
			if (!Arrays.equals(before, new byte[64]) || !Arrays.equals(behind, new byte[64]))
				System.out.println("written to another array");
			if (zeros > 20 + size / 64) // size / 256 are expected
				System.out.println(zeros + " of " + size + " bytes are zero");
			for (double one : doubles)
				if (!(one >= 0 && one < 1))
					System.out.println("a double is " + one);
		}
	}

	// Catches an array that a collector moves while C writes to it.
	@ParameterizedTest
	@ValueSource(strings = {"G1", "Z", "Parallel", "Serial"})
	@Tag("long")
	void collectorsLeaveArraysAlone(String collector) throws Exception {
		Ended ended = java(List.of("-XX:+UnlockExperimentalVMOptions", "-XX:+Use" + collector + "GC", "-Xmx192m"), Collected.class);
		assertEquals(new Ended(0, "ended\n"), ended);
	}

	// Catches C calls that fail the platform's checks of native memory and linking.
	@Test
	void checksOfTheLinkerAreSilent() throws Exception {
		Ended ended = java(List.of("-Xcheck:jni", "-XX:+UseSerialGC"), Tries.class);
		assertEquals(new Ended(0, "went well\n".repeat(4) + "default NativePRNG\nwent well\n"), ended);
	}
}
