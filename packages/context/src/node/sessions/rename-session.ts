/** A name for a session: an entry like any other, so it becomes the leaf, as in pi. */

import { plainText } from "../../session/plain-text.ts";
import type { Appended } from "../../session/store.ts";
import type { HomeParts } from "./home.ts";
import { type NotOpened, type Target, withSession } from "./placing/with-session.ts";

/** An empty name takes the name away. */
export async function renameSession(
  target: Target,
  name: string,
  parts: HomeParts = {},
): Promise<Appended | NotOpened> {
  return withSession(target, parts, (session) => session.append({ type: "session_info", name: plainText(name) }));
}
