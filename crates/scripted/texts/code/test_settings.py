import unittest

from settings import Settings, parse


class SettingsTest(unittest.TestCase):
    def test_good_limits_are_read(self):
        for text, capacity, rate in [
            ("60/minute burst 10", 10, 1.0),
            ("5/second", 5, 5.0),
            (" 7200/hour burst 1 ", 1, 2.0),
        ]:
            self.assertEqual(parse(text), Settings(capacity, rate))

    def test_bad_limits_are_quoted(self):
        for text in ["", "60", "60/fortnight", "60/minute burst", "-1/second", "0/second"]:
            with self.assertRaisesRegex(ValueError, repr(text)):
                parse(text)


if __name__ == "__main__":
    unittest.main()
