"""Which plan an account has, and which teams with theirs: what a token says of its holder."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from oharness.gateway.accounts import Account, Standing
from oharness.gateway.database import MEMBERS, TEAMS
from oharness.protocol.claims import Claims, TeamClaim


async def claims_of(connection: AsyncConnection, account: Account) -> Claims:
    """The claims of an account as it is now; teams that are leaving are not listed."""
    listed = (
        select(TEAMS.c.id, TEAMS.c.plan)
        .join(MEMBERS, MEMBERS.c.team_id == TEAMS.c.id)
        .where(MEMBERS.c.account_id == account.id, TEAMS.c.state == Standing.ACTIVE)
        .order_by(TEAMS.c.id)
    )
    teams = tuple(TeamClaim(row.id, row.plan) for row in await connection.execute(listed))
    return Claims(account.id, account.plan, teams)
