"""What a review needs of a body, so that it is read once for each version of a note and not again."""

from dataclasses import dataclass

from oharness.tidy.named_paths import named_paths


@dataclass(frozen=True, slots=True)
class BodyFacts:
    """How many characters a body has, and the relative paths it names."""

    characters: int
    paths: tuple[str, ...]


def body_facts(body: str) -> BodyFacts:
    """The facts of one body."""
    return BodyFacts(len(body), named_paths(body))
