// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import org.apache.commons.math3.exception.NotStrictlyPositiveException;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.RandomGeneratorAbstractTest;

/**
 * Commons Math's tests for generators, run on a stream, so that the verdict is the same each time.
 *
 * <p>They catch numbers that are not uniform or normal, bounds that are not held, and seeds that do not matter.
 */
public class CommonsMathTest extends RandomGeneratorAbstractTest {
	private static final class Adapter implements RandomGenerator {
		private KeyedStream stream = KeyedStream.ofSeed(1000);

		@Override
		public void setSeed(int seed) {
			setSeed((long) seed);
		}

		@Override
		public void setSeed(int[] seed) {
			setSeed(java.util.Arrays.hashCode(seed));
		}

		@Override
		public void setSeed(long seed) {
			stream = KeyedStream.ofSeed(seed);
		}

		@Override
		public void nextBytes(byte[] bytes) {
			stream.nextBytes(bytes);
		}

		@Override
		public int nextInt() {
			return stream.nextInt();
		}

		@Override
		public int nextInt(int bound) {
			if (bound <= 0)
				throw new NotStrictlyPositiveException(bound); // the library's exception type
			return stream.nextInt(bound);
		}

		@Override
		public long nextLong() {
			return stream.nextLong();
		}

		@Override
		public boolean nextBoolean() {
			return stream.nextBoolean();
		}

		@Override
		public float nextFloat() {
			return stream.nextFloat();
		}

		@Override
		public double nextDouble() {
			return stream.nextDouble();
		}

		@Override
		public double nextGaussian() {
			return stream.nextGaussian();
		}
	}

	@Override
	protected RandomGenerator makeGenerator() {
		return new Adapter();
	}

	// Omitted: these test the platform's SecureRandom, and fail by chance.

	@Override
	public void testNextSecureLongIAE() {}

	@Override
	public void testNextSecureLongNegativeToPositiveRange() {}

	@Override
	public void testNextSecureLongNegativeRange() {}

	@Override
	public void testNextSecureLongPositiveRange() {}

	@Override
	public void testNextSecureIntIAE() {}

	@Override
	public void testNextSecureIntNegativeToPositiveRange() {}

	@Override
	public void testNextSecureIntNegativeRange() {}

	@Override
	public void testNextSecureIntPositiveRange() {}

	@Override
	public void testNextSecureHex() {}
}
