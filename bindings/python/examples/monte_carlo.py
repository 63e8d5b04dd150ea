# SPDX-License-Identifier: BSD-2-Clause
# %% [markdown]
# # Monte Carlo: the price of an option
#
# The payoff of a European call under geometric Brownian motion, whose expectation is known in closed form. Paths are
# divided into tasks; task `i` uses child `i` of the experiment's stream. So the estimate does not depend on the number of
# threads, and a longer run contains the shorter one.

# %%
from concurrent.futures import ThreadPoolExecutor
from math import erf, exp, log, sqrt

import numpy as np

import cprng

SPOT, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 105.0, 0.03, 0.2, 1.0
EXPERIMENT = cprng.Stream("option, first run")
PATHS_OF_A_TASK = 50_000


# %% [markdown]
# One task. `fill_normal` releases the interpreter's lock, and takes 8 bytes of the stream for each number. `-z` has the same
# distribution as `z`, so each number is used twice (antithetic variates).

# %%
def task(number: int) -> tuple[float, float]:
    z = EXPERIMENT.child(number).fill_normal(np.empty(PATHS_OF_A_TASK), threads=1)
    drift, spread = (RATE - VOLATILITY**2 / 2) * YEARS, VOLATILITY * sqrt(YEARS)
    payoffs = [np.maximum(SPOT * np.exp(drift + spread * sign * z) - STRIKE, 0.0) for sign in (1, -1)]
    values = exp(-RATE * YEARS) * (payoffs[0] + payoffs[1]) / 2
    return float(values.sum()), float((values**2).sum())


def estimate(tasks: int, threads: int) -> tuple[float, float]:
    """The price and its standard error."""
    with ThreadPoolExecutor(threads) as pool:
        sums = list(pool.map(task, range(tasks)))
    n = tasks * PATHS_OF_A_TASK
    mean = sum(one for one, _ in sums) / n
    return mean, sqrt((sum(two for _, two in sums) / n - mean**2) / n)


# %% [markdown]
# The Black-Scholes formula gives the price in closed form.

# %%
def cumulative(x: float) -> float:
    return (1 + erf(x / sqrt(2))) / 2


spread = VOLATILITY * sqrt(YEARS)
d1 = (log(SPOT / STRIKE) + (RATE + VOLATILITY**2 / 2) * YEARS) / spread
exact = SPOT * cumulative(d1) - STRIKE * exp(-RATE * YEARS) * cumulative(d1 - spread)

# %%
price, error = estimate(tasks=20, threads=4)
print(f"simulated {price:.4f} ± {error:.4f}, exact {exact:.4f}")

# %% [markdown]
# One thread gives the same result, to the last bit:

# %%
assert estimate(tasks=20, threads=1) == (price, error)
assert abs(price - exact) < 6 * error
