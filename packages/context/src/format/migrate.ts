/** Upgrades lines of format versions 1 and 2 to the spelling of version 3. */

import { isObject, type JsonObject } from "../json.ts";
import { findMemberSpans, setJsonMembers } from "./edit-json.ts";

/** What to change on a line so that it reads as version 3; empty for a line that already does. */
export interface LineUpgrade {
  readonly role?: "custom";
  readonly firstKeptEntryId?: string;
  /** It says nothing of what it keeps, or names a line that is not there. */
  readonly keepsNothing?: boolean;
}

/** Answers, line by line in file order, what an older spelling stands for. */
export interface LineUpgrader {
  upgrade(value: JsonObject, ownId: string): LineUpgrade;
  /** Call once for every line, header and damaged ones too: version 1 counts them all. */
  countLine(id: string | null, kind: unknown): void;
}

export function createUpgrader(): LineUpgrader {
  const ids: (string | null)[] = [];
  let messages: string[] = [];
  return {
    upgrade(value, ownId) {
      if (isHookMessage(value)) return { role: "custom" };
      if (value.type !== "compaction" || typeof value.firstKeptEntryId === "string") return NO_UPGRADE;
      const { firstKeptEntryIndex: index, keepLastMessages: count } = value;
      // A compaction that names its own line keeps nothing, as one that names its own id does.
      const ownTarget = index === ids.length ? ownId : undefined;
      const firstKeptId = ownTarget ?? (typeof index === "number" ? ids[index] : firstOfLastMessages(messages, count));
      return { firstKeptEntryId: firstKeptId ?? ownId, keepsNothing: firstKeptId == null && typeof count !== "number" };
    },
    countLine(id, kind) {
      ids.push(id);
      if (kind === "compaction") messages = [];
      else if (kind === "message" && id !== null) messages.push(id);
    },
  };
}

export function applyUpgrade(value: JsonObject, { role, firstKeptEntryId }: LineUpgrade): JsonObject {
  if (role) return { ...value, message: { ...(value.message as JsonObject), role } };
  return firstKeptEntryId === undefined ? value : { ...value, firstKeptEntryId };
}

export function applyUpgradeToText(text: string, { role, firstKeptEntryId }: LineUpgrade): string {
  const message = role && findMemberSpans(text).get("message");
  if (message)
    return setJsonMembers(text, {
      message: setJsonMembers(text.slice(message.start, message.end), { role: '"custom"' }),
    });
  return firstKeptEntryId === undefined
    ? text
    : setJsonMembers(text, { firstKeptEntryId: JSON.stringify(firstKeptEntryId) });
}

// Version 2 called the role of a custom message `hookMessage`.
function isHookMessage(value: JsonObject): boolean {
  const message = value.message;
  return value.type === "message" && isObject(message) && message.role === "hookMessage";
}

// Document 003 counts back from the compaction, and never past the compaction before it.
function firstOfLastMessages(messages: readonly string[], count: unknown): string | undefined {
  if (typeof count !== "number" || count < 1) return undefined;
  return messages.at(-Math.min(Math.floor(count), messages.length));
}

const NO_UPGRADE: LineUpgrade = {};
