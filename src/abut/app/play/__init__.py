"""Parts in the hand, in a browser: `abut play`."""
