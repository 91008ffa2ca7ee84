"""The composition root: `environment` reads settings once, `harness` puts the agent together."""
