"""Every file this program keeps: plain blocking functions, one module per file or folder on disk."""
