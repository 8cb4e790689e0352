/** All texts of an entry: what was said, called, answered, run, and how things were named; not what is only bytes. */

import type { Entry } from "../../../entry.ts";

/** No recursion: entries come from files, and may be nested deeply. */
export function* textsIn({ id: _id, parentId: _parentId, timestamp: _timestamp, ...said }: Entry): Generator<string> {
  const open: unknown[] = [said];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") yield value;
    if (typeof value === "number") yield String(value);
    if (typeof value !== "object" || value === null || isImage(value)) continue;
    for (const [key, part] of Object.entries(value)) {
      if (SILENT.has(key)) continue;
      if (!Array.isArray(value)) yield key;
      open.push(part);
    }
  }
}

const isImage = (value: object): boolean => "type" in value && value.type === "image";

const SILENT: ReadonlySet<string> = new Set([
  "usage",
  "timestamp",
  "textSignature",
  "thinkingSignature",
  "thoughtSignature",
  "served",
]);
