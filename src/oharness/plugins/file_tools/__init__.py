"""Tools on the project's files: read, write, edit, list, search, run a command, and `task`."""
