/** The line of an entry that has changed: only what differs is written anew, every other byte stays. */

import type { Entry } from "../../../entry.ts";
import { withMembers } from "../../../session/codec/line/json-text.ts";

/** `text` is the line of the entry as it was. */
export function changedText(text: string, before: Entry, after: Entry): string {
  if (before === after) return text;
  const members = Object.entries(after) as [keyof Entry, unknown][];
  const changed = members.filter(([name, value]) => before[name] !== value);
  return withMembers(text, Object.fromEntries(changed.map(([name, value]) => [name, JSON.stringify(value)])));
}
