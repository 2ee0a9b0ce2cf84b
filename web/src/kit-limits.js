// Limits of a capture kit. Generated from shared/api by scripts/generate.

/** Maximum characters of an instruction. */
export const INSTRUCTION_CHARS = 160;

/** Maximum characters of a tip. */
export const TIP_CHARS = 120;

/** Maximum paths of an outline. */
export const OUTLINE_PATHS = 8;

/** Maximum bytes of all paths of an outline together, in canonical form. */
export const OUTLINE_BYTES = 4096;

/** Width of the canvas of an outline. Its height follows from the framing. */
export const OUTLINE_WIDTH = 1000;

/** How far a coordinate may lie outside of the canvas of an outline. */
export const OUTLINE_MARGIN = 100;

/** Maximum radius of an arc in an outline. */
export const OUTLINE_RADIUS = 2000;
