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
import type { AgentEventListener } from "./events.ts";
import type { ProviderHooks, RunHooks } from "./hooks/hooks.ts";
import type { RunLimits } from "./loop/run-limits.ts";
import type { PermissionCheck } from "./permissions/request.ts";
import type { BlobStore, RunStep, Secrets, SkillFiles } from "./ports.ts";
import type { SystemPromptOptions } from "./prompt/system-prompt.ts";
import type { RewindOptions } from "./session/rewind-files.ts";
import type { Tool } from "./tool.ts";

export interface AgentOptions {
  readonly session: Session;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly runtime: Runtime;
  /** Where it works, and what it is told before the first word. */
  readonly systemPrompt?: SystemPromptOptions;
  /** What the model is told once before the first message of this agent, e.g. that the end of the session was lost. */
  readonly openingNote?: string;
  readonly thinkingLevel?: ThinkingLevel;
  /** After how many turns, or at what cost, a run ends though the model would go on; without it, neither. */
  readonly runLimits?: RunLimits;
  /** What is too much; for each model its own, where it is a function. */
  readonly limits?: CompactionLimits | LimitsForModel;
  /** What every summary should look at, beside what is asked for with one. */
  readonly instructions?: string;
  /** Who writes summaries, in order of preference, and at last code; the model that works, where nobody is named. */
  readonly summarizers?: readonly Summarizer[];
  readonly hooks?: AgentHooks;
  /** What goes on beside the conversation, and the model must know. */
  readonly stateSections?: readonly StateSection[];
  /** Without it everything is permitted: whoever hands in the tools answers for them. */
  readonly permissions?: PermissionCheck;
  /** Without it, output that is too long loses its middle. */
  readonly blobs?: BlobStore;
  /** Given to the session as well, so that no secret is written; without it, all is written as it is. */
  readonly secrets?: Secrets;
  /** Where skills lie; without it nobody says that one has changed since it was loaded. */
  readonly skillFiles?: SkillFiles;
  /** Where files are put back as they were; without it none are. */
  readonly rewind?: RewindOptions;
  readonly runStep?: RunStep;
  /** Told everything that happens, also what happens outside a run. */
  readonly onEvent?: AgentEventListener;
}

/** What is too much for a model. */
export type LimitsForModel = (to: ModelName) => CompactionLimits;

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
export function mergeHooks(...hosts: readonly AgentHooks[]): AgentHooks {
  const merged: Record<string, unknown> = {};
  for (const host of hosts)
    for (const [name, hooks] of Object.entries(host))
      if (Array.isArray(hooks) && hooks.length > 0) merged[name] = [...((merged[name] as readonly []) ?? []), ...hooks];
  const reporters = hosts.flatMap(({ report }) => report ?? []);
  return {
    ...merged,
    ...(reporters.length > 0 && { report: (failure: HookFailure) => reportToAll(reporters, failure) }),
    ...(hosts.some(({ isWaitingForUser: isWaiting }) => isWaiting) && {
      isWaitingForUser: () => hosts.some(({ isWaitingForUser: isWaiting }) => isWaiting?.()),
    }),
    ...(hosts.some(({ onFailure }) => onFailure === "cancel") && { onFailure: "cancel" as const }),
  };
}

type ReportHookFailure = (failure: HookFailure) => void;

/** One that throws keeps nobody from hearing it. */
function reportToAll([first, ...rest]: readonly ReportHookFailure[], failure: HookFailure): void {
  try {
    first?.(failure);
  } finally {
    if (rest.length > 0) reportToAll(rest, failure);
  }
}
