"""Does a step's motion bring any two features too close? The check of many moving pairs, with its memory."""
