"""What the VS Code extension and ghosttape share, written into the extension's folder."""
