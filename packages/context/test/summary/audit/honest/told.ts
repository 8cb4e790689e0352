/** A small session as it is told, and the summary a good model would write of it. */

export interface Told {
  readonly title: string;
  /** For `story(...)`. */
  readonly session: readonly string[];
  readonly summary: string;
}
