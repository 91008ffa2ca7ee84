"""The local web app: pages that plugins describe, drawn by renderers that are at home here."""
