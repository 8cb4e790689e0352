/** The entry that somebody names on a command line: by its id, the beginning of one, or its label. */

import { Session, type Store } from "@pith/context";
import { machine } from "@pith/context/node";
import { mistake } from "../../../asking/mistake.ts";
import { type FoundEntry, findEntry } from "../../../commands/walking/find-entry.ts";

export async function entryMeant(store: Store, name: string): Promise<FoundEntry> {
  const found = await findEntry(name, await Session.open(store, machine));
  if (found.type === "found") return found;
  return mistake(
    `there is no entry "${name}" in this session, or several begin so; pith sessions show SESSION --tree shows their ids`,
  );
}
