/** The session that was asked for: a new one, the last of this folder, one by name, or one that nobody keeps. */

import { MemoryStore, Session } from "@pith/context";
import { createSession, findSession, listSessions, machine, openStore } from "@pith/context/node";
import type { SessionWish } from "./wish.ts";

export type OpenedSession =
  | { readonly type: "opened"; readonly session: Session; readonly close: () => Promise<void> }
  | { readonly type: "failed"; readonly message: string };

export async function openSession(wish: SessionWish, cwd: string): Promise<OpenedSession> {
  switch (wish.type) {
    case "none":
      return {
        type: "opened",
        session: await Session.open(MemoryStore.create(machine, { cwd }), machine),
        close: async () => {},
      };
    case "new":
      return opened(await createSession({ cwd }));
    case "last": {
      const [last] = await listSessions({ cwd });
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
  return { type: "opened", session: await Session.open(store, machine), close: async () => void (await store.close()) };
}

function failed(message: string): OpenedSession {
  return { type: "failed", message };
}
