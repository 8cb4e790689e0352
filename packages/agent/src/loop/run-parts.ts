/** What a run needs: the session it works on, who speaks, what can be done, and how much is too much. */

import type { CompactionLimits, Model, Ports, Session, ThinkingLevel, Writer } from "@pith/context";
import type { Step } from "../step.ts";
import type { Tool } from "../tool.ts";

export interface RunParts {
  readonly session: Session;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly limits: CompactionLimits;
  /** Who writes summaries, in order of preference; where none of them can, code does. */
  readonly writers: readonly Writer[];
  readonly thinking?: ThinkingLevel | undefined;
  readonly ports: Ports;
  readonly step: Step;
  readonly signal: AbortSignal;
}
