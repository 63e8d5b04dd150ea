// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandomParameters;
import java.security.SecureRandomSpi;
import java.util.Arrays;

/** Implements {@link java.security.SecureRandom} for {@link CprngProvider}.  It has no state of its own. */
final class CprngSecureRandom extends SecureRandomSpi {
	private static final long serialVersionUID = 1;
	/** The largest event that Fortuna takes. */
	private static final int EVENT = 32;
	/** The last of the application's sources, since programs begin with the first. */
	private static final int SOURCE = 127;

	private final boolean strong;

	CprngSecureRandom(boolean strong) {
		Library.require();
		this.strong = strong;
	}

	@Override
	protected void engineNextBytes(byte[] bytes) {
		if (strong)
			Cprng.strong(bytes);
		else
			Cprng.nextBytes(bytes);
	}

	/** Returns bytes from Fortuna: a seed may serve a generator for a long time. */
	@Override
	protected byte[] engineGenerateSeed(int count) {
		if (count < 0)
			throw new IllegalArgumentException("cprng: " + count + " bytes of a seed");
		byte[] seed = new byte[count];
		Cprng.strong(seed);
		return seed;
	}

	/** Mixes the seed into the process's Fortuna.  No state is replaced, so equal seeds do not give equal numbers. */
	@Override
	protected void engineSetSeed(byte[] seed) {
		byte[] event = seed.length <= EVENT ? seed : digest(seed);
		if (!Cprng.addEntropy(SOURCE, event, 0)) {
			// A read makes Fortuna take queued events.
			Cprng.strong(new byte[1]);
			Cprng.addEntropy(SOURCE, event, 0);
		}
		if (event != seed)
			Arrays.fill(event, (byte) 0);
	}

	private static byte[] digest(byte[] seed) {
		try {
			return MessageDigest.getInstance("SHA-256").digest(seed);
		} catch (NoSuchAlgorithmException impossible) {
			throw new AssertionError(impossible); // every platform has SHA-256
		}
	}

	@Override
	protected void engineReseed(SecureRandomParameters parameters) {
		if (parameters != null)
			throw new IllegalArgumentException("cprng: a reseed takes no parameters");
		Cprng.reseed();
	}

	@Override
	public String toString() {
		return strong ? "cprng-strong" : "cprng";
	}

	private void writeObject(ObjectOutputStream stream) throws IOException {
		throw refused();
	}

	private void readObject(ObjectInputStream stream) throws IOException {
		throw refused();
	}

	private static NotSerializableException refused() {
		return new NotSerializableException("a SecureRandom of cprng has nothing to serialize: make one where it is used");
	}
}
