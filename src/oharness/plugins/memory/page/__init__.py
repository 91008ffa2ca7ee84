"""The Memory page: what it shows and what people can do on it, as plain values. How it looks is the host's part."""
