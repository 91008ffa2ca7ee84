"""What every service process does the same way: settings from variables, JSON log lines, numbers for Prometheus."""
