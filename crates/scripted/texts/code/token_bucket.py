"""A token bucket: a burst of `capacity` requests, then `rate` requests per second."""

import math
import time


class TokenBucket:
    """The tokens of one client. It has no lock of its own: the limiter holds one."""

    def __init__(self, capacity, rate, clock=time.monotonic):
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {capacity}")
        if rate <= 0:
            raise ValueError(f"rate must be above 0, not {rate}")
        self._capacity = capacity
        self._rate = rate
        self._clock = clock
        self._tokens = float(capacity)
        self._last = clock()

    def take(self):
        """Takes a token and returns 0, or returns the whole seconds to wait for one."""
        self._refill()
        if self._tokens >= 1:
            self._tokens -= 1
            return 0
        return math.ceil((1 - self._tokens) / self._rate)

    def is_full(self):
        self._refill()
        return self._tokens >= self._capacity

    def _refill(self):
        now = self._clock()
        elapsed = max(0.0, now - self._last)
        self._last = now
        self._tokens = min(self._capacity, self._tokens + elapsed * self._rate)
