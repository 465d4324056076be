import threading
import unittest

from limiter import Limiter
from settings import Settings


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class LimiterTest(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()

    def limiter(self, capacity=1, clients_max=10):
        return Limiter(Settings(capacity, 1.0, clients_max), self.clock)

    def test_a_busy_client_leaves_the_others_alone(self):
        limiter = self.limiter()
        self.assertEqual([limiter.check("a"), limiter.check("a")], [0, 1])
        self.assertEqual(limiter.check("b"), 0)

    def test_threads_never_share_a_token(self):
        limiter = self.limiter(capacity=50)
        passed = []

        def send():
            for _ in range(25):
                if limiter.check("a") == 0:
                    passed.append(1)

        threads = [threading.Thread(target=send) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(passed), 50)

    def test_idle_clients_are_forgotten(self):
        limiter = self.limiter(clients_max=3)
        for client in "abc":
            limiter.check(client)
        self.clock.now += 10
        limiter.check("d")
        self.assertEqual(len(limiter), 1)


if __name__ == "__main__":
    unittest.main()
