/** Defines the options of an `Agent`, and merges the hooks of several hosts. */

import type {
  CompactionHooks,
  CompactionLimits,
  ContextHooks,
  Model,
  ModelFailure,
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
import type { CallPermissionCheck } from "./permissions/request.ts";
import type { BlobStore, Secrets, SkillFiles } from "./ports.ts";
import type { StateSection } from "./prompt/state-sections.ts";
import type { SystemPromptOptions } from "./prompt/system-prompt.ts";
import type { RewindOptions } from "./rewind-files.ts";
import type { RunLimits } from "./run-limits.ts";
import type { Tool } from "./tool.ts";
import type { RereadOptions } from "./tools/file-access.ts";

/** Options of an agent. */
export interface AgentOptions {
  readonly session: Session;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly runtime: Runtime;
  /** The working folder and the system prompt. */
  readonly systemPrompt?: SystemPromptOptions;
  /** A note for the model before the first message of this agent, e.g. that the end of the session was lost. */
  readonly openingNote?: string;
  readonly thinkingLevel?: ThinkingLevel;
  /** The limits of turns and cost that end a run. Default: none. */
  readonly runLimits?: RunLimits;
  /** When to compact and how much to keep. A function returns the limits of each model. */
  readonly limits?: CompactionLimits | LimitsForModel;
  /** Instructions for every summary, in addition to those of one request. */
  readonly instructions?: string;
  /** The summarizers in order of preference, before the one without a model. Default: the current model. */
  readonly summarizers?: readonly Summarizer[];
  /** Whether the summarizers are tried in this order (the default), or the cheapest first. */
  readonly summarizerOrder?: "listed" | "cheapest";
  readonly hooks?: AgentHooks;
  /** State outside the conversation that the model must know. */
  readonly stateSections?: readonly StateSection[];
  /** Without it every call is permitted, and the host is responsible for the tools. */
  readonly permissions?: CallPermissionCheck;
  /** Stores output that is too long for a result. Without it, the middle of such output is lost. */
  readonly blobs?: BlobStore;
  /** Pass the same object to the session, so that secrets are not written. Without it, nothing is redacted. */
  readonly secrets?: Secrets;
  /** Reads skill files. Without it, changes to a skill since it was loaded are not reported. */
  readonly skillFiles?: SkillFiles;
  /** Restores files on moves in the tree. Without it, no file is restored. */
  readonly rewind?: RewindOptions;
  /** Reads the files in use again after a compaction. Without it, the model has to read them itself. */
  readonly rereadFiles?: RereadOptions;
  /** Turns the failure of a request into a message that tells the user what to do next. Default: the failure's own message. */
  readonly describeFailure?: (failure: ModelFailure, model: ModelName) => string | Promise<string>;
  /** Called with every event, including those outside a run. */
  readonly onEvent?: AgentEventListener;
}

/** Returns the compaction limits of a model. */
export type LimitsForModel = (model: ModelName) => CompactionLimits;

/** All hooks of an agent, by event name. */
export interface AgentHooks extends ContextHooks, CompactionHooks, TreeHooks, RunHooks, ProviderHooks {}

/**
 * The hooks of each host run after those of the host before it. Failures are reported to every host. If one host sets `onFailure` to
 * `cancel`, a failed hook of any host cancels the operation.
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
    ...(hosts.some(({ isWaitingForUser }) => isWaitingForUser) && {
      isWaitingForUser: () => hosts.some(({ isWaitingForUser }) => isWaitingForUser?.()),
    }),
    ...(hosts.some(({ onFailure }) => onFailure === "cancel") && { onFailure: "cancel" as const }),
  };
}

type ReportHookFailure = (failure: HookFailure) => void;

/** A reporter that throws does not prevent the other ones from being called. */
function reportToAll([first, ...rest]: readonly ReportHookFailure[], failure: HookFailure): void {
  try {
    first?.(failure);
  } finally {
    if (rest.length > 0) reportToAll(rest, failure);
  }
}
