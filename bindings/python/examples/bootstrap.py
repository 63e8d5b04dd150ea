# SPDX-License-Identifier: BSD-2-Clause
# %% [markdown]
# # Bootstrap: a confidence interval for a median
#
# Draws many resamples with replacement from a sample, each by a row of random indexes. `Stream.integers` fills the array on all
# processors, with the same numbers for any number of processors.

# %%
import numpy as np

import cprng

# %% [markdown]
# Data with a known true median: an exponential distribution with mean 10 has the median 10 log 2.

# %%
data = cprng.Stream("data").fill_exponential(np.empty(400), mean=10.0)
true = 10 * np.log(2)


# %%
def bootstrap(data: np.ndarray, resamples: int, seed: str, threads: int = 0) -> np.ndarray:
    """Medians of the resamples."""
    indexes = cprng.Stream(seed).integers(len(data), size=(resamples, len(data)), dtype=np.int32, threads=threads)
    return np.median(data[indexes], axis=1)


medians = bootstrap(data, 4000, "resamples")
low, high = np.quantile(medians, (0.005, 0.995))
print(f"median {np.median(data):.3f}, 99 % between {low:.3f} and {high:.3f}, true {true:.3f}")

# %%
assert low < true < high
assert np.array_equal(bootstrap(data, 4000, "resamples", threads=1), medians)
assert not np.array_equal(bootstrap(data, 4000, "other resamples"), medians)
