# SPDX-License-Identifier: BSD-2-Clause
"""A second implementation of Fortuna, written from "Cryptography Engineering", 9.4 and 9.5; shares nothing with src/.

Whole messages instead of running hashes, a list instead of a queue of cells, Python's integers, and the ciphers of
another library.
"""

import hashlib

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

POOLS = 32
QUEUE = 256
INTERVAL = 100_000_000
PIECE_AES = 1 << 20

BLOCK_SIZE = {"aes256-ctr": 16, "chacha20": 64}


def hd(message):
    return hashlib.sha256(hashlib.sha256(bytes(64) + message).digest()).digest()


def keystream(engine, key, counter, length):
    """length bytes of the cipher from the block with this number on"""
    if engine == "aes256-ctr":
        cipher = Cipher(algorithms.AES(key), modes.CTR(counter.to_bytes(16, "big")))
        return cipher.encryptor().update(bytes(length))
    # Uses runs that do not pass a multiple of 2^32, since libraries may not carry there.
    out = b""
    while length > 0:
        take = min(length, 64 * ((1 << 32) - counter % (1 << 32)))
        nonce = (counter % (1 << 64)).to_bytes(8, "little") + (counter >> 64).to_bytes(8, "little")
        out += Cipher(algorithms.ChaCha20(key, nonce), mode=None).encryptor().update(bytes(take))
        counter = (counter + take // 64) % (1 << 128)
        length -= take
    return out


class Generator:
    def __init__(self, engine):
        self.engine = engine
        self.key = bytes(32)
        self.counter = 0

    def step(self, blocks):
        self.counter = (self.counter + blocks) % (1 << 128)

    def reseed(self, seed):
        self.key = hd(self.key + seed)
        self.step(1)

    def piece(self, length):
        size = BLOCK_SIZE[self.engine]
        out = keystream(self.engine, self.key, self.counter, length)
        self.step(-(-length // size))
        self.key = keystream(self.engine, self.key, self.counter, 32)
        self.step(-(-32 // size))
        return out

    def read(self, length):
        """Returns None before the first seeding"""
        if self.counter == 0:
            return None
        out = b""
        while length > 0:
            take = min(length, PIECE_AES) if self.engine == "aes256-ctr" else length
            out += self.piece(take)
            length -= take
        return out


class Fortuna:
    """An event is (source, entropy_bits, payload)."""

    def __init__(self, engine, pool_min):
        self.generator = Generator(engine)
        self.pool_min = pool_min
        self.now = 0
        self.queue = []
        self.dropped = 0
        self.events = 0
        self.pools = [b""] * POOLS
        self.entropy_bits = [0] * POOLS
        self.next_pool = {}
        self.reseeds = 0
        self.last_reseed = None

    def put(self, event):
        if len(self.queue) == QUEUE:
            self.dropped += 1
        else:
            self.queue.append(event)

    def add(self, event):
        source, entropy_bits, payload = event
        pool = self.next_pool.get(source, 0)
        self.next_pool[source] = (pool + 1) % POOLS
        self.pools[pool] += bytes([source, len(payload)]) + payload
        self.entropy_bits[pool] += entropy_bits
        self.events += 1

    def due(self):
        if self.entropy_bits[0] < 8 * self.pool_min:
            return False
        if self.last_reseed is None:
            return True
        return abs(self.now - self.last_reseed) >= INTERVAL

    def reseed_if_due(self):
        if not self.due():
            return
        self.reseeds += 1
        self.last_reseed = self.now
        seed = b""
        for i in range(POOLS):
            if self.reseeds % (1 << i) == 0:
                seed += hd(self.pools[i])
                self.pools[i] = b""
                self.entropy_bits[i] = 0
        self.generator.reseed(seed)

    def add_events(self, events):
        """the queue's events, then these; returns how many there were in the queue"""
        waiting, self.queue = self.queue, []
        for event in waiting + list(events):
            self.add(event)
        self.reseed_if_due()
        return len(waiting)

    def seed(self, seed):
        self.generator.reseed(seed)

    def read(self, length):
        self.add_events([])
        return self.generator.read(length)
