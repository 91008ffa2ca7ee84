"""Accounts, sign-in, teams, plans and tokens of the Cloud: a process of its own that asks the sync service over HTTP."""
