"""What a note is: values and rules, no I/O. The sync service uses this package too."""
