/** What a line says, as an entry. */

import type { Entry } from "../../../entry.ts";
import { damageNotes } from "../damage.ts";
import { isObject, type JsonObject } from "./read-line.ts";
import { isKnownKind, wrongField } from "./well-formed.ts";
import { GAP_NOTE } from "./write-line.ts";

type Place = Pick<Entry, "id" | "parentId">;

/** The entry of a line that needs nothing from other lines; null for one that has no place of its own or an old spelling. */
export function entryAlone(value: JsonObject): Entry | null {
  const { type, id, parentId } = value;
  if (type === "session" || typeof id !== "string" || id === "") return null;
  if ((typeof parentId !== "string" && parentId !== null) || isOldSpelling(value)) return null;
  return entryOf(value, { id, parentId }, wrongField(value) !== null);
}

/** The entry at its place in the tree; one whose fields are wrong is of an unknown kind. */
export function entryOf(value: JsonObject, { id, parentId }: Place, malformed: boolean): Entry {
  const { type, timestamp } = value;
  const inPlace = value.id === id && value.parentId === parentId;
  const isUsual = inPlace && !malformed && typeof timestamp === "string" && value.customType !== GAP_NOTE;
  // wrongField has looked at every field that the kind promises.
  if (isUsual && typeof type === "string" && isKnownKind(type)) return value as unknown as Entry;
  const place = { id, parentId, timestamp: typeof timestamp === "string" ? timestamp : "" };
  if (malformed || typeof type !== "string" || !isKnownKind(type)) {
    const kind = typeof type === "string" ? type : "";
    return { type: "unknown", ...place, kind, value: inPlace ? value : { ...value, id, parentId } };
  }
  if (value.customType === GAP_NOTE) return { type: "gap", ...place, why: whyOf(value.data) };
  return { ...value, ...place } as unknown as Entry;
}

function whyOf(data: unknown): string {
  return isObject(data) && typeof data.why === "string" ? data.why : damageNotes.malformed;
}

// Version 1 counted lines where a compaction now names an entry; version 2 had another name for a role.
function isOldSpelling({ type, firstKeptEntryId, message }: JsonObject): boolean {
  if (type === "compaction") return typeof firstKeptEntryId !== "string";
  return type === "message" && isObject(message) && message.role === "hookMessage";
}
