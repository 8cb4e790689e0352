/** What a talk begins with: what the command line says, or with `-r` the session that is chosen on the screen. */

import { pithHome } from "@pith/context/node";
import type { Wish } from "../../../asking/wish.ts";
import type { Stage } from "../../stage.ts";

/** Null where none was chosen. `note`: why the one before it could not be had. */
export async function firstWish(wish: Wish, screen: Stage, note: string | null = null): Promise<Wish | null> {
  if (wish.session.type !== "choose") return wish;
  const { chosenSession } = await import("./choosing/choose-session.ts");
  const place = { cwd: process.cwd(), home: pithHome(), here: null };
  const session = await chosenSession(screen, place, note);
  return session && { ...wish, session };
}
