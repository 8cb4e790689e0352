/** Writes the answer to stdout and progress notes to stderr; defines `Voice`, the output interface of print and JSON mode. */

import type { Agent, AgentEvent, AgentEventListener, RunEnd, Tool } from "@pith/agent";
import { readSessionTotals, realFiles } from "@pith/context/node";
import type { Answer } from "../../commands/command.ts";
import { countEvent, noteOn, nothingYet, type Tally, told } from "../../text/event-text.ts";
import { usageTold } from "../../text/format.ts";
import type { Terminal } from "../../text/process-io.ts";

export interface PrintedAnswer {
  /** For the standard output; empty for nothing. */
  readonly answer: string;
  /** For people. */
  readonly notes: readonly string[];
  /** Of the program, where it is not 0, with its reason. */
  readonly fault?: { readonly code: number; readonly message: string };
}

/** `goOn` are flags that must be said again, such as an address. */
export function printedAnswer(answer: Exclude<Answer, { type: "prompt" }>, goOn = ""): PrintedAnswer {
  switch (answer.type) {
    case "told":
      return { answer: answer.text, notes: [] };
    case "mistake":
      return { answer: "", notes: [], fault: { code: 2, message: answer.message } };
    case "failed":
      return { answer: "", notes: [], fault: { code: 1, message: answer.message } };
    case "opened":
      return openedAnswer(answer, goOn);
    case "draft":
      return { answer: answer.draft, notes: [`· ${answer.text}; say these words anew with pith -p -c${goOn} "…"`] };
    case "quit":
      return { answer: "", notes: [] };
  }
}

function openedAnswer(opened: Extract<Answer, { type: "opened" }>, goOn: string): PrintedAnswer {
  const { id, text, draft, isDraftKept, word = id.slice(0, 13) } = opened;
  const call = `pith -p --session ${word}${goOn}`;
  if (draft === undefined) return { answer: text, notes: [`· go on with ${call} "…"`] };
  const way = isDraftKept
    ? `${call} says this as it is; with words behind it, those instead`
    : `say these words with ${call} "…"`;
  return { answer: draft, notes: [`· ${text}; ${way}`] };
}

/** Null where nothing is kept, or counting would make somebody wait. */
export async function pastTold(path: string | null): Promise<string | null> {
  if (path === null) return null;
  const size = realFiles.stat(path)?.size ?? 0;
  if (size > MOST_BYTES) return null;
  const counted = await readSessionTotals(path);
  return counted.type === "counted" ? `in all ${usageTold(counted.totals.usage)}` : null;
}

/** Read in a fraction of a second. */
const MOST_BYTES = 16 * 1024 * 1024;

export function printVoice(terminal: Terminal): Voice {
  let scene: Scene | null = null;
  let past = false;
  let seen: Seen = nothingSeen;
  return {
    listen: (event) => {
      seen = heard(seen, event);
      const note = noteOn(event, scene?.tools ?? []);
      if (note !== null) terminal.note(note);
    },
    opened: (opened) => {
      scene = opened;
      past = opened.agent.session.leaf !== null;
    },
    answered: (_, answer) => shown(answer, { terminal, flags: scene?.flags ?? "" }),
    ended: async (run) => {
      if (run === null && seen.tally.requests === 0) return null;
      const end = run?.type === "done" ? await printed(run, seen, terminal) : run;
      if (end !== null && end.type !== "done" && seen.half) terminal.note(halfNote(scene));
      const all = past && scene ? await pastTold(scene.sessionPath) : null;
      const parts = [closing(end, seen.tally), all, wayOn(end, scene?.next ?? null)];
      terminal.note(`· ${parts.filter((part) => part !== null).join(" · ")}`);
      return end;
    },
    failed: async () => {},
    isUnheard: false,
  };
}

interface Seen {
  /** What was said last, without calling anything, is the answer. */
  readonly answer: string;
  /** Whether the last reply broke off, and something of it had come. */
  readonly half: boolean;
  readonly tally: Tally;
}

const nothingSeen: Seen = { answer: "", half: false, tally: nothingYet };

function heard({ answer, half, tally }: Seen, event: AgentEvent): Seen {
  const said = event.type === "turn_end" ? textOf(event.message.content) : answer;
  return { answer: said, half: halfIn(event) ?? half, tally: countEvent(tally, event) };
}

function halfIn(event: AgentEvent): boolean | null {
  if (event.type !== "message_end" || event.message.role !== "assistant") return null;
  const { stopReason, content } = event.message;
  return (stopReason === "aborted" || stopReason === "error") && textOf(content).trim() !== "";
}

function textOf(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return content.map(({ type, text = "" }) => (type === "text" ? text : "")).join("");
}

/** Only what came to its end is an answer. */
async function printed(
  end: Extract<RunEnd, { type: "done" }>,
  { answer, tally }: Seen,
  terminal: Terminal,
): Promise<RunEnd> {
  const fault = answer === "" ? null : await terminal.answer(withLineEnd(answer));
  if (end.isCut) terminal.note("· the answer breaks off: it is as long as the model may answer");
  if (tally.requests > 0 && answer.trim() === "") terminal.note("· the model said nothing");
  return fault === null ? end : { type: "failed", why: fault };
}

// PRT13: half an answer looks like a whole one to whoever reads only the standard output.
function halfNote(scene: Scene | null): string {
  const id = scene?.sessionPath ? scene.agent.session.store.header.id.slice(0, 8) : null;
  const where = id === null ? "nothing of it was kept" : `it is in the session; read it with pith sessions show ${id}`;
  return `· the answer broke off, so that it was not printed; ${where}`;
}

function closing(end: RunEnd | null, tally: Tally): string {
  return end?.type === "done" && tally.requests === 0 ? "nothing was left unfinished" : told(tally);
}

/** What broke off is taken up without words. */
function wayOn(end: RunEnd | null, next: string | null): string | null {
  return next === null || (end !== null && end.type !== "done") ? next : `${next} "…"`;
}

/** What can be piped into something stands alone on the standard output. */
async function shown(answer: Answer, { terminal, flags }: Showing): Promise<string | null> {
  if (answer.type === "prompt") return null;
  const { answer: text, notes } = printedAnswer(answer, flags);
  for (const note of notes) terminal.note(note);
  return text === "" ? null : await terminal.answer(withLineEnd(text));
}

interface Showing {
  readonly terminal: Terminal;
  readonly flags: string;
}

function withLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

export interface Voice {
  /** Everything that happens, in a run or beside one. */
  readonly listen: AgentEventListener;
  /** A session is open from now on. */
  opened(scene: Scene): void;
  /** What a command answered; what went wrong with telling it, or null. */
  answered(command: string, answer: Answer): Promise<string | null>;
  /** The end of all that was to be done; null where no model was to speak. How it ended, telling it included. */
  ended(end: RunEnd | null): Promise<RunEnd | null>;
  /** Why the program ends without having done it; it is told to people as well. */
  failed(message: string): Promise<void>;
  /** Whether nobody listens any more, so that the work was stopped. */
  readonly isUnheard: boolean;
}

export interface Scene {
  readonly agent: Agent;
  readonly tools: readonly Tool[];
  /** Its file; null where nothing is kept. */
  readonly sessionPath: string | null;
  /** How to go on afterwards; null where nothing is kept. */
  readonly next: string | null;
  /** Flags that must be said again then. */
  readonly flags: string;
}
