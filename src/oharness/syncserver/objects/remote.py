"""Objects in a bucket (S3, R2, MinIO, GCS, Azure) through obstore, with every doubtful answer kept doubtful.

The library's retries are off for writes (P-44): a write that succeeded and was repeated looks like a loss. Reading
is repeated by the library.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotFoundError,
    NotModifiedError,
    PreconditionError,
)
from obstore.store import AzureStore, GCSStore, S3Store, from_url
from obstore.store import ObjectStore as Bucket

from oharness.syncserver.objects.base import (
    Absent,
    Found,
    ListedObject,
    Moved,
    Reading,
    SameVersion,
    Stored,
    StoreUnavailable,
    StoreVersion,
    Unknown,
    Written,
)

_from_url: Any = from_url  # its overloads want to know the kind of store before the URL is read
_AT_ONCE = 32
_TIMEOUT = "10s"
_RETRY_FOR = timedelta(seconds=6)
_GCS = "gs://"
_S3_VARIABLES = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
)
_R2_HOST = ".r2.cloudflarestorage.com"


def open_bucket(url: str, environment: Mapping[str, str]) -> "RemoteObjects":
    """The bucket of a URL; credentials and endpoint come from the store's usual variables (`AWS_…`, `GOOGLE_…`).

    Raises: ValueError for a URL or a setting that the library does not take.
    """
    options: dict[str, Any] = {"timeout": _TIMEOUT, "connect_timeout": "5s"}
    if environment.get("AWS_ENDPOINT_URL", "").startswith("http://"):
        options["allow_http"] = True
    config = {name: environment[name] for name in _S3_VARIABLES if environment.get(name)}
    arguments: dict[str, Any] = {"client_options": options}
    if url.startswith(("s3://", "s3a://", "https://")) and config:
        arguments["config"] = config
    try:
        reader = _from_url(url, retry_config=_retries(3), **arguments)
        writer = _from_url(url, retry_config=_retries(0), **arguments)
    except (BaseError, ValueError) as error:
        raise ValueError(_first_line(error)) from error
    if not isinstance(reader, S3Store | GCSStore | AzureStore):
        raise ValueError("this is not the address of a bucket")
    return RemoteObjects(reader, writer, 1.0 if _is_slow(url, environment) else 0.0)


def _is_slow(url: str, environment: Mapping[str, str]) -> bool:
    """Whether the store takes one write a second and object at most: R2 and GCS."""
    return url.startswith(_GCS) or _R2_HOST in url or _R2_HOST in environment.get("AWS_ENDPOINT_URL", "")


def _retries(count: int) -> Any:
    return {"max_retries": count, "retry_timeout": _RETRY_FOR}


class RemoteObjects:
    """An `ObjectStore` in a bucket."""

    def __init__(self, reader: Bucket, writer: Bucket, min_write_interval_s: float = 0.0) -> None:
        self._reader = reader
        self._writer = writer
        self._min_write_interval_s = min_write_interval_s

    @property
    def min_write_interval_s(self) -> float:
        return self._min_write_interval_s

    async def start(self) -> None:
        return None

    async def read(self, key: str) -> Reading:
        reading = await self._get(key, None)
        if isinstance(reading, SameVersion):
            raise StoreUnavailable(key, "not modified, though nothing was asked about")
        return reading

    async def read_unless(self, key: str, known: StoreVersion) -> Reading | SameVersion:
        return await self._get(key, known)

    async def read_many(self, keys: Sequence[str]) -> list[Reading]:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(key: str) -> Reading:
            async with gate:
                return await self.read(key)

        return await _all_of([one(key) for key in keys])

    async def create(self, key: str, value: bytes) -> Written:
        return await self._put(key, value, "create")

    async def create_many(self, objects: Mapping[str, bytes]) -> dict[str, Written]:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(key: str, value: bytes) -> Written:
            async with gate:
                return await self.create(key, value)

        written = await _all_of([one(key, value) for key, value in objects.items()])
        return dict(zip(objects, written, strict=True))

    async def replace(self, key: str, value: bytes, known: StoreVersion) -> Written:
        return await self._put(key, value, {"e_tag": known})

    async def put(self, key: str, value: bytes) -> Written:
        return await self._put(key, value, "overwrite")

    async def remove(self, keys: Sequence[str]) -> int:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def one(key: str) -> bool:
            async with gate:
                return await self._remove(key)

        return sum(await _all_of([one(key) for key in keys]))

    async def list_under(self, prefix: str) -> AsyncIterator[ListedObject]:
        if not prefix.endswith("/"):
            raise ValueError("a prefix ends in a slash")
        try:
            async for batch in obstore.list(self._reader, prefix.removesuffix("/")):
                for meta in batch:
                    modified_ms = int(meta["last_modified"].timestamp() * 1000)
                    yield ListedObject(meta["path"], meta["size"], modified_ms)
        except (BaseError, OSError) as error:
            raise StoreUnavailable(prefix, _first_line(error)) from error

    async def _remove(self, key: str) -> bool:
        try:
            await obstore.head_async(self._reader, key)
            await obstore.delete_async(self._writer, key)
        except (NotFoundError, FileNotFoundError):
            return False
        except (BaseError, OSError) as error:
            raise StoreUnavailable(key, _first_line(error)) from error
        return True

    async def _get(self, key: str, known: StoreVersion | None) -> Reading | SameVersion:
        try:
            answer = await obstore.get_async(
                self._reader, key, options=None if known is None else {"if_none_match": known}
            )
            value = bytes(await answer.bytes_async())
        except (NotFoundError, FileNotFoundError):
            return Absent()
        except NotModifiedError:
            return SameVersion()
        except (BaseError, OSError) as error:
            raise StoreUnavailable(key, _first_line(error)) from error
        meta = answer.meta
        if not meta["e_tag"]:
            raise StoreUnavailable(key, "the store gives no version (ETag)")
        return Found(value, StoreVersion(meta["e_tag"]), int(meta["last_modified"].timestamp() * 1000))

    async def _put(self, key: str, value: bytes, mode: Any) -> Written:
        try:
            result = await obstore.put_async(self._writer, key, value, mode=mode, use_multipart=False)
        except (AlreadyExistsError, PreconditionError):
            return Moved()
        except (BaseError, OSError) as error:
            return Unknown(_first_line(error))
        e_tag = result["e_tag"]
        return Stored(StoreVersion(e_tag) if e_tag else None)


async def _all_of(waiting: list[Any]) -> list[Any]:
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in waiting]
    except BaseExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]


def _first_line(error: BaseException) -> str:
    return str(error).split("\n")[0][:300]
