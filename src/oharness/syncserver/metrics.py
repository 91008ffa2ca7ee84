"""What the sync service counts; no account, project or note appears in it."""

from oharness.serving import metrics

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


class Metrics(metrics.Metrics):
    """Counters of one sync service."""

    def __init__(self) -> None:
        super().__init__("oharness_sync", _HELP)
