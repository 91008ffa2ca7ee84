"""One message catalogue for every frontend: English, 中文, Português, Français."""
