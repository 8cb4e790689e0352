/** Implements `/handoff`: creates a session for a goal, with a draft that contains what the session needs to know from this one. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { DRAFT_TYPE, type HandOffResult } from "@pith/agent";
import { type NewEntry, refusalNotes, Session } from "@pith/context";
import { PIN_TYPE } from "@pith/context/host";
import { createSession, nodeRuntime } from "@pith/context/node";
import { formatCost, formatCount } from "@pith/host/text/format";
import { usageError } from "@pith/host/text/usage-error";
import {
  type Command,
  type CommandContext,
  type CommandResult,
  checkExtensionVeto,
  failure,
  SESSION_COLLISION_MESSAGE,
  sessionNotSavedError,
  success,
} from "./command.ts";

export type HandoffSessionResult =
  | { readonly type: "created"; readonly path: string; readonly id: string; readonly pins: number }
  | { readonly type: "failed"; readonly message: string };

export interface HandoffSessionOptions extends Pick<CommandContext, "agent" | "cwd" | "home"> {
  /** The file of the source session. */
  readonly sessionPath: string;
}

async function createHandoffSession(message: string, options: HandoffSessionOptions): Promise<HandoffSessionResult> {
  const { agent, cwd, home, sessionPath } = options;
  const result = await createSession({ cwd, parentSession: sessionPath, env: { PITH_HOME: home } });
  if (result.type === "held") return { type: "failed", message: SESSION_COLLISION_MESSAGE };
  if (result.type !== "opened") return { type: "failed", message: result.why };
  const { store } = result;
  try {
    const { pins } = agent.session.branch.state;
    const session = await Session.open(store, nodeRuntime, { redaction: agent.session });
    const appendResult = await session.append(...buildInitialEntries(message, options));
    if (appendResult.type === "appended")
      return { type: "created", path: store.path, id: store.header.id, pins: pins.length };
    return {
      type: "failed",
      message: appendResult.type === "refused" ? refusalNotes[appendResult.why] : "another process wrote to it",
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
    "start a new session for a goal; Pith drafts the first message, with what the new session needs to know from this one",
  examples: ["/handoff write the tests for the parser"],
  async run(goal, context) {
    if (goal === "") return usageError("/handoff needs a goal, such as /handoff write the tests for the parser");
    if (context.sessionPath === null) return sessionNotSavedError("handoff");
    const veto = await checkExtensionVeto({ type: "session_before_switch", reason: "new" }, context);
    if (veto) return veto;
    context.notify?.("writing the first message for the new session");
    const outcome = await context.agent.handOff(goal, (path) => isFile(resolve(context.cwd, path)));
    switch (outcome.type) {
      case "written":
        return await openHandoffSession(outcome, context.sessionPath, context);
      case "nothing-to-do":
        return success("This branch has no messages to hand over; /new starts an empty session.", null);
      case "cancelled":
        return success("Handoff cancelled; no session was created.", null);
      case "failed":
        return failure(`no session was created: ${outcome.why}; try again, or choose another model with /model`);
    }
  },
};

/** If the session cannot be created, the message becomes a draft, because the user has already paid for it. */
async function openHandoffSession(
  handoffResult: Extract<HandOffResult, { type: "written" }>,
  sourcePath: string,
  context: CommandContext,
): Promise<CommandResult> {
  const { message, files, repairs, cost } = handoffResult;
  const newSession = await createHandoffSession(message, { ...context, sessionPath: sourcePath });
  if (newSession.type === "failed")
    return { type: "draft", draft: message, text: `No session was created: ${newSession.message}` };
  const costText = cost > 0 ? `; writing it cost ${formatCost(cost)}` : "";
  const notes = [
    `New session: ${newSession.id.slice(0, 8)}. Its draft lists ${formatCount(files.length, "file")}${costText}.`,
    ...(newSession.pins > 0 ? [`${formatCount(newSession.pins, "pin")} copied.`] : []),
    ...(repairs.length > 0 ? [`Corrected: ${repairs.slice(0, 3).join("; ")}`] : []),
  ];
  return {
    type: "opened",
    reason: "new",
    path: newSession.path,
    id: newSession.id,
    text: notes.join(" "),
    draft: message,
    isDraftSaved: true,
  };
}

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isFile(),
    () => false, // An inaccessible path is treated like a missing one.
  );
}
