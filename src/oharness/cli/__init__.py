"""From argv to the product and back to the terminal; the only place that prints."""
