import unittest

from gate import Gate
from limiter import Limiter
from settings import parse


def hello(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"hello"]


class GateTest(unittest.TestCase):
    def setUp(self):
        self.gate = Gate(hello, Limiter(parse("30/minute burst 1"), clock=lambda: 0.0))

    def get(self, address="192.0.2.1"):
        seen = {}

        def start_response(status, headers):
            seen.update(status=status, headers=dict(headers))

        body = b"".join(self.gate({"REMOTE_ADDR": address}, start_response))
        return seen["status"], seen["headers"], body

    def test_a_request_that_passes_reaches_the_application(self):
        self.assertEqual(self.get(), ("200 OK", {"Content-Type": "text/plain"}, b"hello"))

    def test_a_request_too_many_is_told_when_to_come_back(self):
        self.get()
        status, headers, body = self.get()
        self.assertEqual((status, headers["Retry-After"]), ("429 Too Many Requests", "2"))
        self.assertEqual(headers["Content-Length"], str(len(body)))

    def test_another_address_is_another_client(self):
        self.get()
        self.assertEqual(self.get("192.0.2.2")[0], "200 OK")


if __name__ == "__main__":
    unittest.main()
