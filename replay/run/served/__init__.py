"""The simulator as commands of the language server, under these names."""

REPLAY = "ghosttape.replay"
PLAYBACK = "ghosttape.playback"
MOMENTS = "ghosttape.run.moments"
MOMENT = "ghosttape.run.moment"
