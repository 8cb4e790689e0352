/** Defines the extensions of one session as the host program sees them. */

import type { Summarizer } from "@pith/context";
import type { HookFailure } from "@pith/context/host";
import type { AgentHooks, StateSection } from "../agent-options.ts";
import type { AgentEventListener } from "../events.ts";
import type { Tool } from "../tool.ts";
import type {
  CommandContext,
  Extension,
  ExtensionApi,
  ExtensionCommand,
  ExtensionContext,
  ExtensionRules,
} from "./api.ts";
import type { EventOf, ExtensionEventName, ResultOf } from "./events.ts";

/** What is loaded, before it has registered anything. */
export interface ExtensionModule {
  /** For people: a path, a package, or the name of one that comes with Pith. */
  readonly name: string;
  readonly extension: Extension;
}

export interface Extensions {
  /** What each registered, for people. */
  readonly list: readonly ExtensionInfo[];
  /** Why something of it does not count, for people. */
  readonly notes: readonly string[];
  readonly hooks: AgentHooks;
  readonly tools: readonly Tool[];
  readonly stateSections: readonly StateSection[];
  readonly summarizers: readonly Summarizer[];
  readonly rules: Required<ExtensionRules>;
  readonly commands: readonly CommandRegistration[];
  /** Told all that happens in the session; those that only listen are not waited for. */
  readonly onEvent: AgentEventListener;
  /** Asks those that listen to it, one after the other; what each answered. One that throws, hangs or answers nonsense has not answered. */
  dispatch<Name extends HostEventName>(
    event: EventOf<Name> & { readonly type: Name },
  ): Promise<readonly ResultOf<Name>[]>;
  /** From here on what they do reaches this session. */
  bind(acts: ExtensionActions): void;
  runCommand(command: CommandRegistration, words: string, context: CommandContext): Promise<CommandRunResult>;
}

/** What the program itself asks, beside what an agent does. */
export type HostEventName = Extract<
  ExtensionEventName,
  | "project_trust"
  | "resources_discover"
  | "session_start"
  | "session_before_switch"
  | "session_before_fork"
  | "session_shutdown"
  | "model_select"
  | "thinking_level_select"
  | "user_bash"
  | "ui_prompt_start"
  | "ui_prompt_end"
>;

export interface ExtensionInfo {
  readonly name: string;
  readonly events: readonly ExtensionEventName[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly states: readonly string[];
  readonly rules: readonly string[];
  readonly writes: boolean;
}

export interface CommandRegistration extends ExtensionCommand {
  /** Without its slash. */
  readonly name: string;
  /** Whose it is. */
  readonly extension: string;
}

/** `text` is what it answered, for people. */
export type CommandRunResult =
  | { readonly type: "ran"; readonly text?: string }
  | { readonly type: "failed"; readonly why: string };

/** What an extension can do once there is a session. */
export interface ExtensionActions
  extends Pick<
    ExtensionApi,
    "appendEntry" | "appendUsage" | "sendMessage" | "sendUserMessage" | "setLabel" | "setSessionName" | "openModel"
  > {
  context(): ExtensionContext;
}

/** What went wrong with one, and where. */
export interface ExtensionFailure extends HookFailure {
  readonly extension: string;
}

/** Reports what of an extension went wrong, and why. */
export type ReportError = (what: string, why: string) => void;
