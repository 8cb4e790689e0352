/** The print mode: the answer goes to the standard output, what happens on the way to the standard error. */

import type { AgentEvent, RunEnd, Tool } from "@pith/agent";
import { noteOn } from "./printing/note-on.ts";
import { counted, nothingYet, type Tally, told } from "./printing/tally.ts";
import type { Terminal } from "./printing/terminal.ts";

export interface Surroundings {
  readonly tools: readonly Tool[];
  /** How to go on afterwards; null where nothing is kept. */
  readonly next: string | null;
  readonly terminal: Terminal;
}

export async function print(
  run: AsyncGenerator<AgentEvent, RunEnd>,
  { tools, next, terminal }: Surroundings,
): Promise<RunEnd> {
  let answer = "";
  let tally = nothingYet;
  for (;;) {
    const { done, value } = await run.next();
    if (done) {
      const end = value.type === "done" ? await answered(value, answer, terminal) : value;
      if (end.type === "done" && tally.requests > 0 && answer.trim() === "") terminal.note("· the model said nothing");
      terminal.note(`· ${[closing(end, tally), wayOn(end, next)].filter((part) => part !== null).join(" · ")}`);
      return end;
    }
    answer = answerIn(value) ?? answer;
    tally = counted(tally, value);
    const note = noteOn(value, tools);
    if (note !== null) terminal.note(note);
  }
}

/** Only what came to its end has an answer. */
async function answered(end: Extract<RunEnd, { type: "done" }>, answer: string, terminal: Terminal): Promise<RunEnd> {
  const fault = answer === "" ? null : await terminal.answer(withLineEnd(answer));
  if (end.isCut) terminal.note("· the answer breaks off: it is as long as the model may answer");
  return fault === null ? end : { type: "failed", why: fault };
}

function closing({ type }: RunEnd, tally: Tally): string {
  return type === "done" && tally.requests === 0 ? "nothing was left unfinished" : told(tally);
}

/** What broke off is taken up without words. */
function wayOn({ type }: RunEnd, next: string | null): string | null {
  return next === null || type !== "done" ? next : `${next} "…"`;
}

/** What was said last, without calling anything, is the answer. */
function answerIn(event: AgentEvent): string | null {
  if (event.type !== "turn_end") return null;
  return event.message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function withLineEnd(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
