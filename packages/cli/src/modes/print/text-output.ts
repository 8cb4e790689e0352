/** Writes the answer to stdout and progress notes to stderr. Defines `RunOutput`, the output interface of print and JSON mode. */

import type { Agent, AgentEvent, AgentEventListener, RunEnd, Tool } from "@pith/agent";
import { readSessionTotals, realFiles } from "@pith/context/node";
import { formatUsage } from "@pith/host/text/format";
import type { CommandResult } from "../../commands/command.ts";
import {
  addEventUsage,
  emptyTotals,
  formatProgressNote,
  formatTotals,
  type UsageTotals,
} from "../../text/event-text.ts";
import type { Terminal } from "../../text/process-io.ts";

export interface RunOutput {
  /** Receives every event, also between runs. */
  readonly onEvent: AgentEventListener;
  onSessionOpen(context: OutputContext): void;
  /** Returns the write error, or null. */
  writeCommandResult(command: string, result: CommandResult): Promise<string | null>;
  /** Called once all work is done. `end` is null if there was no run. Returns `failed` if the output could not be written. */
  finish(end: RunEnd | null): Promise<RunEnd | null>;
  /** Writes why the program ends with an error. The message also goes to stderr. */
  writeError(message: string): Promise<void>;
  /** Whether the reader closed the pipe and the run was aborted for that reason. */
  readonly isReaderGone: boolean;
}

export interface OutputContext {
  readonly agent: Agent;
  readonly tools: readonly Tool[];
  /** Null if the session is not saved. */
  readonly sessionPath: string | null;
  /** The command that resumes the session. Null if the session is not saved. */
  readonly resumeHint: string | null;
  /** Flags that the resume command must repeat. */
  readonly resumeFlags: string;
}

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
        end?.type === "done" && state.totals.requests === 0 ? "nothing to continue" : formatTotals(state.totals),
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
  /** The text of the last turn. */
  readonly answer: string;
  /** Whether the last reply was aborted or failed after some of its text had arrived. */
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

/** Called only for a run that is done: a partial reply is not an answer. */
async function writeAnswer(
  end: Extract<RunEnd, { type: "done" }>,
  { answer, totals }: OutputState,
  terminal: Terminal,
): Promise<RunEnd> {
  const writeError = answer === "" ? null : await terminal.writeOutput(ensureLineEnd(answer));
  if (end.isCut) terminal.notify("· the answer was cut off at the model's output limit");
  if (totals.requests > 0 && answer.trim() === "") terminal.notify("· the model returned no text");
  return writeError === null ? end : { type: "failed", why: writeError };
}

// PRT13: a partial reply is not printed, because a reader of stdout could not tell it from a complete one.
function formatPartialReplyNote(context: OutputContext | null): string {
  const id = context?.sessionPath ? context.agent.session.store.header.id.slice(0, 8) : null;
  const hint = id === null ? "it was not saved" : `it is saved in the session: pith sessions show ${id}`;
  return `· the partial answer was not printed; ${hint}`;
}

/** An unfinished run is resumed without a prompt. */
function formatResumeHint(end: RunEnd | null, next: string | null): string | null {
  return next === null || (end !== null && end.type !== "done") ? next : `${next} "…"`;
}

/** Writes only the result to stdout, so that it can be piped; notes go to stderr. */
async function writeCommandResult(
  result: CommandResult,
  { terminal, flags }: { readonly terminal: Terminal; readonly flags: string },
): Promise<string | null> {
  if (result.type === "prompt") return null;
  const { stdout: text, notes } = formatCommandResult(result, flags);
  for (const note of notes) terminal.notify(note);
  return text === "" ? null : await terminal.writeOutput(ensureLineEnd(text));
}

export interface PrintedResult {
  /** Empty if nothing is written to stdout. */
  readonly stdout: string;
  /** Written to stderr for the user. */
  readonly notes: readonly string[];
  /** The exit code and its reason. Absent if the code is 0. */
  readonly exit?: { readonly code: number; readonly message: string };
}

/** `resumeFlags` are flags that the next command must repeat, such as a base URL. */
export function formatCommandResult(
  result: Exclude<CommandResult, { type: "prompt" }>,
  resumeFlags = "",
): PrintedResult {
  switch (result.type) {
    case "success":
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
        notes: [`· ${result.text}`, `· edit this message and send it with: pith -p -c${resumeFlags} "…"`],
      };
    case "quit":
      return { stdout: "", notes: [] };
  }
}

function formatOpenedSession(result: Extract<CommandResult, { type: "opened" }>, resumeFlags: string): PrintedResult {
  const { id, text, draft, isDraftSaved, resumeArgument: sessionArgument = id.slice(0, 13) } = result;
  const command = `pith -p --session ${sessionArgument}${resumeFlags}`;
  if (draft === undefined) return { stdout: text, notes: [`· continue with: ${command} "…"`] };
  const hint = isDraftSaved
    ? `to send this message, run: ${command}; add a prompt to send that instead`
    : `edit this message and send it with: ${command} "…"`;
  return { stdout: draft, notes: [`· ${text}`, `· ${hint}`] };
}

/** Null if the session is not saved, cannot be read, or is so large that reading it takes long. */
async function formatSessionTotals(path: string | null): Promise<string | null> {
  if (path === null) return null;
  const size = realFiles.stat(path)?.size ?? 0;
  if (size > MAX_COUNTED_BYTES) return null;
  const result = await readSessionTotals(path);
  return result.type === "counted" ? `session total: ${formatUsage(result.totals.usage)}` : null;
}

/** A file of this size is read in a fraction of a second. */
const MAX_COUNTED_BYTES = 16 * 1024 * 1024;

function ensureLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
