"""What runs inside of a sandbox that stays open, and where it is there."""

from pathlib import Path

from runners.protocol import Mount

FOLDER = "/warm"
INSIDE = Mount(Path(__file__).parent, FOLDER)
