"""`oharness gateway`: the Cloud's accounts and sign-in, with the help pages of this command line."""

from typing import Any

import click

from oharness.cli.extras import needing_extra
from oharness.cli.grammar import Group
from oharness.gateway.commands import gateway_group


class GatewayGroup(Group):
    """A group whose commands need the packages of the extra `gateway`."""

    def invoke(self, ctx: click.Context) -> Any:
        with needing_extra("gateway", "gateway"):
            return super().invoke(ctx)


gateway = gateway_group(GatewayGroup)
