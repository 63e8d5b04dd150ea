// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import static org.junit.jupiter.api.Assertions.*;

import java.io.*;
import java.math.BigInteger;
import java.security.*;
import java.util.*;
import javax.crypto.KeyGenerator;
import org.junit.jupiter.api.Test;

class SecureRandomTest {
	private static final Provider PROVIDER = new CprngProvider();

	static SecureRandom of(String algorithm) {
		try {
			return SecureRandom.getInstance(algorithm, PROVIDER);
		} catch (NoSuchAlgorithmException problem) {
			throw new AssertionError(problem);
		}
	}

	// Catches a provider that the platform does not find, or treats differently than others.
	@Test
	void theProviderIsOne() throws GeneralSecurityException {
		assertTrue(ServiceLoader.load(Provider.class).stream().anyMatch(found -> found.type() == CprngProvider.class));
		for (String algorithm : List.of("cprng", "cprng-strong")) {
			SecureRandom random = of(algorithm);
			assertEquals(algorithm, random.getAlgorithm());
			assertSame(PROVIDER, random.getProvider());
			// Otherwise the platform takes a lock around each call.
			assertEquals("true", PROVIDER.getService("SecureRandom", algorithm).getAttribute("ThreadSafe"));
			assertThrows(NoSuchAlgorithmException.class,
				() -> SecureRandom.getInstance(algorithm, DrbgParameters.instantiation(128, DrbgParameters.Capability.NONE, null), PROVIDER));
		}
		Security.insertProviderAt(PROVIDER, 1);
		try {
			assertEquals("cprng", new SecureRandom().getAlgorithm());
			assertEquals("cprng", SecureRandom.getInstance("cprng").getAlgorithm());
			// Platform classes that draw on their own also use it.
			assertNotEquals(UUID.randomUUID(), UUID.randomUUID());
		} finally {
			Security.removeProvider(PROVIDER.getName());
		}
		assertNotEquals("cprng", new SecureRandom().getAlgorithm());
	}

	// Catches a seed that makes numbers reproducible, as SHA1PRNG's do, or that is refused at some length.
	@Test
	void seedsReplaceNothing() {
		for (String algorithm : List.of("cprng", "cprng-strong"))
			for (int length : new int[] {0, 1, 32, 33, 5000}) {
				SecureRandom one = of(algorithm), other = of(algorithm);
				byte[] seed = new byte[length];
				one.setSeed(seed);
				other.setSeed(seed);
				assertNotEquals(one.nextLong(), other.nextLong());
				assertTrue(Arrays.equals(seed, new byte[length]));
			}
		SecureRandom random = of("cprng");
		random.setSeed(42);
		// More events than Fortuna's queue holds.
		for (int i = 0; i < 5000; i++)
			random.setSeed(i);
	}

	// Catches a reseed that the platform reports as unsupported, and silently ignored parameters.
	@Test
	void reseedsAndParameters() {
		SecureRandom random = of("cprng");
		long before = random.nextLong();
		random.reseed();
		assertNotEquals(before, random.nextLong());
		assertThrows(IllegalArgumentException.class, () -> random.reseed(DrbgParameters.reseed(true, null)));
		assertThrows(UnsupportedOperationException.class, () -> random.nextBytes(new byte[8], DrbgParameters.nextBytes(128, true, null)));
		assertEquals(null, random.getParameters());
	}

	// Catches seeds of a wrong length, or equal ones.
	@Test
	void generateSeed() {
		SecureRandom random = of("cprng");
		assertEquals(0, random.generateSeed(0).length);
		assertEquals(77, random.generateSeed(77).length);
		assertFalse(Arrays.equals(random.generateSeed(16), random.generateSeed(16)));
		assertThrows(IllegalArgumentException.class, () -> random.generateSeed(-1));
	}

	// Catches a generator that is serialized as if it had a state.
	@Test
	void serializationIsRefused() throws Exception {
		try (ObjectOutputStream out = new ObjectOutputStream(new ByteArrayOutputStream())) {
			String message = assertThrows(NotSerializableException.class, () -> out.writeObject(of("cprng"))).getMessage();
			assertTrue(message.contains("nothing to serialize"), message);
		}
	}

	// Catches a generator that the platform's own classes cannot use.
	@Test
	void thePlatformDrawsFromIt() throws GeneralSecurityException {
		SecureRandom random = of("cprng");
		KeyGenerator aes = KeyGenerator.getInstance("AES");
		aes.init(256, random);
		assertFalse(Arrays.equals(aes.generateKey().getEncoded(), aes.generateKey().getEncoded()));
		KeyPairGenerator pairs = KeyPairGenerator.getInstance("EC");
		pairs.initialize(256, random);
		var pair = pairs.generateKeyPair();
		Signature signature = Signature.getInstance("SHA256withECDSA");
		signature.initSign(pair.getPrivate(), random);
		signature.update(new byte[10]);
		byte[] signed = signature.sign();
		signature.initVerify(pair.getPublic());
		signature.update(new byte[10]);
		assertTrue(signature.verify(signed));
		assertTrue(BigInteger.probablePrime(256, random).isProbablePrime(50));
		assertEquals(100, random.ints(100, 0, 6).filter(i -> i >= 0 && i < 6).count());
		assertTrue(random.nextGaussian() < 20);
	}
}
