"""The real sync service in this process, on objects in memory, with tokens to talk to it.

    server = SyncServer(clock, randomness)
    async with server.client() as http:
        answer = await http.get("/v1/memory/identity", headers=server.headers("ann"))

Nothing in it waits for real time or starts a thread, so that a test with a seed sees the same order of events
every time.
"""

from collections.abc import Sequence
from typing import Any

import httpx2
import jwt

from oharness.core.clock import Clock
from oharness.core.randomness import Randomness
from oharness.protocol.claims import AUDIENCE
from oharness.protocol.quotas import PlanLimits, Quota
from oharness.protocol.versions import CURRENT, PROTOCOL_HEADER
from oharness.syncserver.app import Parts, SyncService, run_here
from oharness.syncserver.auth import SharedSecret, Verifier
from oharness.syncserver.entitlements import Entitlements
from oharness.syncserver.objects.base import ObjectStore
from oharness.syncserver.objects.ram import RamObjects
from oharness.syncserver.rate_limit import NoLimit, RateLimit
from oharness.syncserver.standing import Limits

ORIGIN = "http://sync.test"
ADMIN_KEY = "the admin key of tests"
SECRET = "a shared secret for tests, long enough for HS256"
ISSUER = "https://cloud.test"
FREE_LIMITS = PlanLimits(200, 16_384)


class SyncServer:
    """A service, its store, and the keys to both."""

    def __init__(
        self,
        clock: Clock,
        randomness: Randomness,
        *,
        store: ObjectStore | None = None,
        quota: Quota | None = None,
        free_limits: PlanLimits = FREE_LIMITS,
        rate_limit: RateLimit | None = None,
        only_old_protocol: bool = False,
    ) -> None:
        self.clock = clock
        self.store: ObjectStore = RamObjects(clock) if store is None else store
        self.service = SyncService(
            Parts(
                store=self.store,
                verifier=Verifier(SharedSecret(SECRET), clock, AUDIENCE, ISSUER),
                missing="",
                limits=Limits(quota or Quota(), Entitlements(project=free_limits, user=free_limits)),
                rate_limit=rate_limit or NoLimit(),
                clock=clock,
                randomness=randomness,
                offload=run_here,
                only_old_protocol=only_old_protocol,
                admin_key=ADMIN_KEY,
            )
        )
        self.app = self.service.app

    def client(self) -> httpx2.AsyncClient:
        """An HTTP client that calls the service without a socket."""
        return httpx2.AsyncClient(transport=self.transport(), base_url=ORIGIN)

    def transport(self) -> httpx2.ASGITransport:
        """The service as a transport for an HTTP client of one's own."""
        return httpx2.ASGITransport(app=self.app)

    def token(
        self,
        account: str = "ann",
        *,
        plan: str = "free",
        teams: Sequence[tuple[str, str]] = (),
        minutes: float = 15,
        **changed: Any,
    ) -> str:
        """An access token as the gateway would sign it; `changed` replaces claims, None leaves one out."""
        now = self.clock.now_ms() // 1000
        claims: dict[str, Any] = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": account,
            "iat": now,
            "exp": now + round(minutes * 60),
            "jti": f"{account}-{now}",
            "ent": {"plan": plan, "teams": [{"id": team, "plan": team_plan} for team, team_plan in teams]},
        }
        claims = {name: value for name, value in (claims | changed).items() if value is not None}
        return jwt.encode(claims, SECRET, algorithm="HS256")

    def headers(self, account: str = "ann", **options: Any) -> dict[str, str]:
        """The headers of a request of version 2."""
        return {
            "authorization": f"Bearer {self.token(account, **options)}",
            "content-type": "application/json",
            PROTOCOL_HEADER: str(CURRENT),
        }
