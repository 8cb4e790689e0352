/** Opens or creates the requested session together with the model that answers in it. */

import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { MemoryStore, type Model, type Redaction, Session } from "@pith/context";
import type { SessionState } from "@pith/context/host";
import { createSession, listSessions, nodeRuntime, openStore, pithHome } from "@pith/context/node";
import type { Damage } from "@pith/context/store";
import type { SessionWish, Wish } from "../args/args.ts";
import { chooseModel } from "../models/open-model.ts";
import { isOfSubAgent } from "../sessions/sub-agent-ids.ts";
import type { Place } from "./app-options.ts";

export type OpenedSession =
  | {
      readonly type: "opened";
      readonly session: Session;
      /** Its file; null where nothing is kept. */
      readonly path: string | null;
      /** What opening found to be wrong with the file. */
      readonly damage: readonly Damage[];
      readonly close: () => Promise<void>;
    }
  | NotOpened;

export interface NotOpened {
  readonly type: "failed";
  readonly message: string;
  /** The exit code, where it is no mistake of whoever called: a full disk, another writer. */
  readonly code?: 1;
}

export interface SessionPlace {
  readonly cwd: string;
  /** Of a new one. */
  readonly id: string;
  /** What is written passes it. */
  readonly redaction?: Redaction | undefined;
}

export async function openSession(wish: SessionWish, { cwd, id, redaction }: SessionPlace): Promise<OpenedSession> {
  const ports = { ...nodeRuntime, sessionId: () => id };
  switch (wish.type) {
    case "none":
      return {
        type: "opened",
        session: await Session.open(MemoryStore.create(ports, { cwd }), nodeRuntime, { redaction }),
        path: null,
        damage: [],
        close: async () => {},
      };
    case "new":
      return withoutTrace(await opened(await createSession({ cwd, runtime: ports }), redaction));
    case "last": {
      // One that was stopped before a word was said is nobody's last, nor is one that a sub-agent worked in.
      const last = (await listSessions({ cwd })).find(({ firstMessage, id }) => firstMessage && !isOfSubAgent(id));
      return last
        ? opened(await openStore(last.path), redaction)
        : failed("there is no session of this folder yet; begin one without -c");
    }
    case "choose":
      return failed("say which session: --session ID");
    case "named": {
      const { namedSession, sessionToWrite } = await import("../sessions/find-session.ts");
      const home = pithHome();
      const found = await sessionToWrite(await namedSession(wish.name, { cwd, home }), home);
      return found.type === "found" ? opened(await openStore(found.path), redaction) : failed(found.message);
    }
  }
}

async function opened(
  outcome: Awaited<ReturnType<typeof openStore>>,
  redaction: Redaction | undefined,
): Promise<OpenedSession> {
  if (outcome.type === "held")
    return { ...failed(`process ${outcome.owner.pid} writes this session; end it, or begin another`), code: 1 };
  if (outcome.type !== "opened") return { ...failed(outcome.why), code: 1 };
  const { store } = outcome;
  const damage = await store.damageOnOpen();
  const session = await Session.open(store, nodeRuntime, { redaction });
  return { type: "opened", session, path: store.path, damage, close: async () => void (await store.close()) };
}

/** A new one in which nothing was written, as after `/help`, leaves no file: it would be one more to look at, and empty. */
function withoutTrace(outcome: OpenedSession): OpenedSession {
  if (outcome.type !== "opened") return outcome;
  const { session, path, close } = outcome;
  const end = async (): Promise<void> => {
    const isEmpty = path !== null && session.leaf === null && (await session.store.leaf()) === null;
    // While nobody else may write it.
    if (isEmpty) await rm(path, { force: true });
    await close();
    if (isEmpty) await rm(join(dirname(path), ".pith", basename(path)), { recursive: true, force: true });
  };
  return { ...outcome, close: end };
}

function failed(message: string): NotOpened {
  return { type: "failed", message };
}

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
  const id = nodeRuntime.sessionId();
  const at = { cwd, id, redaction: vault ?? undefined };
  const found = isNew ? null : await openSession(wish, at);
  if (found?.type === "failed") return found;
  const { model: last } = found?.session.branch.state ?? { model: null };
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
  return { ...place, model: absentModel(opened.message, last), heard: [], missing: opened.message };
}

/** For what needs no model: every request fails. `spoke`: who did in this session, so that it is not taken for another's. */
export function absentModel(missing: string, spoke: SessionState["model"] = null): Model {
  return {
    api: "none",
    provider: spoke?.provider ?? "none",
    model: spoke?.modelId ?? "none",
    contextWindow: 0,
    maxTokens: 0,
    async *stream() {
      yield { type: "reply-failed", failure: { kind: "refused", message: missing } };
    },
  };
}

export interface WayOn {
  /** For people; null where nothing is kept. */
  readonly next: string | null;
  /** Flags that must be said again then. */
  readonly flags: string;
}

export function wayOn({ session, choices: { baseUrl } }: Wish, { store }: Session): WayOn {
  // An address is never kept with a session, which may come from anybody: it has to be said again.
  const flags = baseUrl === undefined ? "" : ` --base-url ${baseUrl}`;
  if (session.type === "none") return { next: null, flags };
  const { id } = store.header;
  // AGT14: a sub-agent's is nobody's last.
  const which = isOfSubAgent(id) ? `--session ${id.slice(0, 8)}` : "-c";
  return { next: `session ${id.slice(0, 8)}; go on with pith -p ${which}${flags}`, flags };
}
