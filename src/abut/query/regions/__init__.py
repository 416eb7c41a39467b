"""Where and with which features do two parts touch: points, lines and surfaces."""
