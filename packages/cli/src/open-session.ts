/** The session that was asked for: a new one, the last of this folder, one by name, or one that nobody keeps. */

import { MemoryStore, Session } from "@pith/context";
import { createSession, findSession, listSessions, machine, openStore } from "@pith/context/node";
import type { SessionWish } from "./asking/wish.ts";

export type OpenedSession =
  | {
      readonly type: "opened";
      readonly session: Session;
      /** Its file; null where nothing is kept. */
      readonly path: string | null;
      readonly close: () => Promise<void>;
    }
  | { readonly type: "failed"; readonly message: string };

/** A new one gets this id. */
export async function openSession(
  wish: SessionWish,
  { cwd, id }: { readonly cwd: string; readonly id: string },
): Promise<OpenedSession> {
  const ports = { ...machine, sessionId: () => id };
  switch (wish.type) {
    case "none":
      return {
        type: "opened",
        session: await Session.open(MemoryStore.create(ports, { cwd }), machine),
        path: null,
        close: async () => {},
      };
    case "new":
      return opened(await createSession({ cwd, ports }));
    case "last": {
      // One that was stopped before a word was said is nobody's last.
      const last = (await listSessions({ cwd })).find(({ firstMessage }) => firstMessage);
      return last
        ? opened(await openStore(last.path))
        : failed("there is no session of this folder yet; begin one without -c");
    }
    case "named": {
      const found = await findSession(wish.name);
      return found.type === "found" ? opened(await openStore(found.path)) : failed(found.why);
    }
  }
}

async function opened(outcome: Awaited<ReturnType<typeof openStore>>): Promise<OpenedSession> {
  if (outcome.type === "held")
    return failed(`process ${outcome.owner.pid} writes this session; end it, or begin another`);
  if (outcome.type !== "opened") return failed(outcome.why);
  const { store } = outcome;
  const session = await Session.open(store, machine);
  return { type: "opened", session, path: store.path, close: async () => void (await store.close()) };
}

function failed(message: string): OpenedSession {
  return { type: "failed", message };
}
