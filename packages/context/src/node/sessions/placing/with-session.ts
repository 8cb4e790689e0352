/** One act on a session, however it is given: by path, then it is opened and closed again; or open, then no second lease is taken. */

import { Session } from "../../../session/session.ts";
import { diskError } from "../../files/files.ts";
import { orUnavailable } from "../../files/unavailable.ts";
import { JsonlStore } from "../../jsonl/jsonl-store.ts";
import { type Opened, openStore } from "../../jsonl/open-store.ts";
import { type HomeParts, settled } from "../home.ts";

/** Whoever has a `Session` gives that one: it then knows of what was added. */
export type Target = string | JsonlStore | Session;

/** Why it could not be opened. */
export type NotOpened = Exclude<Opened, { readonly type: "opened" }>;

export async function withSession<Outcome>(
  target: Target,
  parts: HomeParts,
  act: (session: Session) => Promise<Outcome>,
): Promise<Outcome | NotOpened> {
  if (target instanceof Session) return orUnavailable("the session cannot be read", () => act(target));
  const all = settled(parts);
  if (target instanceof JsonlStore)
    return orUnavailable(`${target.path} cannot be read`, async () => act(await Session.open(target, all.ports, all)));
  const opened = await openStore(target, all);
  if (opened.type !== "opened") return opened;
  try {
    return await orUnavailable(`${target} cannot be read`, async () =>
      act(await Session.open(opened.store, all.ports, all)),
    );
  } finally {
    await closed(opened.store);
  }
}

/** What was done is done: a disk that fails at the very end leaves at most a lease, which ends with this process. */
export async function closed(store: JsonlStore): Promise<void> {
  try {
    await store.close();
  } catch (error) {
    if (diskError(error) === "") throw error;
  }
}
