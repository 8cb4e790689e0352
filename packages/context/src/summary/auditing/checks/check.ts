/** What every check is handed: the text, line by line, the log, and the shape a summary has. */

import type { Evidence } from "../evidence.ts";
import type { Flaw } from "../flaw.ts";
import type { StoryLine } from "../story/place-lines.ts";

export interface StoryFormat {
  /** Required headings in order, e.g. `## Goal`. */
  readonly sections: readonly string[];
  /** How many it may have at most. */
  readonly tokens: number;
}

export interface Audited {
  readonly story: string;
  readonly lines: readonly StoryLine[];
  readonly evidence: Evidence;
  readonly format: StoryFormat;
}

export type Check = (audited: Audited) => readonly Flaw[];

/** A check that looks at each line by itself. */
export type LineCheck = (line: StoryLine, evidence: Evidence) => Flaw | null;
