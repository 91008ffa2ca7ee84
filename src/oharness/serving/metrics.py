"""Counters and times of one service process, in Prometheus' text form."""

from collections import Counter
from collections.abc import Mapping

_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """What one process counts; `names` has each counter with its sentence, `prefix` stands before all of them."""

    def __init__(self, prefix: str, names: Mapping[str, str]) -> None:
        self._prefix = prefix
        self._names = names
        self._counts: Counter[str] = Counter()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: dict[str, float] = {}
        self._buckets: dict[str, list[int]] = {}

    def count(self, name: str, by: int = 1) -> None:
        """Adds to a counter that has a name."""
        self._counts[name] += by

    def request(self, endpoint: str, status: int, seconds: float) -> None:
        """One finished request."""
        self._requests[endpoint, status] += 1
        self._seconds[endpoint] = self._seconds.get(endpoint, 0.0) + seconds
        buckets = self._buckets.setdefault(endpoint, [0] * (len(_BOUNDS_S) + 1))
        for index, bound in enumerate(_BOUNDS_S):
            if seconds <= bound:
                buckets[index] += 1
        buckets[-1] += 1

    def text(self) -> str:
        """All of it, as `/metrics` answers."""
        lines: list[str] = []
        for name, help_text in self._names.items():
            lines += _family(f"{self._prefix}_{name}_total", "counter", help_text)
            lines.append(f"{self._prefix}_{name}_total {self._counts[name]}")
        lines += _family(f"{self._prefix}_requests_total", "counter", "Finished requests.")
        for (endpoint, status), number in sorted(self._requests.items()):
            lines.append(
                f"{self._prefix}_requests_total{_labels({'endpoint': endpoint, 'status': str(status)})} {number}"
            )
        lines += _family(f"{self._prefix}_request_seconds", "histogram", "Time from request to answer.")
        for endpoint, buckets in sorted(self._buckets.items()):
            lines += self._histogram(endpoint, buckets)
        return "\n".join(lines) + "\n"

    def _histogram(self, endpoint: str, buckets: list[int]) -> list[str]:
        name = f"{self._prefix}_request_seconds"
        bounds = [*(str(bound) for bound in _BOUNDS_S), "+Inf"]
        lines = [
            f"{name}_bucket{_labels({'endpoint': endpoint, 'le': bound})} {number}"
            for bound, number in zip(bounds, buckets, strict=True)
        ]
        label = _labels({"endpoint": endpoint})
        return [*lines, f"{name}_sum{label} {self._seconds[endpoint]:.6f}", f"{name}_count{label} {buckets[-1]}"]


def _family(name: str, kind: str, help_text: str) -> list[str]:
    return [f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"]


def _labels(labels: Mapping[str, str]) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels.items()) + "}"
