/** Runs the hooks before and after a move in the tree and parses their results (B74, B75, c1). */

import {
  appendHookEntries,
  createHookEntryParser,
  parseDetails,
  parseUsage,
} from "../compaction-hooks/added-entries.ts";
import type { AddedContext } from "../compaction-hooks/compaction-hooks.ts";
import type { BranchSummaryEntry, Entry } from "../entry.ts";
import { continueOnFailure, type Hook, type HookHost, runHooks, withSetters } from "../hooks.ts";
import type { Usage } from "../message.ts";
import type { Runtime } from "../runtime.ts";
import type { Session } from "../session/session.ts";

/** Hooks before and after a move in the tree. */
export interface TreeHooks extends HookHost {
  readonly session_before_tree?: readonly Hook<SessionBeforeTreeEvent, SessionBeforeTreeResult>[];
  readonly session_tree?: readonly Hook<SessionTreeEvent, AddedContext>[];
}

/** Describes a move before it is made. */
export interface TreePreparation {
  readonly targetId: string | null;
  readonly oldLeafId: string | null;
  readonly commonAncestorId: string | null;
  readonly entriesToSummarize: Entry[];
  readonly userWantsSummary: boolean;
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
}

/** The event before every move, with or without a summary. */
export interface SessionBeforeTreeEvent {
  readonly type: "session_before_tree";
  readonly preparation: TreePreparation;
  readonly signal: AbortSignal;
  /** The same as returning `{ summarize }`. */
  readonly setSummarize: (summarize: boolean) => void;
  /** The same as returning `{ customInstructions }`. */
  readonly setCustomInstructions: (instructions: string) => void;
  /** The same as returning `{ replaceInstructions }`. */
  readonly setReplaceInstructions: (replace: boolean) => void;
  /** The same as returning `{ cancel: true }`. */
  readonly cancel: () => void;
}

/** What a `session_before_tree` hook returns. */
export interface SessionBeforeTreeResult {
  readonly cancel?: boolean;
  /** Whether the old branch is summarized; overrides the user's choice. */
  readonly summarize?: boolean;
  /** Used only if a summary is wanted; checked like a summary by a model. */
  readonly summary?: { readonly summary: string; readonly details?: unknown; readonly usage?: Usage };
  readonly customInstructions?: string;
  readonly replaceInstructions?: boolean;
  readonly label?: string;
}

/** The event after the leaf has moved. */
export interface SessionTreeEvent {
  readonly type: "session_tree";
  readonly newLeafId: string | null;
  readonly oldLeafId: string | null;
  readonly summaryEntry?: BranchSummaryEntry;
  readonly fromExtension?: boolean;
}

export interface HookSummary {
  readonly summary: string;
  readonly details: Readonly<Record<string, unknown>> | null;
  readonly usage: Usage | null;
}

/** The combined answers of the `session_before_tree` hooks. */
export interface BeforeTreeOutcome {
  readonly summarize: boolean | undefined;
  readonly summary: HookSummary | null;
  readonly instructions: string | undefined;
  readonly replaceInstructions: boolean | undefined;
  readonly label: string | undefined;
}

export interface TreeHookOptions {
  readonly hooks: TreeHooks;
  readonly runtime: Pick<Runtime, "sleep">;
  readonly signal?: AbortSignal | undefined;
}

/** Runs the `session_before_tree` hooks; the last hook that sets a field wins, and null means that the move is cancelled. */
export async function runBeforeTreeHooks(
  preparation: TreePreparation,
  options: TreeHookOptions,
): Promise<BeforeTreeOutcome | null> {
  const { hooks, runtime, signal = new AbortController().signal } = options;
  const event = (): SessionBeforeTreeEvent =>
    withSetters({ type: "session_before_tree" as const, preparation: structuredClone(preparation), signal }, (set) => ({
      setSummarize: (summarize: boolean) => set({ summarize }),
      setCustomInstructions: (customInstructions: string) => set({ customInstructions }),
      setReplaceInstructions: (replaceInstructions: boolean) => set({ replaceInstructions }),
      cancel: () => set({ cancel: true }),
    }));
  const { answers, isCancelled } = await runHooks(hooks.session_before_tree ?? [], event, {
    host: hooks,
    runtime,
    signal,
    read: parseBeforeTreeAnswer,
    isFinal: ({ cancel }) => cancel,
  });
  if (isCancelled || answers.some(({ cancel }) => cancel)) return null;
  const lastAnswer = <Key extends keyof BeforeTreeAnswer>(key: Key): BeforeTreeAnswer[Key] | undefined =>
    answers.findLast((answer) => answer[key] !== undefined && answer[key] !== null)?.[key];
  return {
    summarize: lastAnswer("summarize"),
    summary: lastAnswer("summary") ?? null,
    instructions: lastAnswer("instructions"),
    replaceInstructions: lastAnswer("replaceInstructions"),
    label: lastAnswer("label"),
  };
}

interface BeforeTreeAnswer extends BeforeTreeOutcome {
  readonly cancel: boolean;
}

function parseBeforeTreeAnswer(result: unknown): BeforeTreeAnswer | null {
  if (result === undefined || result === null) return null;
  const { cancel, summarize, summary, customInstructions, replaceInstructions, label } = Object(result) as Readonly<
    Record<string, unknown>
  >;
  return {
    cancel: cancel === true,
    summarize: typeof summarize === "boolean" ? summarize : undefined,
    summary: summary === undefined || summary === null ? null : parseHookSummary(summary),
    instructions: typeof customInstructions === "string" ? customInstructions : undefined,
    replaceInstructions: typeof replaceInstructions === "boolean" ? replaceInstructions : undefined,
    label: typeof label === "string" && label.trim() !== "" ? label : undefined,
  };
}

function parseHookSummary(value: unknown): HookSummary {
  const { summary, details, usage } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof summary !== "string" || summary.trim() === "") throw new Error("its summary is empty");
  return { summary, details: parseDetails(details), usage: parseUsage(usage) };
}

/** Runs the `session_tree` hooks and waits until the entries they add are appended. */
export async function runAfterTreeHooks(
  event: Omit<SessionTreeEvent, "type">,
  { hooks, runtime, session, tokens }: TreeHookOptions & { readonly session: Session; readonly tokens: number },
): Promise<void> {
  const { answers } = await runHooks(
    hooks.session_tree ?? [],
    () => ({ type: "session_tree" as const, ...structuredClone(event) }),
    { host: continueOnFailure(hooks), runtime, read: createHookEntryParser(tokens) },
  );
  await appendHookEntries(answers.flat(), {
    session,
    afterEntryId: event.newLeafId,
    host: hooks,
    event: "session_tree",
  });
}
