// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.commons.math3.exception.NotStrictlyPositiveException;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.RandomGeneratorAbstractTest;

/**
 * Commons Math's tests for generators, run on a stream, so that the verdict is the same each time.
 *
 * <p>They catch numbers that are not uniform or normal, bounds that are not held, and seeds that do not matter.
 */
public class CommonsMathTest extends RandomGeneratorAbstractTest {
	@Override
	protected RandomGenerator makeGenerator() {
		KeyedStream[] stream = {KeyedStream.ofSeed(1000)};
		Map<Method, Method> own = new HashMap<>();
		return (RandomGenerator) Proxy.newProxyInstance(
			getClass().getClassLoader(), new Class<?>[] {RandomGenerator.class}, (proxy, method, arguments) -> {
				if (method.getName().equals("setSeed")) {
					boolean array = arguments[0] instanceof int[];
					stream[0] = KeyedStream.ofSeed(array ? Arrays.hashCode((int[]) arguments[0]) : ((Number) arguments[0]).longValue());
					return null;
				}
				// The other methods have the platform's names.
				if (!own.containsKey(method))
					own.put(method, KeyedStream.class.getMethod(method.getName(), method.getParameterTypes()));
				try {
					return own.get(method).invoke(stream[0], arguments);
				} catch (InvocationTargetException refused) {
					throw new NotStrictlyPositiveException((int) arguments[0]); // the library's exception type
				}
			});
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
