"""The sync service: notes of many accounts as objects, one manifest per scope, no database."""
