/** The numbers that bound everything, in one place. */

export interface FormatLimits {
  /** Longest line that is read or written, in bytes. */
  readonly lineBytes: number;
  /** Deepest nesting of objects and lists in one line. */
  readonly depth: number;
}

export const formatLimits: FormatLimits = { lineBytes: 32 * 1024 * 1024, depth: 200 };
