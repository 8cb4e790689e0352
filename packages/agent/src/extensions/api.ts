/** Defines the extension API: what an extension registers and calls, and what it sees of the session and the user. */

import type { Entry, Model, ModelName, Summarizer, UsageEntry } from "@pith/context";
import type { UserContent } from "../agent.ts";
import type { Tool } from "../tool.ts";
import type { EventOf, ExtensionEventName, ResultOf } from "./events.ts";

/** Runs before its session begins; what it may register is handed in. */
export type Extension = (pith: ExtensionApi) => void | Promise<void>;

/** Acts on the session are possible from `session_start` on. */
export interface ExtensionApi {
  on<Name extends ExtensionEventName>(event: Name, handler: ExtensionListener<Name>): void;
  /** Where another one has its name already, it is refused. */
  registerTool(tool: ExtensionTool): void;
  registerCommand(name: string, command: ExtensionCommand): void;
  /** Told to the model whenever it changes, and again after a compaction; null says nothing. */
  registerState(name: string, text: () => string | null): void;
  /** Asked for summaries before those that come with Pith; what it writes is checked like any other. */
  registerWriter(writer: Summarizer): void;
  /** As the user writes them, such as `bash(git push)`; a deny outweighs whatever allows. */
  registerRules(rules: ExtensionRules): void;
  /** State of its own, in the log and never in the context. */
  appendEntry(customType: string, data?: unknown): Promise<void>;
  /** What was paid to a model beside this session, as by a program of its own: it counts in the totals. */
  appendUsage(paid: ExtensionUsage): Promise<void>;
  /** For the model, though no person said it. */
  sendMessage(message: ExtensionMessage, sending?: SendOptions): Promise<void>;
  /** As if the user had said it. */
  sendUserMessage(content: UserContent, sending?: Pick<SendOptions, "deliverAs">): Promise<void>;
  setLabel(entryId: string, label: string | undefined): Promise<void>;
  setSessionName(name: string): Promise<void>;
  /** By `provider/model`, with the user's keys; null where it cannot be had. */
  openModel(name: string): Promise<Model | null>;
}

export type ExtensionUsage = Pick<UsageEntry, "kind" | "provider" | "model" | "usage" | "note">;

export type ExtensionListener<Name extends ExtensionEventName> = (
  event: EventOf<Name>,
  context: ExtensionContext,
) => // biome-ignore lint/suspicious/noConfusingVoidType: a handler that only listens returns nothing.
Promise<ResultOf<Name> | undefined | void> | ResultOf<Name> | undefined | void;

/** Unless it says otherwise, running it twice may do more than once. */
export type ExtensionTool = Omit<Tool, "isIdempotent"> & { readonly isIdempotent?: boolean };

export interface ExtensionCommand {
  /** What it does, in one line. */
  readonly description: string;
  /** What may stand behind it, such as `[name]`. */
  readonly takes?: string;
  /** What it answers is shown; nothing is shown for nothing. */
  run(words: string, context: CommandContext): Promise<string | undefined>;
}

export interface ExtensionRules {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

export interface ExtensionMessage {
  readonly customType: string;
  readonly content: string;
  /** Whether people see it, too; they do, unless said. */
  readonly display?: boolean;
  readonly details?: unknown;
}

export interface SendOptions {
  /** While a run is under way: before its next request, when it has no more to say, or with what is said next. */
  readonly deliverAs?: "steer" | "followUp" | "nextTurn";
  /** Whether the model is asked where it is at rest. */
  readonly triggerTurn?: boolean;
}

/** What a handler sees of the session, and what it may do there. */
export interface ExtensionContext {
  readonly ui: ExtensionUi;
  /** Whether somebody is there to be asked. */
  readonly hasUI: boolean;
  readonly cwd: string;
  readonly session: SessionView;
  readonly model: ModelName & Pick<Model, "contextWindow" | "maxTokens">;
  isIdle(): boolean;
  hasPendingMessages(): boolean;
  abort(): void;
  getContextUsage(): ContextUsage;
  /** Begun and not waited for. */
  compact(wish?: ExtensionCompactOptions): void;
}

/** For commands, which run while nothing else is asked of the session. */
export interface CommandContext extends ExtensionContext {
  waitForIdle(): Promise<void>;
  navigateTree(
    target: string | null,
    wish?: { readonly summarize?: boolean; readonly label?: string },
  ): Promise<CancellableResult>;
  newSession(): Promise<CancellableResult>;
  fork(entryId: string): Promise<CancellableResult>;
  switchSession(sessionPath: string): Promise<CancellableResult>;
  reload(): Promise<void>;
}

export interface CancellableResult {
  readonly cancelled: boolean;
}

export interface SessionView {
  readonly id: string;
  /** Null where nothing is kept. */
  readonly file: string | null;
  readonly name: string | null;
  readonly leafId: string | null;
  /** The loaded end of the branch. */
  entries(): readonly Entry[];
  /** All of it, from the root. */
  branch(): Promise<readonly Entry[]>;
  entry(id: string): Promise<Entry | undefined>;
}

export interface ContextUsage {
  readonly tokens: number;
  /** Whether no reply has measured any of it yet, or none since a compaction or an edit. */
  readonly isEstimate: boolean;
  /** Of the tokens: what the last reply measured; the rest is estimated. */
  readonly measured: number;
  readonly contextWindow: number;
  readonly percent: number;
}

export interface ExtensionCompactOptions {
  readonly customInstructions?: string;
  readonly onComplete?: (result: unknown) => void;
  readonly onError?: (error: Error) => void;
}

/** The port to the user: the few questions and notices that every mode can show, also through another program. */
export interface ExtensionUi {
  /** Undefined where it was left without an answer. */
  select(title: string, options: readonly string[], asking?: UiPromptOptions): Promise<string | undefined>;
  confirm(title: string, message: string, asking?: UiPromptOptions): Promise<boolean>;
  input(title: string, placeholder?: string, asking?: UiPromptOptions): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** A few words by the meter; undefined takes them away. */
  setStatus(key: string, text: string | undefined): void;
  /** Lines above the editor; undefined takes them away. */
  setWidget(key: string, lines: readonly string[] | undefined): void;
}

export interface UiPromptOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds after which nobody is expected to answer any more. */
  readonly timeout?: number;
}

/** Where nobody is there: no question is answered, and nothing is shown. */
export const headlessUi: ExtensionUi = {
  select: async () => undefined,
  confirm: async () => false,
  input: async () => undefined,
  notify: () => {},
  setStatus: () => {},
  setWidget: () => {},
};
