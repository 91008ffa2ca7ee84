"""What the service counts, in Prometheus' text form; no account, project or note appears in it."""

from collections import Counter
from collections.abc import Mapping

_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_HELP = {
    "commit_retries": "Times a commit was judged again after the store did not say yes.",
    "manifest_writes": "Manifests written.",
    "manifest_conflicts": "Manifest writes that lost to another writer.",
    "store_unknown": "Writes of which the store did not say whether they happened.",
    "store_errors": "Requests that ended because the store did not answer.",
    "internal_errors": "Requests that ended with a fault of the service.",
    "rate_limited": "Requests turned away by the rate limit.",
    "replayed_commits": "Commits answered again from the record.",
}


class Metrics:
    """Counters of one process."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: dict[str, float] = {}
        self._buckets: dict[str, list[int]] = {}

    def count(self, name: str, by: int = 1) -> None:
        """Adds to a counter named in the help table."""
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
        for name, help_text in _HELP.items():
            lines += _family(f"oharness_sync_{name}_total", "counter", help_text)
            lines.append(f"oharness_sync_{name}_total {self._counts[name]}")
        lines += _family("oharness_sync_requests_total", "counter", "Finished requests.")
        for (endpoint, status), number in sorted(self._requests.items()):
            lines.append(
                f"oharness_sync_requests_total{_labels({'endpoint': endpoint, 'status': str(status)})} {number}"
            )
        lines += _family("oharness_sync_request_seconds", "histogram", "Time from request to answer.")
        for endpoint, buckets in sorted(self._buckets.items()):
            lines += self._histogram(endpoint, buckets)
        return "\n".join(lines) + "\n"

    def _histogram(self, endpoint: str, buckets: list[int]) -> list[str]:
        name = "oharness_sync_request_seconds"
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
