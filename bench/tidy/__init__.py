"""Notes that stay good, in figures: extraction, merging, findings. Each part is a module that can be run alone."""
