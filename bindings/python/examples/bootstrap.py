# SPDX-License-Identifier: BSD-2-Clause
# %% [markdown]
# # Bootstrap: a confidence interval of a median
#
# Samples with replacement from a sample: an array of random indexes for each. `Stream.integers` fills it on all
# processors, with the same numbers for any number of them.

# %%
import numpy as np

import cprng

# %% [markdown]
# Data whose true median is known: that of an exponential distribution of mean 10 is 10 log 2.

# %%
data = cprng.Stream("data").fill_exponential(np.empty(400), mean=10.0)
true = 10 * np.log(2)


# %%
def bootstrap(data: np.ndarray, resamples: int, seed: str, threads: int = 0) -> np.ndarray:
    """Medians of that many resamples."""
    indexes = cprng.Stream(seed).integers(len(data), size=(resamples, len(data)), dtype=np.int32, threads=threads)
    return np.median(data[indexes], axis=1)


medians = bootstrap(data, 4000, "resamples")
low, high = np.quantile(medians, (0.005, 0.995))
print(f"median {np.median(data):.3f}, 99 % between {low:.3f} and {high:.3f}, true {true:.3f}")

# %%
assert low < true < high
assert np.array_equal(bootstrap(data, 4000, "resamples", threads=1), medians)
assert not np.array_equal(bootstrap(data, 4000, "other resamples"), medians)
