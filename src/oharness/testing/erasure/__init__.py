"""Made-up ends of accounts: erasure, commits, feeds and refreshes at once, in an order that a seed decides."""
