"""Limits as people write them: `60/minute burst 10`."""

import re
from dataclasses import dataclass

SECONDS = {"second": 1, "minute": 60, "hour": 3600}
LIMIT = re.compile(r"(?P<count>\d+)/(?P<unit>[a-z]+)(?: burst (?P<burst>\d+))?")


@dataclass(frozen=True)
class Settings:
    capacity: int
    rate: float
    clients_max: int = 10_000


def parse(text):
    """Reads a limit. Without a burst, all requests of one unit may come at once."""
    found = LIMIT.fullmatch(text.strip())
    if found is None or found["unit"] not in SECONDS:
        raise ValueError(f"not a limit: {text!r}; write it like '60/minute burst 10'")
    count = int(found["count"])
    capacity = int(found["burst"] or count)
    if count == 0 or capacity == 0:
        raise ValueError(f"a limit of 0 lets nothing pass: {text!r}")
    return Settings(capacity=capacity, rate=count / SECONDS[found["unit"]])
