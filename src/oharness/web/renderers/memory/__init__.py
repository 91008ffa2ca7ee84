"""The renderer `memory`: notes, sync, conflicts, backups and tidying as people read them."""
