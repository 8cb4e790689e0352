/** Implements `/handoff`: creates a session for a goal, with a first message that says what it must know of this one. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { DRAFT_TYPE, type HandOffResult } from "@pith/agent";
import { type NewEntry, refusalNotes, Session } from "@pith/context";
import { PIN_TYPE } from "@pith/context/host";
import { createSession, nodeRuntime } from "@pith/context/node";
import { costTold, counted } from "../text/format.ts";
import { mistake } from "../text/usage-error.ts";
import { type Answer, type Command, type Desk, failed, keptBack, nothingKept, told } from "./command.ts";

export type Handed =
  | { readonly type: "made"; readonly path: string; readonly id: string; readonly pins: number }
  | { readonly type: "failed"; readonly message: string };

export interface HandedParts extends Pick<Desk, "agent" | "cwd" | "home"> {
  /** Of the session it comes from. */
  readonly sessionPath: string;
}

export async function handedSession(message: string, parts: HandedParts): Promise<Handed> {
  const { agent, cwd, home, sessionPath } = parts;
  const made = await createSession({ cwd, parentSession: sessionPath, env: { PITH_HOME: home } });
  if (made.type === "held") return { type: "failed", message: "another process has just made the same session" };
  if (made.type !== "opened") return { type: "failed", message: made.why };
  const { store } = made;
  try {
    const { pins } = agent.session.branch.state;
    const session = await Session.open(store, nodeRuntime, { redaction: agent.session });
    const appended = await session.append(...draftsFor(message, parts));
    if (appended.type === "appended") return { type: "made", path: store.path, id: store.header.id, pins: pins.length };
    return {
      type: "failed",
      message: appended.type === "refused" ? refusalNotes[appended.why] : "somebody else wrote to it",
    };
  } finally {
    await store.close();
  }
}

function draftsFor(text: string, { agent: { session, model } }: HandedParts): readonly NewEntry[] {
  return [
    { type: "model_change", provider: model.provider, modelId: model.model },
    ...session.branch.state.pins.map(
      (pin): NewEntry => ({ type: "custom_message", customType: PIN_TYPE, content: pin.text, display: true }),
    ),
    { type: "custom", customType: DRAFT_TYPE, data: { text } },
  ];
}

export const handoff: Command = {
  name: "handoff",
  takes: "<goal>",
  says: "a new session for a goal: its first message, to be changed and said, tells what it must know of this one",
  examples: ["/handoff write the tests for the parser"],
  async run(goal, desk) {
    if (goal === "") return mistake("/handoff needs a goal, such as /handoff write the tests for the parser");
    if (desk.sessionPath === null) return nothingKept("handoff");
    const kept = await keptBack({ type: "session_before_switch", reason: "new" }, desk);
    if (kept) return kept;
    desk.note?.("writing what the new session must know");
    const outcome = await desk.agent.handOff(goal, (path) => isFile(resolve(desk.cwd, path)));
    switch (outcome.type) {
      case "written":
        return await opened(outcome, desk.sessionPath, desk);
      case "nothing-to-do":
        return told("nothing was said yet on this branch that could be handed over; /new begins a session", null);
      case "cancelled":
        return told("the handoff was cancelled; there is no new session", null);
      case "failed":
        return failed(`there is no new session: ${outcome.why}; try again, or /model another`);
    }
  },
};

/** What was paid for is shown, also where no session could be made for it. */
async function opened(written: Extract<HandOffResult, { type: "written" }>, from: string, desk: Desk): Promise<Answer> {
  const { message, files, repairs, cost } = written;
  const made = await handedSession(message, { ...desk, sessionPath: from });
  if (made.type === "failed")
    return { type: "draft", draft: message, text: `no session could be made: ${made.message}` };
  const notes = [
    `a new session: ${made.id.slice(0, 8)}`,
    counted(files.length, "file"),
    ...(made.pins > 0 ? [`${counted(made.pins, "pin")} came along`] : []),
    ...(repairs.length > 0 ? [`corrected: ${repairs.slice(0, 3).join("; ")}`] : []),
    ...(cost > 0 ? [costTold(cost)] : []),
  ];
  return {
    type: "opened",
    reason: "new",
    path: made.path,
    id: made.id,
    text: notes.join(", "),
    draft: message,
    isDraftKept: true,
  };
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isFile(),
    () => false, // Not there, or closed to us, which is the same here.
  );
}
