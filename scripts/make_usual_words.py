"""Writes `src/oharness/recall/usual/<language>.py` from word counts of two MIT-licensed packages.

`pyspellchecker` counts words of film subtitles in en, fr, pt, es, de and ru; `jieba` those of Chinese texts, from which
the frequency of a pair of characters follows: within words as counted, across two words as if those were
drawn independently. Run it with both installed beside oHarness:

    uv run --with pyspellchecker --with jieba python scripts/make_usual_words.py
"""

import gzip
import importlib.util
import json
import math
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from oharness.recall.words import fold

LANGUAGES = ("en", "fr", "pt", "es", "de", "ru")
WORDS_OF_A_TEXT = 50
STEP = 0.6
RAREST = 0.001
TARGET = Path(__file__).parents[1] / "src" / "oharness" / "recall" / "usual"


def folder_of(package: str) -> Path:
    """Where an installed package lies."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed")
    return Path(spec.origin).parent


def subtitle_words(language: str) -> Counter[str]:
    """Counts of folded words."""
    with gzip.open(folder_of("spellchecker") / "resources" / f"{language}.json.gz", "rt", encoding="utf-8") as file:
        counts: Counter[str] = Counter()
        for word, count in json.load(file).items():
            if word.isalpha():
                counts[fold(word)] += count
    return counts


def chinese_pairs() -> Counter[str]:
    """Counts of pairs of Chinese characters in running text, and of characters that are words by themselves."""
    pairs: Counter[str] = Counter()
    firsts: Counter[str] = Counter()
    lasts: Counter[str] = Counter()
    total = 0
    for line in (folder_of("jieba") / "dict.txt").read_text(encoding="utf-8").splitlines():
        word, text, _ = line.split(" ")
        if not all("\u4e00" <= char <= "\u9fff" for char in word):
            continue
        count = int(text)
        total += count
        firsts[word[0]] += count
        lasts[word[-1]] += count
        if len(word) == 1:
            pairs[word] += count
        for at in range(len(word) - 1):
            pairs[word[at : at + 2]] += count
    for last, ends in lasts.most_common(1500):
        for first, starts in firsts.most_common(1500):
            pairs[last + first] += round(ends / total * starts)
    return pairs


def by_share(counts: Mapping[str, int]) -> dict[float, list[str]]:
    """Words under the share of texts of fifty words that hold them, in steps."""
    total = sum(counts.values())
    levels: dict[float, list[str]] = {}
    for word, count in counts.items():
        share = 1 - math.exp(-WORDS_OF_A_TEXT * count / total)
        if share >= RAREST:
            level = round(STEP ** round(math.log(share, STEP)), 4)
            levels.setdefault(level, []).append(word)
    return {level: sorted(levels[level]) for level in sorted(levels, reverse=True)}


def module(language: str, levels: Mapping[float, list[str]]) -> Iterator[str]:
    """The lines of a module."""
    yield f'"""Usual words ({language}), made by scripts/make_usual_words.py; sources and licences in NOTICE."""'
    yield ""
    yield "SHARES = {"
    for level, words in levels.items():
        yield f'    {level}: """'
        width = 55 if language == "zh" else 110
        yield from textwrap.wrap(" ".join(words), width, break_long_words=False, break_on_hyphens=False)
        yield '""",'
    yield "}"
    yield '"""The share of texts of fifty words that hold a word, for each word that is not rare."""'


def main() -> None:
    """Writes all seven modules."""
    sources = {language: subtitle_words(language) for language in LANGUAGES} | {"zh": chinese_pairs()}
    for language, counts in sources.items():
        levels = by_share(counts)
        text = "\n".join(module(language, levels)) + "\n"
        (TARGET / f"{language}.py").write_text(text, encoding="utf-8")
        print(language, sum(map(len, levels.values())), "words", len(text.encode()) // 1024, "KiB")


if __name__ == "__main__":
    main()
