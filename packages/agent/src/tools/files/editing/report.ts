/** What an edit did, in a sentence or two. */

import { counted } from "../../output.ts";
import type { How } from "./finding/find-spot.ts";
import type { Splice } from "./text-file.ts";
import { changesOf } from "./unified-diff.ts";

export interface Edited {
  readonly path: string;
  readonly text: string;
  readonly splices: readonly Splice[];
  readonly hows: readonly How[];
}

export function reportOn({ path, text, splices, hows }: Edited): string {
  const changes = changesOf(text, splices);
  const came = changes.reduce((sum, change) => sum + change.new.length, 0);
  const went = changes.reduce((sum, change) => sum + change.old.length, 0);
  const lines = changes.slice(0, LINES_NAMED).map(({ at }) => at + 1);
  const more = changes.length > LINES_NAMED ? " …" : "";
  const where = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}${more}`;
  return `Edited ${path}: ${counted(splices.length, "replacement")} at ${where}; +${came} -${went}.${looseness(hows)}`;
}

const LINES_NAMED = 10;

/** The model remembers a text that is not there; it should know. */
function looseness(hows: readonly How[]): string {
  const notes = hows.flatMap((how, at) => (how === "exact" ? [] : `edits[${at}] fitted apart from ${how}`));
  return notes.length === 0 ? "" : ` Note: ${notes.join("; ")}.`;
}
