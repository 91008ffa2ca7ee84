"""Where the service keeps its objects: one interface, three kinds of store."""
