"""What draws a page: one folder each, with templates, a style sheet and perhaps functions for the templates."""
