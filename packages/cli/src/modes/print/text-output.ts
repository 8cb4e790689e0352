/** Writes the answer to stdout and progress notes to stderr; defines `RunOutput`, the output interface of print and JSON mode. */

import type { Agent, AgentEvent, AgentEventListener, RunEnd, Tool } from "@pith/agent";
import { readSessionTotals, realFiles } from "@pith/context/node";
import type { CommandResult } from "../../commands/command.ts";
import {
  addEventUsage,
  emptyTotals,
  formatProgressNote,
  formatTotals,
  type UsageTotals,
} from "../../text/event-text.ts";
import { formatUsage } from "../../text/format.ts";
import type { Terminal } from "../../text/process-io.ts";

export interface PrintedResult {
  /** For the standard output; empty for nothing. */
  readonly stdout: string;
  /** For people. */
  readonly notes: readonly string[];
  /** Of the program, where it is not 0, with its reason. */
  readonly exit?: { readonly code: number; readonly message: string };
}

/** `goOn` are flags that must be said again, such as an address. */
export function formatCommandResult(
  result: Exclude<CommandResult, { type: "prompt" }>,
  resumeFlags = "",
): PrintedResult {
  switch (result.type) {
    case "told":
      return { stdout: result.text, notes: [] };
    case "mistake":
      return { stdout: "", notes: [], exit: { code: 2, message: result.message } };
    case "failed":
      return { stdout: "", notes: [], exit: { code: 1, message: result.message } };
    case "opened":
      return formatOpenedSession(result, resumeFlags);
    case "draft":
      return {
        stdout: result.draft,
        notes: [`· ${result.text}; say these words anew with pith -p -c${resumeFlags} "…"`],
      };
    case "quit":
      return { stdout: "", notes: [] };
  }
}

function formatOpenedSession(result: Extract<CommandResult, { type: "opened" }>, resumeFlags: string): PrintedResult {
  const { id, text, draft, isDraftSaved, resumeArgument: sessionArgument = id.slice(0, 13) } = result;
  const command = `pith -p --session ${sessionArgument}${resumeFlags}`;
  if (draft === undefined) return { stdout: text, notes: [`· go on with ${command} "…"`] };
  const hint = isDraftSaved
    ? `${command} says this as it is; with words behind it, those instead`
    : `say these words with ${command} "…"`;
  return { stdout: draft, notes: [`· ${text}; ${hint}`] };
}

/** Null where nothing is kept, or counting would make somebody wait. */
export async function formatSessionTotals(path: string | null): Promise<string | null> {
  if (path === null) return null;
  const size = realFiles.stat(path)?.size ?? 0;
  if (size > MAX_COUNTED_BYTES) return null;
  const result = await readSessionTotals(path);
  return result.type === "counted" ? `in all ${formatUsage(result.totals.usage)}` : null;
}

/** Read in a fraction of a second. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024;

export function createTextOutput(terminal: Terminal): RunOutput {
  let context: OutputContext | null = null;
  let hasHistory = false;
  let state: OutputState = initialState;
  return {
    onEvent: (event) => {
      state = updateState(state, event);
      const note = formatProgressNote(event, context?.tools ?? []);
      if (note !== null) terminal.notify(note);
    },
    onSessionOpen: (sessionContext) => {
      context = sessionContext;
      hasHistory = sessionContext.agent.session.leaf !== null;
    },
    writeCommandResult: (_, result) => writeCommandResult(result, { terminal, flags: context?.resumeFlags ?? "" }),
    finish: async (runEnd) => {
      if (runEnd === null && state.totals.requests === 0) return null;
      const end = runEnd?.type === "done" ? await writeAnswer(runEnd, state, terminal) : runEnd;
      if (end !== null && end.type !== "done" && state.hasPartialReply)
        terminal.notify(formatPartialReplyNote(context));
      const sessionTotals = hasHistory && context ? await formatSessionTotals(context.sessionPath) : null;
      const parts = [
        formatRunSummary(end, state.totals),
        sessionTotals,
        formatResumeHint(end, context?.resumeHint ?? null),
      ];
      terminal.notify(`· ${parts.filter((part) => part !== null).join(" · ")}`);
      return end;
    },
    writeError: async () => {},
    isReaderGone: false,
  };
}

interface OutputState {
  /** What was said last, without calling anything, is the answer. */
  readonly answer: string;
  /** Whether the last reply broke off, and something of it had come. */
  readonly hasPartialReply: boolean;
  readonly totals: UsageTotals;
}

