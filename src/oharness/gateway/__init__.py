"""Accounts, sign-in, teams, plans and tokens of the Cloud: a process that asks the sync service over HTTP."""
