"""What a hand did to a world, step by step: recorded by `abut play`, repeated bit for bit by `abut run`."""

from .actions import Action
from .played_drive import PlayedDrive
from .track import HandTrack, read_hand_track, write_hand_track

__all__ = ["Action", "HandTrack", "PlayedDrive", "read_hand_track", "write_hand_track"]
