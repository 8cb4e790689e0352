/** What the page of what fills the context is made from. */

import type { ContextReport } from "../../../../commands/fitting/context-report.ts";
import type { Meter } from "../../../state/facts.ts";

export interface ContextPageParts {
  readonly report: ContextReport;
  readonly meter: Meter;
  /** What the bottom of the page says. */
  readonly next: readonly string[];
  /** An entry, word for word. */
  readonly entryText: (id: string) => string;
}
