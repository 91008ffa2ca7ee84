"""Built-in plugins, each registered through the same host as any other."""
