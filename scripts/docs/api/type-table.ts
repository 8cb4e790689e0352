/** Every type that a door lets out, in one table: its first sentence, and where it stands. */

import { posix } from "node:path";
import { table } from "../tables/table.ts";
import { type Api, type Exported, SOURCES } from "./read-api.ts";
import { shape } from "./shape.ts";

export function typeTable({ exports }: Api): string {
  const rows = exports
    .filter(({ kind }) => kind === "type")
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((each) => [`\`${each.name}\``, meaning(each), sourceLink(each)]);
  return table(["type", "what it is", "in"], rows);
}

/** A link to the file, from the folder of documents. */
export function sourceLink({ path }: Pick<Exported, "path">): string {
  return `[${posix.relative(SOURCES, path)}](../${path})`;
}

function meaning(type: Exported): string {
  if (type.said !== "") return firstSentence(type.said);
  return bearsNameOfFile(type) ? firstSentence(type.opening) : `\`${shape(type)}\``;
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return /^.*?[.!?](?=\s+[^a-z]|$)/.exec(line)?.[0] ?? line;
}

function bearsNameOfFile({ name, path }: Exported): boolean {
  return posix.basename(path, ".ts").replaceAll("-", "") === name.toLowerCase();
}
