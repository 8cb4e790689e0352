/** Defines the extension API: what an extension registers, calls and sees, and how a host program runs extensions. */

import type { Entry, Model, ModelName, Summarizer, UsageEntry } from "@pith/context";
import type { HookFailure } from "@pith/context/host";
import type { UserContent } from "../agent.ts";
import type { AgentHooks } from "../agent-options.ts";
import type { AgentEventListener } from "../events.ts";
import type { StateSection } from "../prompt/state-sections.ts";
import type { Tool } from "../tool.ts";
import type { EventOf, ExtensionEventName, ResultOf } from "./events.ts";

/** An extension: a function that runs before the session starts and registers what it adds. */
export type Extension = (pith: ExtensionApi) => void | Promise<void>;

/** What an extension calls. The `register…` methods and `on` work until the function returns, all others from `session_start` on. */
export interface ExtensionApi {
  on<Name extends ExtensionEventName>(event: Name, handler: ExtensionListener<Name>): void;
  /** Adds a tool for the model. A name that is already in use is refused. */
  registerTool(tool: ExtensionTool): void;
  /** Adds a slash command. A name that is already in use is refused. */
  registerCommand(name: string, command: ExtensionCommand): void;
  /** Adds a text that the model gets whenever it changes, and again after a compaction; null removes it. */
  registerState(name: string, text: () => string | null): void;
  /** Adds a summarizer that is tried before Pith's own. Its summaries are validated like any other. */
  registerSummarizer(summarizer: Summarizer): void;
  /** Adds permission rules in the user's notation, such as `bash(git push)`. A deny rule overrides every allow rule. */
  registerRules(rules: ExtensionRules): void;
  /** Stores data of the extension in the session. The model does not see it. */
  appendEntry(customType: string, data?: unknown): Promise<void>;
  /** Adds the usage of a model that was called outside of this session to the session's totals. */
  appendUsage(usage: ExtensionUsage): Promise<void>;
  /** Sends a message to the model that does not count as the user's. */
  sendMessage(message: ExtensionMessage, options?: SendOptions): Promise<void>;
  /** Sends a message as if the user had typed it. */
  sendUserMessage(content: UserContent, options?: Pick<SendOptions, "deliverAs">): Promise<void>;
  /** Sets the label of an entry; undefined removes it. */
  setLabel(entryId: string, label: string | undefined): Promise<void>;
  setSessionName(name: string): Promise<void>;
  /** Opens a model by `provider/model`, with the user's keys; null if it is not available. */
  openModel(name: string): Promise<Model | null>;
}

/** The usage of a model that an extension called itself. */
export type ExtensionUsage = Pick<UsageEntry, "kind" | "provider" | "model" | "usage" | "note">;

/** Handles an event; what it returns is the result for that event. */
export type ExtensionListener<Name extends ExtensionEventName> = (
  event: EventOf<Name>,
  context: ExtensionContext,
) => // biome-ignore lint/suspicious/noConfusingVoidType: a handler that only listens returns nothing.
Promise<ResultOf<Name> | undefined | void> | ResultOf<Name> | undefined | void;

/** A tool of an extension. Unless `isIdempotent` is true, it is not run again after a crash. Unless `isConcurrent` is true, its calls run alone. */
export type ExtensionTool = Omit<Tool, "isIdempotent"> & { readonly isIdempotent?: boolean };

/** A slash command of an extension. */
export interface ExtensionCommand {
  /** What it does, in one line. */
  readonly description: string;
  /** The expected arguments, such as `[name]`; shown in help and completions. */
  readonly argumentHint?: string;
  /** `args` is the text after the name. The returned text is shown to the user. */
  run(args: string, context: CommandContext): Promise<string | undefined>;
}

/** Permission rules of an extension, in the user's notation. */
export interface ExtensionRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

/** A message from an extension to the model. */
export interface ExtensionMessage {
  readonly customType: string;
  readonly content: string;
  /** Whether the user sees it too; true by default. */
  readonly display?: boolean;
  readonly details?: unknown;
}

/** When a message of an extension reaches the model. */
export interface SendOptions {
  /** During a run: before its next request (`steer`), when the model has finished (`followUp`), or with the next user message. */
  readonly deliverAs?: "steer" | "followUp" | "nextTurn";
  /** Whether to start a run if none is active. */
  readonly triggerTurn?: boolean;
}

/** The second argument of every handler: the session, the model and the user interface. */
export interface ExtensionContext {
  readonly ui: ExtensionUi;
  /** Whether a user can answer questions. */
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly session: SessionView;
  readonly model: ModelName & Pick<Model, "contextWindow" | "maxTokens">;
  isIdle(): boolean;
  hasPendingMessages(): boolean;
  abort(): void;
  getContextUsage(): ContextUsage;
  /** Starts a compaction and returns at once. */
  compact(options?: ExtensionCompactOptions): void;
}

/** The context of a slash command. It can also navigate, fork and switch sessions. */
export interface CommandContext extends ExtensionContext {
  waitForIdle(): Promise<void>;
  navigateTree(
    target: string | null,
    options?: { readonly summarize?: boolean; readonly label?: string },
  ): Promise<CancellableResult>;
  newSession(): Promise<CancellableResult>;
  fork(entryId: string): Promise<CancellableResult>;
  switchSession(sessionPath: string): Promise<CancellableResult>;
  reload(): Promise<void>;
}

