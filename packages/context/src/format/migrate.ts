/** Upgrades lines of format versions 1 and 2 to the spelling of version 3. */

import { memberSpans, withMembers } from "./edit-json.ts";
import { isObject, type JsonObject } from "./read-line.ts";

/** What to change on a line so that it reads as version 3; empty for a line that already does. */
export interface Upgrade {
  readonly role?: "custom";
  readonly firstKeptEntryId?: string;
  /** It says nothing of what it keeps, or names a line that is not there. */
  readonly keepsNobody?: boolean;
}

/** Answers, line by line in file order, what an older spelling stands for. */
export interface Upgrades {
  upgrade(value: JsonObject, ownId: string): Upgrade;
  /** Call once for every line, header and damaged ones too: version 1 counts them all. */
  count(id: string | null, kind: unknown): void;
}

export function upgrades(): Upgrades {
  const ids: (string | null)[] = [];
  let messages: string[] = [];
  return {
    upgrade(value, ownId) {
      if (isHookMessage(value)) return { role: "custom" };
      if (value.type !== "compaction" || typeof value.firstKeptEntryId === "string") return NONE;
      const { firstKeptEntryIndex: index, keepLastMessages: count } = value;
      // A compaction that names its own line keeps nothing, as one that names its own id does.
      const own = index === ids.length ? ownId : undefined;
      const kept = own ?? (typeof index === "number" ? ids[index] : firstOfLast(messages, count));
      return { firstKeptEntryId: kept ?? ownId, keepsNobody: kept == null && typeof count !== "number" };
    },
    count(id, kind) {
      ids.push(id);
      if (kind === "compaction") messages = [];
      else if (kind === "message" && id !== null) messages.push(id);
    },
  };
}

export function upgradedValue(value: JsonObject, { role, firstKeptEntryId }: Upgrade): JsonObject {
  if (role) return { ...value, message: { ...(value.message as JsonObject), role } };
  return firstKeptEntryId === undefined ? value : { ...value, firstKeptEntryId };
}

export function upgradedText(text: string, { role, firstKeptEntryId }: Upgrade): string {
  const message = role && memberSpans(text).get("message");
  if (message)
    return withMembers(text, { message: withMembers(text.slice(message.start, message.end), { role: '"custom"' }) });
  return firstKeptEntryId === undefined
    ? text
    : withMembers(text, { firstKeptEntryId: JSON.stringify(firstKeptEntryId) });
}

// Version 2 called the role of a custom message `hookMessage`.
function isHookMessage(value: JsonObject): boolean {
  const message = value.message;
  return value.type === "message" && isObject(message) && message.role === "hookMessage";
}

// Document 003 counts back from the compaction, and never past the compaction before it.
function firstOfLast(messages: readonly string[], count: unknown): string | undefined {
  if (typeof count !== "number" || count < 1) return undefined;
  return messages.at(-Math.min(Math.floor(count), messages.length));
}

const NONE: Upgrade = {};
