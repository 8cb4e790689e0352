/** The user's file of models: text in, entries and findings out. What is right in it counts, whatever else is wrong. */

import type { UserEntries, UserEntry } from "./user-entry.ts";
import { checkedField } from "./user-field.ts";

export interface UserFile {
  readonly entries: UserEntries;
  readonly findings: readonly Finding[];
}

export interface Finding {
  readonly file: string;
  /** The model, and the field inside it where there is one: `openai/gpt-4.1 › contextWindow`. */
  readonly key: string;
  /** What is wrong, and what to write instead. */
  readonly message: string;
}

/**
 * @example
 * const { entries, findings } = userEntries(text, "models.json");
 * const models = catalogue({ user: entries });
 */
export function userEntries(text: string, file: string): UserFile {
  const value = parsed(text);
  if (!isRecord(value)) {
    const message = `is not a JSON object; write { "provider/model": { "contextWindow": 128000 } }`;
    return { entries: {}, findings: [{ file, key: "", message }] };
  }
  const checked = Object.entries(value).map(([key, entry]) => checkedEntry(key, entry));
  const entries = checked.flatMap(({ key, entry }) => (entry ? [[key, entry] as const] : []));
  const findings = checked.flatMap(({ faults }) => faults.map((fault) => ({ file, ...fault })));
  return { entries: Object.fromEntries(entries), findings };
}

type Fault = Omit<Finding, "file">;

interface Checked {
  readonly key: string;
  readonly entry: UserEntry | null;
  readonly faults: readonly Fault[];
}

function checkedEntry(key: string, value: unknown): Checked {
  const [provider = "", ...rest] = key.split("/");
  if (!provider || !rest.join("/")) return refused(key, `names no model; write "provider/model" or "provider/*"`);
  if (key.slice(0, -1).includes("*"))
    return refused(key, "has a star that is not its last letter; only the end may be open");
  if (!isRecord(value)) return refused(key, `is ${JSON.stringify(value)}; write { "contextWindow": 128000 }`);
  const fields = Object.entries(value).map(([name, given]) => ({ name, given, fault: checkedField(name, given) }));
  const good = fields.filter(({ fault }) => fault === null).map(({ name, given }) => [name, given]);
  const faults = fields.flatMap(({ name, fault }) => (fault ? [{ key: `${key} › ${name}`, message: fault }] : []));
  return { key, entry: Object.fromEntries(good), faults };
}

function refused(key: string, message: string): Checked {
  return { key, entry: null, faults: [{ key, message }] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Told by the caller, with what to write.
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
