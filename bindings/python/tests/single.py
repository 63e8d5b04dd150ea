# SPDX-License-Identifier: BSD-2-Clause
"""A stream's numbers one by one, made from its bytes by docs/streams-specification.md, to compare arrays with."""

import numpy as np

import cprng


class Single:
    def __init__(self, seed):
        self.stream = cprng.Stream(seed)

    def word(self, size):
        return int.from_bytes(self.stream.read(size), "little")

    def tell(self):
        return self.stream.offset

    def double(self):
        return (self.word(8) >> 11) / 2**53

    def float(self):
        return (self.word(4) >> 8) / 2**24

    def uniform(self, bound):
        bits = 32 if bound < 2**32 else 64
        while True:
            product = self.word(bits // 8) * bound
            if product % 2**bits >= 2**bits % bound:
                return product >> bits

    def order(self, size):
        order = list(range(size))
        for last in range(size - 1, 0, -1):
            chosen = self.uniform(last + 1)
            order[last], order[chosen] = order[chosen], order[last]
        return order

    def normal(self, mu, sigma):
        return self.stream.fill_normal(np.empty(1), mu, sigma).item()

    def exponential(self, mean):
        return self.stream.fill_exponential(np.empty(1), mean).item()
