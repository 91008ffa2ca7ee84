"""The wire shapes of sync, one module per endpoint, for client and service alike: pure."""