const initialState: OutputState = { answer: "", hasPartialReply: false, totals: emptyTotals };

function updateState({ answer, hasPartialReply, totals }: OutputState, event: AgentEvent): OutputState {
  const text = event.type === "turn_end" ? joinText(event.message.content) : answer;
  return {
    answer: text,
    hasPartialReply: detectPartialReply(event) ?? hasPartialReply,
    totals: addEventUsage(totals, event),
  };
}

function detectPartialReply(event: AgentEvent): boolean | null {
  if (event.type !== "message_end" || event.message.role !== "assistant") return null;
  const { stopReason, content } = event.message;
  return (stopReason === "aborted" || stopReason === "error") && joinText(content).trim() !== "";
}

function joinText(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ type, text = "" }) => (type === "text" ? text : "")).join("");
}

/** Only what came to its end is an answer. */
async function writeAnswer(
  end: Extract<RunEnd, { type: "done" }>,
  { answer, totals }: OutputState,
  terminal: Terminal,
): Promise<RunEnd> {
  const writeError = answer === "" ? null : await terminal.writeOutput(ensureLineEnd(answer));
  if (end.isCut) terminal.notify("· the answer breaks off: it is as long as the model may answer");
  if (totals.requests > 0 && answer.trim() === "") terminal.notify("· the model said nothing");
  return writeError === null ? end : { type: "failed", why: writeError };
}

// PRT13: half an answer looks like a whole one to whoever reads only the standard output.
function formatPartialReplyNote(context: OutputContext | null): string {
  const id = context?.sessionPath ? context.agent.session.store.header.id.slice(0, 8) : null;
  const hint = id === null ? "nothing of it was kept" : `it is in the session; read it with pith sessions show ${id}`;
  return `· the answer broke off, so that it was not printed; ${hint}`;
}

function formatRunSummary(end: RunEnd | null, totals: UsageTotals): string {
  return end?.type === "done" && totals.requests === 0 ? "nothing was left unfinished" : formatTotals(totals);
}

/** What broke off is taken up without words. */
function formatResumeHint(end: RunEnd | null, next: string | null): string | null {
  return next === null || (end !== null && end.type !== "done") ? next : `${next} "…"`;
}

/** What can be piped into something stands alone on the standard output. */
async function writeCommandResult(result: CommandResult, { terminal, flags }: ResultOptions): Promise<string | null> {
  if (result.type === "prompt") return null;
  const { stdout: text, notes } = formatCommandResult(result, flags);
  for (const note of notes) terminal.notify(note);
  return text === "" ? null : await terminal.writeOutput(ensureLineEnd(text));
}

interface ResultOptions {
  readonly terminal: Terminal;
  readonly flags: string;
}

function ensureLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

export interface RunOutput {
  /** Everything that happens, in a run or beside one. */
  readonly onEvent: AgentEventListener;
  /** A session is open from now on. */
  onSessionOpen(context: OutputContext): void;
  /** What a command answered; what went wrong with telling it, or null. */
  writeCommandResult(command: string, result: CommandResult): Promise<string | null>;
  /** The end of all that was to be done; null where no model was to speak. How it ended, telling it included. */
  finish(end: RunEnd | null): Promise<RunEnd | null>;
  /** Why the program ends without having done it; it is told to people as well. */
  writeError(message: string): Promise<void>;
  /** Whether nobody listens any more, so that the work was stopped. */
  readonly isReaderGone: boolean;
}

export interface OutputContext {
  readonly agent: Agent;
  readonly tools: readonly Tool[];
  /** Its file; null where nothing is kept. */
  readonly sessionPath: string | null;
  /** How to go on afterwards; null where nothing is kept. */
  readonly resumeHint: string | null;
  /** Flags that must be said again then. */
  readonly resumeFlags: string;
}
