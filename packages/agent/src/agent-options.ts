/** Defines what an `Agent` is built from, and merges the hooks of several hosts. */

import type {
  CompactionHooks,
  CompactionLimits,
  ContextHooks,
  Model,
  ModelName,
  Runtime,
  Session,
  Summarizer,
  ThinkingLevel,
  TreeHooks,
} from "@pith/context";
import type { HookFailure } from "@pith/context/host";
import type { Listen } from "./events.ts";
import type { ProviderHooks, RunHooks } from "./hooks/hooks.ts";
import type { RunLimits } from "./loop/run-limits.ts";
import type { Permits } from "./permissions/request.ts";
import type { Blobs, Secrets, Step } from "./ports.ts";
import type { SkillFiles } from "./prompt/skill.ts";
import type { Beginning } from "./prompt/system-prompt.ts";
import type { RewindParts } from "./session/rewind.ts";
import type { Tool } from "./tool.ts";

export interface AgentParts {
  readonly session: Session;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly ports: Runtime;
  /** Where it works, and what it is told before the first word. */
  readonly beginning?: Beginning;
  /** What the model is told once before the first message of this agent, e.g. that the end of the session was lost. */
  readonly openingNote?: string;
  readonly thinking?: ThinkingLevel;
  /** After how many turns, or at what cost, a run ends though the model would go on; without it, neither. */
  readonly runLimits?: RunLimits;
  /** What is too much; for each model its own, where it is a function. */
  readonly limits?: CompactionLimits | LimitsFor;
  /** What every summary should look at, beside what is asked for with one. */
  readonly instructions?: string;
  /** Who writes summaries, in order of preference, and at last code; the model that works, where nobody is named. */
  readonly writers?: readonly Summarizer[];
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

/** State beside the conversation, such as a to-do list: sent to the model when it changes, and again after a compaction. */
export interface StateSection {
  readonly name: string;
  /** Null where there is nothing to say. */
  readonly text: () => string | null;
}

/**
 * The hooks of each host run after those of the host before it. Every host is told what went wrong; an act does not happen without
 * a hook that failed as soon as one of them wants it so.
 */
export function joinedHooks(...hosts: readonly AgentHooks[]): AgentHooks {
  const joined: Record<string, unknown> = {};
  for (const host of hosts)
    for (const [name, hooks] of Object.entries(host))
      if (Array.isArray(hooks) && hooks.length > 0) joined[name] = [...((joined[name] as readonly []) ?? []), ...hooks];
  const reports = hosts.flatMap(({ report }) => report ?? []);
  return {
    ...joined,
    ...(reports.length > 0 && { report: (failure: HookFailure) => tellAll(reports, failure) }),
    ...(hosts.some(({ isWaitingForUser: isAsking }) => isAsking) && {
      isWaitingForUser: () => hosts.some(({ isWaitingForUser: isAsking }) => isAsking?.()),
    }),
    ...(hosts.some(({ onFailure }) => onFailure === "cancel") && { onFailure: "cancel" as const }),
  };
}

type Report = (failure: HookFailure) => void;

/** One that throws keeps nobody from hearing it. */
function tellAll([first, ...rest]: readonly Report[], failure: HookFailure): void {
  try {
    first?.(failure);
  } finally {
    if (rest.length > 0) tellAll(rest, failure);
  }
}
