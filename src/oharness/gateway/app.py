"""The gateway over HTTP: routes, what every answer carries, and what becomes of errors."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from oharness.core.errors import OharnessError
from oharness.gateway import oauth
from oharness.gateway.attempts import TooManyAttempts
from oharness.gateway.cloud import Cloud
from oharness.gateway.database import DatabaseUnavailable
from oharness.gateway.deletion_runs import DeletionRuns
from oharness.gateway.forms import FormUnusable, read_form
from oharness.gateway.oauth import OAuth, OAuthFault, json_response
from oharness.gateway.openapi import openapi_document
from oharness.gateway.pages import DONE, Answer, Download, IsLeaving, NotSignedIn, Pages, Sent, Shown, status_of
from oharness.gateway.rendering import Renderer
from oharness.gateway.visits import (
    LANGUAGE_COOKIE,
    LANGUAGE_FIELD,
    Visit,
    chosen_language,
    language_of,
    session_cookie,
    visit_of,
)
from oharness.gateway.web_sessions import LIFETIME_S, is_form_token
from oharness.language.catalogue import Catalogue, msg
from oharness.language.sentences import error_sentence

REQUEST_S = 60.0
FORM_TOKEN_FIELD = "form_token"  # noqa: S105 - a field's name
_LOG = logging.getLogger("oharness.gateway")
_YEAR_S = 365 * 24 * 3600
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "img-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_OLD_FORM = msg(
    "This form was open for too long, or came from somewhere else. Go back, load the page again and repeat."
)
_NOTHING_HERE = msg("There is no such page.")
_FAULT = msg("The Cloud has a fault; it was written down. Try again in a moment.")
_TOO_SLOW = msg("That took too long. Try again in a moment.")

Handle = Callable[[Request], Awaitable[Response]]
ShowPage = Callable[[Visit], Awaitable[Answer]]
TakeForm = Callable[[Visit, Mapping[str, str]], Awaitable[Answer]]


class GatewayApp:
    """The endpoints; `app` is what a web server runs."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self._renderer = Renderer()
        self._deletion_runs = DeletionRuns(cloud.deletions)
        self._pages = Pages(cloud, self._deletion_runs)
        self.app = Starlette(
            routes=[*self._endpoints(), *self._page_routes()],
            exception_handlers={HTTPException: self._http_error},
            lifespan=self._lifespan,
        )

    def _endpoints(self) -> list[Route]:
        answers = OAuth(self.cloud)
        return [
            self._json(oauth.WELL_KNOWN_PATH, "well_known", answers.well_known),
            self._json(oauth.JWKS_PATH, "keys", answers.keys),
            self._json(oauth.DEVICE_AUTHORIZATION_PATH, "device_authorization", answers.device_authorization, "POST"),
            self._json(oauth.TOKEN_PATH, "token", answers.token, "POST"),
            self._json(oauth.REVOKE_PATH, "revoke", answers.revoke, "POST"),
            self._json("/healthz", "healthz", self._healthz),
            self._json("/readyz", "readyz", self._readyz),
            self._json("/metrics", "metrics", self._metrics),
            self._json("/openapi.json", "openapi", self._openapi),
            self._json("/style.css", "style", self._style),
        ]

    def _page_routes(self) -> list[Route]:
        pages = self._pages
        return [
            *self._page("/", "front", pages.front),
            *self._page("/sign-in", "sign_in", pages.sign_in_page, pages.sign_in),
            *self._page("/sign-up", "sign_up", pages.sign_up_page, pages.sign_up),
            *self._page("/sign-out", "sign_out", None, pages.sign_out),
            *self._page(oauth.DEVICE_PAGE_PATH, "device", pages.device_page, pages.device_code),
            *self._page("/device/answer", "device_answer", None, pages.device_answer),
            *self._page("/account", "account", pages.account_page),
            *self._page("/account/devices", "device_sign_out", None, pages.device_sign_out),
            *self._page("/account/password", "password", None, pages.password),
            *self._page("/account/export", "export", pages.export),
            *self._page("/account/delete", "delete_account", pages.delete_page, pages.delete),
            *self._page("/account/leaving", "leaving", pages.leaving_page, pages.leaving),
            *self._page("/teams", "teams", pages.teams_page, pages.team_new),
            *self._page("/teams/join", "team_join", None, pages.team_join),
            *self._page("/teams/{team}", "team", pages.team_page),
            *self._page("/teams/{team}/invite", "team_invite", None, pages.team_invite),
            *self._page("/teams/{team}/withdraw", "team_withdraw", None, pages.team_withdraw),
            *self._page("/teams/{team}/member", "team_member", None, pages.team_member),
            *self._page("/teams/{team}/leave", "team_leave", None, pages.team_leave),
            *self._page("/teams/{team}/delete", "team_delete", pages.team_delete_page, pages.team_delete),
        ]

    # --- the endpoints that are about the process

    async def _healthz(self, request: Request) -> Response:
        return json_response({"status": "ok"})

    async def _readyz(self, request: Request) -> Response:
        await self.cloud.database.answers()
        return json_response({"status": "ready"})

    async def _metrics(self, request: Request) -> Response:
        return Response(self.cloud.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _openapi(self, request: Request) -> Response:
        return json_response(openapi_document())

    async def _style(self, request: Request) -> Response:
        headers = {"cache-control": f"public, max-age={_YEAR_S}, immutable"}
        return Response(self._renderer.style, media_type="text/css", headers=headers)

    # --- endpoints that answer JSON

    def _json(self, path: str, name: str, handle: Handle, method: str = "GET") -> Route:
        return Route(path, self._measured(name, self._json_answered, handle), methods=[method])

    async def _json_answered(self, name: str, handle: Handle, request: Request) -> Response:
        try:
            return await handle(request)
        except OAuthFault as fault:
            return fault.response()
        except DatabaseUnavailable as error:
            self._database_failed(name, error)
            return OAuthFault("temporarily_unavailable", "The database does not answer.", 503, 10).response()
        except TimeoutError:
            return OAuthFault("temporarily_unavailable", "The request took too long.", 503, 10).response()
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception:  # noqa: BLE001 - a fault of ours must not show the caller anything but that
            self._has_a_fault(name)
            return OAuthFault("server_error", "The gateway has a fault; it was logged.", 500).response()

    # --- pages

    def _page(self, path: str, name: str, show: ShowPage | None, take: TakeForm | None = None) -> list[Route]:
        handle = _to_the_page_above if show is None else self._shown(show)
        routes = [Route(path, self._measured(name, self._page_answered, handle), methods=["GET"])]
        if take is not None:
            taken = self._measured(f"{name}_form", self._page_answered, self._taken(take))
            routes.append(Route(path, taken, methods=["POST"]))
        return routes

    def _shown(self, show: ShowPage) -> Handle:
        async def handle(request: Request) -> Response:
            if (language := chosen_language(request)) is not None:
                return self._speaking(request, language)
            visit = await visit_of(request, self.cloud)
            return await self._answer(visit, lambda: show(visit))

        return handle

    def _taken(self, take: TakeForm) -> Handle:
        async def handle(request: Request) -> Response:
            visit = await visit_of(request, self.cloud)
            try:
                form = await read_form(request)
            except FormUnusable as error:
                return self._message(visit, _OLD_FORM, error.status)
            came_from_us = is_form_token(self.cloud.secret, visit.cookie, form.get(FORM_TOKEN_FIELD, ""))
            if not (visit.had_cookie and came_from_us and _is_same_site(request)):
                return self._message(visit, _OLD_FORM, 403)
            return await self._answer(visit, lambda: take(visit, form))

        return handle

    async def _answer(self, visit: Visit, answer: Callable[[], Awaitable[Answer]]) -> Response:
        try:
            return self._response(visit, await answer())
        except NotSignedIn as error:
            return RedirectResponse("/sign-in?" + urlencode({"next": str(error)}), 303)
        except IsLeaving:
            return RedirectResponse("/account/leaving", 303)
        except DatabaseUnavailable:
            raise
        except OharnessError as error:
            return self._refused(visit, error)

    def _response(self, visit: Visit, answer: Answer) -> Response:
        match answer:
            case Shown():
                response = self._html(visit, answer)
                if isinstance(error := answer.fields.get("error"), TooManyAttempts):
                    self.cloud.metrics.count("throttled")
                    response.headers["retry-after"] = str(error.retry_after_s)
                return response
            case Sent():
                sent: Response = RedirectResponse(answer.to, 303)
                if answer.cookie is not None:
                    self._set_cookie(sent, answer.cookie)
                return sent
            case Download():
                text = json.dumps(answer.document, ensure_ascii=False, indent=2)
                headers = {"content-disposition": f'attachment; filename="{answer.name}"'}
                return Response(text, media_type="application/json", headers=headers)

    def _html(self, visit: Visit, shown: Shown) -> Response:
        done = DONE.get(visit.request.query_params.get("done", ""))
        told = visit.words.text(done) if done and shown.status == 200 else None
        html = self._renderer.page(shown.template, visit, **{"done": told, **shown.fields})
        response = Response(html, shown.status, media_type="text/html; charset=utf-8")
        if not visit.had_cookie:
            self._set_cookie(response, visit.cookie)
        return response

    def _message(self, visit: Visit, english: str, status: int) -> Response:
        return self._html(visit, Shown("message.html", {"problem": visit.words.text(english)}, status))

    def _refused(self, visit: Visit, error: OharnessError) -> Response:
        problem = error_sentence(error, visit.words)
        return self._html(visit, Shown("message.html", {"problem": problem}, status_of(error)))

    def _set_cookie(self, response: Response, cookie: str) -> None:
        response.set_cookie(
            session_cookie(self.cloud),
            cookie,
            max_age=LIFETIME_S,
            path="/",
            secure=self.cloud.settings.is_https,
            httponly=True,
            samesite="lax",
        )

    def _speaking(self, request: Request, language: str) -> Response:
        rest = [(name, value) for name, value in request.query_params.multi_items() if name != LANGUAGE_FIELD]
        response = RedirectResponse(request.url.path + (f"?{urlencode(rest)}" if rest else ""), 303)
        secure = self.cloud.settings.is_https
        response.set_cookie(LANGUAGE_COOKIE, language, max_age=_YEAR_S, secure=secure, httponly=True, samesite="lax")
        return response

    async def _page_answered(self, name: str, handle: Handle, request: Request) -> Response:
        try:
            return await handle(request)
        except DatabaseUnavailable as error:
            self._database_failed(name, error)
            return self._without_database(request, error_sentence(error, Catalogue(language_of(request))), 503)
        except TimeoutError:
            return self._without_database(request, _TOO_SLOW, 503)
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception:  # noqa: BLE001 - a fault of ours must not show the visitor anything but that
            self._has_a_fault(name)
            return self._without_database(request, _FAULT, 500)

    async def _http_error(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        response = self._without_database(request, _NOTHING_HERE, status)
        if isinstance(error, HTTPException) and error.headers:
            response.headers.update(error.headers)
        self._dress(response)
        return response

    def _without_database(self, request: Request, sentence: str, status: int) -> Response:
        """A page that says what is wrong, to a visitor of whom nothing is known."""
        words = Catalogue(language_of(request))
        visit = Visit(request, "", had_cookie=True, account=None, words=words, form_token="")
        return self._message(visit, sentence, status)

    # --- what all of them have in common

    def _measured(
        self, name: str, answered: Callable[[str, Handle, Request], Awaitable[Response]], handle: Handle
    ) -> Handle:
        async def endpoint(request: Request) -> Response:
            started = self.cloud.clock.monotonic()

            async def in_time(request: Request) -> Response:
                async with asyncio.timeout(REQUEST_S):
                    return await handle(request)

            response = await answered(name, in_time, request)
            self._dress(response)
            seconds = self.cloud.clock.monotonic() - started
            self.cloud.metrics.request(name, response.status_code, seconds)
            fields = {"endpoint": name, "status": response.status_code, "ms": round(seconds * 1000, 1)}
            _LOG.info("request", extra={"fields": fields})
            return response

        return endpoint

    def _dress(self, response: Response) -> None:
        for header, value in _HEADERS.items():
            response.headers.setdefault(header, value)
        response.headers.setdefault("cache-control", "no-store")
        if self.cloud.settings.is_https:
            response.headers["strict-transport-security"] = f"max-age={_YEAR_S}"

    def _database_failed(self, name: str, error: DatabaseUnavailable) -> None:
        self.cloud.metrics.count("database_errors")
        _LOG.warning("database failed", extra={"fields": {"endpoint": name, "reason": error.reason}})

    def _has_a_fault(self, name: str) -> None:
        self.cloud.metrics.count("internal_errors")
        _LOG.error("internal error", exc_info=True, extra={"fields": {"endpoint": name}})

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        await self.cloud.passwords.prepare()
        rounds = asyncio.create_task(self.cloud.housekeeping.run())
        try:
            yield
        finally:
            rounds.cancel()
            await asyncio.gather(rounds, return_exceptions=True)
            await self._deletion_runs.close()


async def _to_the_page_above(request: Request) -> Response:
    """Where there is only a form's answer to see: somebody loaded it again, or chose a language on it."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse((request.url.path.rpartition("/")[0] or "/") + query, 303)


def _is_same_site(request: Request) -> bool:
    """Browsers that say where a form comes from must not say that it is another site."""
    return request.headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")
