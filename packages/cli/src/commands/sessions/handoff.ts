/** `/handoff`: a new session for a goal, with a first message that tells what it must know of this one. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { HandedOff } from "@pith/agent";
import { mistake } from "../../asking/mistake.ts";
import { costTold, counted } from "../../printing/amounts.ts";
import { failed, nothingKept, told } from "../answers.ts";
import type { Answer, Command, Desk } from "../command.ts";
import { handedSession } from "./handed-session.ts";
import { keptBack } from "./may-leave.ts";

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
async function opened(written: Extract<HandedOff, { type: "written" }>, from: string, desk: Desk): Promise<Answer> {
  const { message, files, mended, cost } = written;
  const made = await handedSession(message, { ...desk, sessionPath: from });
  if (made.type === "failed")
    return { type: "draft", draft: message, text: `no session could be made: ${made.message}` };
  const notes = [
    `a new session: ${made.id.slice(0, 8)}`,
    counted(files.length, "file"),
    ...(made.pins > 0 ? [`${counted(made.pins, "pin")} came along`] : []),
    ...(mended.length > 0 ? [`mended: ${mended.slice(0, 3).join("; ")}`] : []),
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
