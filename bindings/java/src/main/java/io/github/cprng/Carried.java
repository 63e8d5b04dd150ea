// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Linker;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/** The C library in the jar, for this machine's architecture and C library, as a temporary file while it is loaded. */
final class Carried implements AutoCloseable {
	private static final int STICKY = 01000, WRITABLE_BY_OTHERS = 022;

	private final Path directory;
	/** The library, which only this user can read and write, in a directory of its own. */
	final Path file;

	/** The name of the resource, or null if the jar has none for this system. */
	static String name() {
		String architecture = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
		boolean glibc = Linker.nativeLinker().defaultLookup().find("gnu_get_libc_version").isPresent();
		String name = architecture + "-" + System.getProperty("os.name").toLowerCase(java.util.Locale.ROOT) + (glibc ? "-gnu.so" : "-musl.so");
		return Carried.class.getResource(name) != null ? name : null;
	}

	/** Writes the resource to a file below a directory for temporary files. */
	Carried(String name, Path temporary) throws IOException {
		Path real = temporary.toRealPath();
		directory = createDirectory(real);
		try {
			checkPath(real);
			file = Files.createFile(directory.resolve(name), mode("rw-------"));
			try (InputStream resource = Carried.class.getResourceAsStream(name)) {
				Files.write(file, resource.readAllBytes());
			}
		} catch (IOException | RuntimeException problem) {
			close();
			throw problem;
		}
	}

	/** Not by Files.createTempDirectory: it draws from the default SecureRandom, perhaps this library's, which is not loaded yet. */
	private static Path createDirectory(Path real) throws IOException {
		for (;;) {
			try {
				return Files.createDirectory(
					real.resolve("cprng-" + ProcessHandle.current().pid() + "-" + Long.toHexString(System.nanoTime())), mode("rwx------"));
			} catch (FileAlreadyExistsException taken) {
				// The next name.
			}
		}
	}

	/** Refuses a path in which another user may rename a directory, and so could replace the library. */
	private void checkPath(Path real) throws IOException {
		Object user = attribute(directory, "uid"), administrator = attribute(real.getRoot(), "uid");
		for (Path above = real; above != null; above = above.getParent()) {
			int mode = (int) attribute(above, "mode");
			Object owner = attribute(above, "uid");
			if (!owner.equals(user) && !owner.equals(administrator))
				throw new IOException(above + " belongs to another user");
			if ((mode & WRITABLE_BY_OTHERS) != 0 && (mode & STICKY) == 0)
				throw new IOException("other users may rename files in " + above);
		}
	}

	private static Object attribute(Path path, String name) throws IOException {
		return Files.getAttribute(path, "unix:" + name, LinkOption.NOFOLLOW_LINKS);
	}

	private static FileAttribute<?> mode(String text) {
		return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
	}

	/** Removes the file and its directory; a loaded library stays loaded. */
	@Override
	public void close() throws IOException {
		if (file != null)
			Files.delete(file);
		Files.delete(directory);
	}
}
