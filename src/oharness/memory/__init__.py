"""The running memory of a scope, for embedders and the plugin; knows no harness and no HTTP."""
