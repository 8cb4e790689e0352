/** Implements `/handoff`: creates a session for a goal, with a first message that says what it must know of this one. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { DRAFT_TYPE, type HandOffResult } from "@pith/agent";
import { type NewEntry, refusalNotes, Session } from "@pith/context";
import { PIN_TYPE } from "@pith/context/host";
import { createSession, nodeRuntime } from "@pith/context/node";
import { formatCost, formatCount } from "../text/format.ts";
import { usageError } from "../text/usage-error.ts";
import {
  type Command,
  type CommandContext,
  type CommandResult,
  checkExtensionVeto,
  failure,
  sessionNotSavedError,
  success,
} from "./command.ts";

export type HandoffSessionResult =
  | { readonly type: "made"; readonly path: string; readonly id: string; readonly pins: number }
  | { readonly type: "failed"; readonly message: string };

export interface HandoffSessionOptions extends Pick<CommandContext, "agent" | "cwd" | "home"> {
  /** Of the session it comes from. */
  readonly sessionPath: string;
}

export async function createHandoffSession(
  message: string,
  options: HandoffSessionOptions,
): Promise<HandoffSessionResult> {
  const { agent, cwd, home, sessionPath } = options;
  const created = await createSession({ cwd, parentSession: sessionPath, env: { PITH_HOME: home } });
  if (created.type === "held") return { type: "failed", message: "another process has just made the same session" };
  if (created.type !== "opened") return { type: "failed", message: created.why };
  const { store } = created;
  try {
    const { pins } = agent.session.branch.state;
    const session = await Session.open(store, nodeRuntime, { redaction: agent.session });
    const appendResult = await session.append(...buildInitialEntries(message, options));
    if (appendResult.type === "appended")
      return { type: "made", path: store.path, id: store.header.id, pins: pins.length };
    return {
      type: "failed",
      message: appendResult.type === "refused" ? refusalNotes[appendResult.why] : "somebody else wrote to it",
    };
  } finally {
    await store.close();
  }
}

function buildInitialEntries(text: string, { agent: { session, model } }: HandoffSessionOptions): readonly NewEntry[] {
  return [
    { type: "model_change", provider: model.provider, modelId: model.model },
    ...session.branch.state.pins.map(
      (pin): NewEntry => ({ type: "custom_message", customType: PIN_TYPE, content: pin.text, display: true }),
    ),
    { type: "custom", customType: DRAFT_TYPE, data: { text } },
  ];
}

export const handoffCommand: Command = {
  name: "handoff",
  argumentHint: "<goal>",
  description:
    "a new session for a goal: its first message, to be changed and said, tells what it must know of this one",
  examples: ["/handoff write the tests for the parser"],
  async run(goal, context) {
    if (goal === "") return usageError("/handoff needs a goal, such as /handoff write the tests for the parser");
    if (context.sessionPath === null) return sessionNotSavedError("handoff");
    const veto = await checkExtensionVeto({ type: "session_before_switch", reason: "new" }, context);
    if (veto) return veto;
    context.notify?.("writing what the new session must know");
    const outcome = await context.agent.handOff(goal, (path) => isFile(resolve(context.cwd, path)));
    switch (outcome.type) {
      case "written":
        return await openHandoffSession(outcome, context.sessionPath, context);
      case "nothing-to-do":
        return success("nothing was said yet on this branch that could be handed over; /new begins a session", null);
      case "cancelled":
        return success("the handoff was cancelled; there is no new session", null);
      case "failed":
        return failure(`there is no new session: ${outcome.why}; try again, or /model another`);
    }
  },
};

/** What was paid for is shown, also where no session could be made for it. */
async function openHandoffSession(
  handoffResult: Extract<HandOffResult, { type: "written" }>,
  sourcePath: string,
  context: CommandContext,
): Promise<CommandResult> {
  const { message, files, repairs, cost } = handoffResult;
  const created = await createHandoffSession(message, { ...context, sessionPath: sourcePath });
  if (created.type === "failed")
    return { type: "draft", draft: message, text: `no session could be made: ${created.message}` };
  const notes = [
    `a new session: ${created.id.slice(0, 8)}`,
    formatCount(files.length, "file"),
    ...(created.pins > 0 ? [`${formatCount(created.pins, "pin")} came along`] : []),
    ...(repairs.length > 0 ? [`corrected: ${repairs.slice(0, 3).join("; ")}`] : []),
    ...(cost > 0 ? [formatCost(cost)] : []),
  ];
  return {
    type: "opened",
    reason: "new",
    path: created.path,
    id: created.id,
    text: notes.join(", "),
    draft: message,
    isDraftSaved: true,
  };
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isFile(),
    () => false, // Not there, or closed to us, which is the same here.
  );
}
