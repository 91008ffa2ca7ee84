"""Where a request comes from; what reverse proxies say of that the web server has checked already."""

from starlette.requests import Request

from oharness.gateway.attempts import address_group


def caller_address(request: Request) -> str:
    """The caller's address as it is shown to a person."""
    return request.client.host[:64] if request.client else ""


def caller_group(request: Request) -> str:
    """Who is counted together with the caller."""
    return address_group(caller_address(request))
