"""Writes `docs/protocol/openapi.json`, as the service answers it at `/openapi.json`.

python scripts/openapi_document.py
"""

from pathlib import Path

from oharness.syncserver.openapi import openapi_document

PAGE = Path(__file__).parent.parent / "docs/protocol/openapi.json"

if __name__ == "__main__":
    PAGE.write_bytes(openapi_document() + b"\n")
