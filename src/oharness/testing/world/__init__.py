"""A made-up world of a few machines and one service, played through from a seed, and judged from outside."""
