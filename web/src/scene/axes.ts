// The axes of space, wherever they are drawn.

/** Of x, y and z. */
export const AXIS_COLOURS = ['#d6392f', '#3d8f3a', '#2f6fd6'] as const
