/** The print mode: the answer goes to the standard output, what happens on the way to the standard error. */

import type { AgentEvent, RunEnd } from "@pith/agent";
import type { Answer } from "./commands/command.ts";
import { printedAnswer } from "./commands/printed-answer.ts";
import { noteOn } from "./printing/note-on.ts";
import { pastTold } from "./printing/past-told.ts";
import { counted, nothingYet, type Tally, told } from "./printing/tally.ts";
import type { Terminal } from "./printing/terminal.ts";
import type { Scene, Voice } from "./working/voice.ts";

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
  return { answer: said, half: halfIn(event) ?? half, tally: counted(tally, event) };
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
