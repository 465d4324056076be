"""One token bucket per client."""

import threading
import time

from token_bucket import TokenBucket


class Limiter:
    def __init__(self, settings, clock=time.monotonic):
        self._settings = settings
        self._clock = clock
        self._buckets = {}
        self._lock = threading.Lock()

    def check(self, client):
        """Returns 0 if the request may pass, else the whole seconds to wait."""
        with self._lock:
            return self._bucket(client).take()

    def __len__(self):
        return len(self._buckets)

    def _bucket(self, client):
        if client not in self._buckets:
            if len(self._buckets) >= self._settings.clients_max:
                self._forget_idle()
            self._buckets[client] = self._new_bucket()
        return self._buckets[client]

    def _new_bucket(self):
        return TokenBucket(self._settings.capacity, self._settings.rate, self._clock)

    def _forget_idle(self):
        # A full bucket says no more than a new one would.
        self._buckets = {c: b for c, b in self._buckets.items() if not b.is_full()}