/** Whether an extension cancelled the operation; then nothing has changed. */
export interface CancellableResult {
  readonly cancelled: boolean;
}

/** Read access to the session. All entries are copies. */
export interface SessionView {
  readonly id: string;
  /** Null if the session is not saved. */
  readonly file: string | null;
  readonly name: string | null;
  readonly leafId: string | null;
  /** The entries of the current branch that are loaded: its newest part. */
  entries(): readonly Entry[];
  /** All entries of the current branch, root first. */
  branch(): Promise<readonly Entry[]>;
  entry(id: string): Promise<Entry | undefined>;
}

/** How much of the context window is in use. */
export interface ContextUsage {
  readonly tokens: number;
  /** Whether no reply has measured any of the tokens yet, or none since a compaction or an edit. */
  readonly isEstimate: boolean;
  /** The tokens that the last reply measured; the rest is estimated. */
  readonly measured: number;
  readonly contextWindow: number;
  readonly percent: number;
}

/** Options of a compaction that an extension starts. */
export interface ExtensionCompactOptions {
  readonly customInstructions?: string;
  readonly onComplete?: (result: unknown) => void;
  readonly onError?: (error: Error) => void;
}

/** The user interface for extensions: questions and notices that every mode can show, RPC clients included. */
export interface ExtensionUi {
  /** Undefined if the user did not answer. */
  select(title: string, options: readonly string[], promptOptions?: UiPromptOptions): Promise<string | undefined>;
  confirm(title: string, message: string, promptOptions?: UiPromptOptions): Promise<boolean>;
  /** Undefined if the user did not answer. */
  input(title: string, placeholder?: string, promptOptions?: UiPromptOptions): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** Shows a short text in the status line; undefined removes it. */
  setStatus(key: string, text: string | undefined): void;
  /** Shows lines above the editor; undefined removes them. */
  setWidget(key: string, lines: readonly string[] | undefined): void;
}

/** When to give up waiting for the user's answer. */
export interface UiPromptOptions {
  readonly signal?: AbortSignal;
  /** In milliseconds. */
  readonly timeout?: number;
}

/** The user interface without a user: no question is answered, and nothing is shown. */
export const headlessUi: ExtensionUi = {
  select: async () => undefined,
  confirm: async () => false,
  input: async () => undefined,
  notify: () => {},
  setStatus: () => {},
  setWidget: () => {},
};

/** A loaded extension that has not run yet. */
export interface ExtensionModule {
  /** Shown to the user: a path, a package name, or the name of a built-in extension. */
  readonly name: string;
  readonly extension: Extension;
}

/** The extensions of one session: what they registered, and how the host sends them events. */
export interface Extensions {
  /** What each extension registered, to be shown to the user. */
  readonly list: readonly ExtensionInfo[];
  /** What was ignored and why, to be shown to the user. */
  readonly notes: readonly string[];
  readonly hooks: AgentHooks;
  readonly tools: readonly Tool[];
  readonly stateSections: readonly StateSection[];
  readonly summarizers: readonly Summarizer[];
  readonly rules: Required<ExtensionRules>;
  readonly commands: readonly CommandRegistration[];
  /** Forwards an event of the agent to the handlers without waiting for them. */
  readonly onEvent: AgentEventListener;
  /** Calls the handlers of an event in order and returns their results. A handler that throws, hangs or returns an invalid result has none. */
  dispatch<Name extends HostEventName>(
    event: EventOf<Name> & { readonly type: Name },
  ): Promise<readonly ResultOf<Name>[]>;
  /** Connects the extensions to a session: from now on their actions apply to it. */
  bind(actions: ExtensionActions): void;
  runCommand(command: CommandRegistration, args: string, context: CommandContext): Promise<CommandRunResult>;
}

/** The events that the host program sends with `dispatch`; the agent sends all others. */
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

/** What one extension registered, by name. */
export interface ExtensionInfo {
  readonly name: string;
  readonly events: readonly ExtensionEventName[];
  readonly tools: readonly string[];
  readonly commands: readonly string[];
  readonly states: readonly string[];
  readonly rules: readonly string[];
  /** Whether it registered a summarizer. */
  readonly writes: boolean;
}

/** A slash command with its name and its extension. */
export interface CommandRegistration extends ExtensionCommand {
  /** Without the slash. */
  readonly name: string;
  /** The name of the extension that registered it. */
  readonly extension: string;
}

/** The outcome of a slash command; `text` is shown to the user. */
export type CommandRunResult =
  | { readonly type: "ran"; readonly text?: string }
  | { readonly type: "failed"; readonly why: string };

/** The actions of extensions on a session. */
export interface ExtensionActions
  extends Pick<
    ExtensionApi,
    "appendEntry" | "appendUsage" | "sendMessage" | "sendUserMessage" | "setLabel" | "setSessionName" | "openModel"
  > {
  context(): ExtensionContext;
}

/** A failure of an extension: which extension, at which event, and why. */
export interface ExtensionFailure extends HookFailure {
  readonly extension: string;
}

/** Reports which call or event of an extension failed, and why. */
export type ReportError = (what: string, why: string) => void;
