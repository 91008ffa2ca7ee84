"""Settings as values: the table of them, and which layer decides. Reading the files is `disk.config_files`."""
