/** A name for an entry: an entry like any other, so it becomes the leaf, as in pi. */

import { plainText } from "../../session/plain-text.ts";
import type { Appended } from "../../session/store.ts";
import type { HomeParts } from "./home.ts";
import { type NotOpened, type Target, withSession } from "./placing/with-session.ts";

export interface Labelling extends HomeParts {
  readonly entryId: string;
  /** Left out or empty, it takes the label away. */
  readonly label?: string;
}

export type Labelled = Appended | NotOpened | { readonly type: "no-entry"; readonly why: string };

export async function labelEntry(target: Target, { entryId, label = "", ...parts }: Labelling): Promise<Labelled> {
  return withSession(target, parts, async (session): Promise<Labelled> => {
    if (!(await session.store.entry(entryId))) return noEntry(entryId);
    const shown = plainText(label);
    return session.append({ type: "label", targetId: entryId, ...(shown !== "" && { label: shown }) });
  });
}

function noEntry(id: string): Labelled {
  return { type: "no-entry", why: `the session has no entry ${id}; take its id from the tree` };
}
