/** The session that work is handed over to: it knows where it comes from, who speaks, what is pinned, and what waits to be said. */

import { DRAFT } from "@pith/agent";
import { type Drafted, PIN, refusalNotes, Session } from "@pith/context";
import { createSession, machine } from "@pith/context/node";
import type { Desk } from "../command.ts";

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
    const { pins } = agent.session.window.state;
    const session = await Session.open(store, machine, { redaction: agent.session });
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

function draftsFor(text: string, { agent: { session, model } }: HandedParts): readonly Drafted[] {
  return [
    { type: "model_change", provider: model.provider, modelId: model.model },
    ...session.window.state.pins.map(
      (pin): Drafted => ({ type: "custom_message", customType: PIN, content: pin.text, display: true }),
    ),
    { type: "custom", customType: DRAFT, data: { text } },
  ];
}
