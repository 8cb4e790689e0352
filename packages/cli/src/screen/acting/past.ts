/** What was said before, as far as a glance needs: the newest of the branch, from the log. */

import { wayTo } from "../../commands/walking/tree-part.ts";
import { foldEntry } from "../state/folding/fold-entry.ts";
import type { Talking } from "./talking.ts";

export async function past({ ready, screen }: Talking): Promise<void> {
  const { session } = ready.built.agent;
  const entries = await wayTo(session.leaf, session.store, NEWEST);
  screen.change((state) => entries.reduce(foldEntry, state));
}

const NEWEST = 60;
