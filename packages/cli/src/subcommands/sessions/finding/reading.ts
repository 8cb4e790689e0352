/** A session opened only to be looked at, however it was named; closed again whatever comes of the look. */

import { type JsonlStore, openStore } from "@pith/context/node";
import type { Mistake } from "../../../asking/mistake.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { type NamedSession, namedSession } from "./named-session.ts";
import { foldersIn } from "./session-folders.ts";
import { sessionToWrite } from "./session-to-write.ts";

export type Failed = Extract<Outcome, { type: "failed" }>;

export async function withRead<Look>(
  word: string,
  call: Call,
  look: (store: JsonlStore) => Promise<Look>,
): Promise<Look | Mistake | Failed> {
  const found = await meant(word, call);
  return found.type === "mistake" ? found : await looked(found.path, look);
}

/** The session that these words mean, seen from where the call was made. */
export function meant(word: string, call: Call): Promise<NamedSession> {
  const { cwd, home } = call;
  return namedSession(word, { cwd, home, folders: foldersIn(call) });
}

/** The same for whoever writes it, moves it or throws it away. */
export async function meantToWrite(word: string, call: Call): Promise<NamedSession> {
  return await sessionToWrite(await meant(word, call), call.home);
}

/** The same with its id, of which a path says nothing. */
export async function withId(found: NamedSession): Promise<NamedSession | Failed> {
  if (found.type === "mistake" || found.id !== "") return found;
  return await looked(found.path, async ({ header }): Promise<NamedSession> => ({ ...found, id: header.id }));
}

export async function looked<Look>(path: string, look: (store: JsonlStore) => Promise<Look>): Promise<Look | Failed> {
  const opened = await openStore(path, { as: "follower" });
  if (opened.type !== "opened") return { type: "failed", message: whyNot(opened) };
  try {
    return await look(opened.store);
  } finally {
    await opened.store.close();
  }
}

/** Why a session cannot be had, for people. */
export function whyNot(
  outcome:
    | { readonly type: "held"; readonly owner: { readonly pid: number } }
    | { readonly type: string; readonly why: string },
): string {
  if ("why" in outcome) return outcome.why;
  return `process ${outcome.owner.pid} writes this session; end it first`;
}
