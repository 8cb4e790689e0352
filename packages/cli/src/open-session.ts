/** The session that was asked for: a new one, the last of this folder, one by name, or one that nobody keeps. */

import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { MemoryStore, type Redaction, Session } from "@pith/context";
import { createSession, listSessions, machine, openStore, pithHome } from "@pith/context/node";
import type { SessionWish } from "./asking/wish.ts";
import { isOfSubAgent } from "./sub-agents/keeping/sub-agent-id.ts";

export type OpenedSession =
  | {
      readonly type: "opened";
      readonly session: Session;
      /** Its file; null where nothing is kept. */
      readonly path: string | null;
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
  const ports = { ...machine, sessionId: () => id };
  switch (wish.type) {
    case "none":
      return {
        type: "opened",
        session: await Session.open(MemoryStore.create(ports, { cwd }), machine, { redaction }),
        path: null,
        close: async () => {},
      };
    case "new":
      return withoutTrace(await opened(await createSession({ cwd, ports }), redaction));
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
      const { namedSession } = await import("./subcommands/sessions/finding/named-session.ts");
      const { sessionToWrite } = await import("./subcommands/sessions/finding/session-to-write.ts");
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
  const session = await Session.open(store, machine, { redaction });
  return { type: "opened", session, path: store.path, close: async () => void (await store.close()) };
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
