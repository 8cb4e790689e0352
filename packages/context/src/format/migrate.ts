/** Upgrades lines of format versions 1 and 2 to the spelling of version 3. */

import { isObject, type JsonObject } from "../json.ts";
import { findMemberSpans, setJsonMembers } from "./edit-json-text.ts";

/** The changes that upgrade a line to version 3; empty for a line of version 3. */
export interface LineUpgrade {
  readonly role?: "custom";
  readonly firstKeptEntryId?: string;
  /** The compaction does not say what it keeps, or names a line that does not exist. */
  readonly keepsNothing?: boolean;
}

/** Upgrades the lines of one file, in file order. */
export interface LineUpgrader {
  /** Returns the changes for a line; `ownId` is the id of its entry. */
  upgrade(value: JsonObject, ownId: string): LineUpgrade;
  /** Must be called once for every line, including headers and damaged lines, because version 1 counts all of them. */
  countLine(id: string | null, kind: unknown): void;
}

/** Creates an upgrader for one file. */
export function createUpgrader(): LineUpgrader {
  const ids: (string | null)[] = [];
  let messages: string[] = [];
  return {
    upgrade(value, ownId) {
      if (isHookMessage(value)) return { role: "custom" };
      if (value.type !== "compaction" || typeof value.firstKeptEntryId === "string") return NO_UPGRADE;
      const { firstKeptEntryIndex: index, keepLastMessages: count } = value;
      // A compaction that names its own line keeps nothing, like one that names its own id.
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

/** Applies an upgrade to the parsed line. */
export function applyUpgrade(value: JsonObject, { role, firstKeptEntryId }: LineUpgrade): JsonObject {
  if (role) return { ...value, message: { ...(value.message as JsonObject), role } };
  return firstKeptEntryId === undefined ? value : { ...value, firstKeptEntryId };
}

/** Applies an upgrade to the text of the line and keeps every other byte. */
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

// In version 2 the role of a custom message is `hookMessage`.
function isHookMessage(value: JsonObject): boolean {
  const message = value.message;
  return value.type === "message" && isObject(message) && message.role === "hookMessage";
}

// In document 003 a compaction counts back from itself, but not past the previous compaction.
function firstOfLastMessages(messages: readonly string[], count: unknown): string | undefined {
  if (typeof count !== "number" || count < 1) return undefined;
  return messages.at(-Math.min(Math.floor(count), messages.length));
}

const NO_UPGRADE: LineUpgrade = {};
