// SPDX-License-Identifier: BSD-2-Clause
package io.github.cprng;

import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.util.List;
import java.util.Map;

/**
 * A security provider with two algorithms of {@link java.security.SecureRandom}: {@code cprng}, and {@code cprng-strong}, the
 * process's Fortuna, for long-lived keys.
 *
 * <p>{@code SecureRandom.getInstance("cprng", new CprngProvider())} needs no set-up.  After
 * {@code Security.insertProviderAt(new CprngProvider(), 1)}, or with {@code security.provider.1=cprng} in the file of
 * security properties, {@code new SecureRandom()} uses {@code cprng}.
 */
public final class CprngProvider extends Provider {
	private static final long serialVersionUID = 1;
	/** The C library's version.  A constant, because the provider must exist without the library; tests compare the two. */
	static final String VERSION = "0.1.0";

	/** The provider; each generator checks whether the C library is available. */
	public CprngProvider() {
		super("cprng", VERSION, "cprng " + VERSION + ": SecureRandom of the C library");
		putService(new RandomService(this, "cprng", false));
		putService(new RandomService(this, "cprng-strong", true));
	}

	private static final class RandomService extends Service {
		private final boolean strong;

		RandomService(Provider provider, String algorithm, boolean strong) {
			super(provider, "SecureRandom", algorithm, CprngSecureRandom.class.getName(), List.of(),
				Map.of("ThreadSafe", "true", "ImplementedIn", "Software"));
			this.strong = strong;
		}

		@Override
		public Object newInstance(Object parameter) throws NoSuchAlgorithmException {
			if (parameter != null)
				throw new NoSuchAlgorithmException(getAlgorithm() + " takes no parameters");
			try {
				return new CprngSecureRandom(strong);
			} catch (LinkageError problem) {
				// Programs that ask for several generators try the next one.
				throw new NoSuchAlgorithmException(problem.getMessage(), problem);
			}
		}
	}
}
