import unittest

from token_bucket import TokenBucket


class Clock:
    """A clock that stands still until the test moves it."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class TokenBucketTest(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()

    def bucket(self, capacity=2, rate=1):
        return TokenBucket(capacity, rate, self.clock)

    def test_a_burst_passes_up_to_the_capacity(self):
        bucket = self.bucket(capacity=3)
        self.assertEqual([bucket.take() for _ in range(4)], [0, 0, 0, 1])

    def test_a_refused_request_takes_no_token(self):
        bucket = self.bucket(capacity=1)
        bucket.take()
        self.assertEqual([bucket.take() for _ in range(3)], [1, 1, 1])

    def test_tokens_come_back_at_the_rate(self):
        bucket = self.bucket(capacity=2, rate=2)
        bucket.take()
        bucket.take()
        self.clock.now += 0.5
        self.assertEqual(bucket.take(), 0)

    def test_a_long_rest_does_not_overfill(self):
        bucket = self.bucket(capacity=2)
        self.clock.now += 3600
        self.assertEqual([bucket.take() for _ in range(3)], [0, 0, 1])

    def test_nonsense_is_refused(self):
        for capacity, rate in [(0, 1), (1, 0), (1, -1)]:
            with self.assertRaises(ValueError):
                self.bucket(capacity, rate)

    def test_a_clock_that_goes_back_takes_no_tokens(self):
        bucket = self.bucket(capacity=2)
        self.clock.now -= 60
        self.assertEqual([bucket.take(), bucket.take()], [0, 0])

    def test_less_than_a_second_is_still_a_wait(self):
        bucket = self.bucket(capacity=1, rate=4)
        bucket.take()
        self.assertEqual(bucket.take(), 1)


if __name__ == "__main__":
    unittest.main()
