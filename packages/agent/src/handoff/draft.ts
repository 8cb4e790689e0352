/** A message that waits in a session to be read, changed and said; it is in the log, so that whoever opens it finds it. */

import type { Window } from "@pith/context";

/** The custom entry that holds it. */
export const DRAFT = "pith.draft";

/** What waits to be said here; null where nothing does, or somebody has spoken since. */
export function draftAt({ entries }: Pick<Window, "entries">): string | null {
  const at = entries.findLastIndex((entry) => entry.type === "custom" && entry.customType === DRAFT);
  const entry = entries[at];
  if (entry?.type !== "custom") return null;
  const isSaid = entries.slice(at).some((each) => each.type === "message" && each.message.role === "user");
  // It comes from a file.
  const { text } = Object(entry.data) as { readonly text?: unknown };
  return !isSaid && typeof text === "string" && text.trim() !== "" ? text : null;
}
