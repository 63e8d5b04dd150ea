// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.util.Objects;
import java.util.random.RandomGenerator;
import org.apache.commons.rng.UniformRandomProvider;

/**
 * A generator of this package for code that takes a {@code UniformRandomProvider} of Commons RNG, for example its samplers.  It makes
 * each number as the generator does, so the numbers of a {@link KeyedStream} are those of its own methods.
 *
 * <p>The class needs {@code commons-rng-client-api} 1.5 or later, which this package does not bring with it.
 */
@SuppressWarnings("exports") // only programs that have the interface use this class
public final class CommonsRandom implements UniformRandomProvider {
	private final RandomGenerator generator;

	/**
	 * Adapts a generator.
	 * @param generator {@link Cprng#generator()}, for any number of threads, or a {@link KeyedStream}, for one
	 */
	public CommonsRandom(RandomGenerator generator) {
		this.generator = Objects.requireNonNull(generator);
	}

	@Override
	public void nextBytes(byte[] bytes) { generator.nextBytes(bytes); }

	@Override
	public void nextBytes(byte[] bytes, int start, int count) {
		Objects.checkFromIndexSize(start, count, bytes.length);
		byte[] part = new byte[count];
		generator.nextBytes(part);
		System.arraycopy(part, 0, bytes, start, count);
		java.util.Arrays.fill(part, (byte) 0);
	}

	@Override
	public int nextInt() { return generator.nextInt(); }

	@Override
	public int nextInt(int bound) { return generator.nextInt(bound); }

	@Override
	public int nextInt(int from, int below) { return generator.nextInt(from, below); }

	@Override
	public long nextLong() { return generator.nextLong(); }

	@Override
	public long nextLong(long bound) { return generator.nextLong(bound); }

	@Override
	public long nextLong(long from, long below) { return generator.nextLong(from, below); }

	@Override
	public boolean nextBoolean() { return generator.nextBoolean(); }

	@Override
	public float nextFloat() { return generator.nextFloat(); }

	@Override
	public double nextDouble() { return generator.nextDouble(); }

	@Override
	public String toString() { return generator.toString(); }
}
