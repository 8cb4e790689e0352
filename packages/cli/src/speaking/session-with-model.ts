/** The session that is worked in, and who speaks in it. */

import type { Model } from "@pith/context";
import { machine } from "@pith/context/node";
import type { Wish } from "../asking/wish.ts";
import { type NotOpened, type OpenedSession, openSession } from "../open-session.ts";
import type { Place } from "../place.ts";
import { chooseModel } from "./choose-model.ts";

export type Voiced = (Extract<OpenedSession, { type: "opened" }> & Speaker) | NotOpened;

export interface Speaker {
  readonly model: Model;
  /** What was noticed on the way to it. */
  readonly heard: readonly string[];
  readonly missing: string | null;
}

/** A session that exists says who spoke in it; a new one is made only where somebody will speak. */
export async function sessionWithModel({ session: wish }: Wish, where: Place): Promise<Voiced> {
  const { cwd, home, environment, choices, vault, needsModel = true } = where;
  const isNew = wish.type === "new" || wish.type === "none";
  const id = machine.sessionId();
  const at = { cwd, id, redaction: vault ?? undefined };
  const found = isNew ? null : await openSession(wish, at);
  if (found?.type === "failed") return found;
  const { model: last } = found?.session.window.state ?? { model: null };
  const spoke = last ? `${last.provider}/${last.modelId}` : undefined;
  const sessionId = found?.session.store.header.id ?? id;
  const opened = await chooseModel(choices, { environment, home, sessionId, spoke });
  if (opened.type !== "opened" && needsModel) {
    await found?.close();
    return { type: "failed", message: opened.message };
  }
  const place = found ?? (await openSession(wish, at));
  if (place.type === "failed") return place;
  if (opened.type === "opened") return { ...place, model: opened.model, heard: opened.notes(), missing: null };
  const { absentModel } = await import("./absent-model.ts");
  return { ...place, model: absentModel(opened.message, last), heard: [], missing: opened.message };
}
