/** A small session, and the summary that a good model would write of it. */

export interface HonestSummary {
  readonly title: string;
  /** Lines for `story(...)`. */
  readonly session: readonly string[];
  readonly summary: string;
}
