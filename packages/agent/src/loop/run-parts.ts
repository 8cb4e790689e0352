/** What a run needs: the session it works on, who speaks, what can be done and may be, and how much is too much. */

import type {
  CompactionHooks,
  CompactionLimits,
  ContextHooks,
  Model,
  Ports,
  Session,
  TreeHooks,
  Writer,
} from "@pith/context";
import type { Blobs } from "../blobs.ts";
import type { Permits } from "../permissions/permit.ts";
import type { Step } from "../step.ts";
import type { Tool } from "../tool.ts";

export interface RunParts {
  readonly session: Session;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly limits: CompactionLimits;
  /** Who writes summaries, in order of preference, and at last code; unless said, who speaks. */
  readonly writers: readonly Writer[] | undefined;
  readonly hooks: AgentHooks;
  /** Without it everything is permitted: whoever hands in the tools answers for them. */
  readonly permits: Permits | undefined;
  /** Without it, output that is too long loses its middle. */
  readonly blobs: Blobs | undefined;
  readonly ports: Ports;
  readonly step: Step;
  readonly signal: AbortSignal;
}

export interface AgentHooks extends ContextHooks, CompactionHooks, TreeHooks {}
