/** What an agent is made of: a session, somebody who speaks, and what can be done; the rest may be left out. */

import type {
  CompactionHooks,
  CompactionLimits,
  ContextHooks,
  Model,
  ModelName,
  Ports,
  Session,
  ThinkingLevel,
  TreeHooks,
  Writer,
} from "@pith/context";
import type { Blobs } from "./blobs.ts";
import type { Listen } from "./events.ts";
import type { ProviderHooks } from "./hooks/provider-hooks.ts";
import type { RunHooks } from "./hooks/run-hooks.ts";
import type { Permits } from "./permissions/permit.ts";
import type { Beginning } from "./prompt/establish.ts";
import type { StateSection } from "./prompt/state-sections.ts";
import type { RewindParts } from "./rewind/plan-rewind.ts";
import type { Secrets } from "./secrets.ts";
import type { SkillFiles } from "./skills/skill.ts";
import type { Step } from "./step.ts";
import type { Tool } from "./tool.ts";

export interface AgentParts {
  readonly session: Session;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly ports: Ports;
  /** Where it works, and what it is told before the first word. */
  readonly beginning?: Beginning;
  readonly thinking?: ThinkingLevel;
  /** What is too much; for each model its own, where it is a function. */
  readonly limits?: CompactionLimits | LimitsFor;
  /** What every summary should look at, beside what is asked for with one. */
  readonly instructions?: string;
  /** Who writes summaries, in order of preference, and at last code; the model that works, where nobody is named. */
  readonly writers?: readonly Writer[];
  /** Tokens that stay free of the window of whoever tells a branch; without it, all of the branch is told. */
  readonly branchReserve?: number;
  readonly hooks?: AgentHooks;
  /** What goes on beside the conversation, and the model must know. */
  readonly states?: readonly StateSection[];
  /** Without it everything is permitted: whoever hands in the tools answers for them. */
  readonly permits?: Permits;
  /** Without it, output that is too long loses its middle. */
  readonly blobs?: Blobs;
  /** Given to the session as well, so that no secret is written; without it, all is written as it is. */
  readonly secrets?: Secrets;
  /** Where skills lie; without it nobody says that one has changed since it was loaded. */
  readonly skills?: SkillFiles;
  /** Where files are put back as they were; without it none are. */
  readonly rewind?: RewindParts;
  readonly step?: Step;
  /** Told everything that happens, also what happens outside a run. */
  readonly listen?: Listen;
}

/** What is too much for a model. */
export type LimitsFor = (to: ModelName) => CompactionLimits;

export interface AgentHooks extends ContextHooks, CompactionHooks, TreeHooks, RunHooks, ProviderHooks {}
