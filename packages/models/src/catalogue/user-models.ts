/** Parses and checks the user's models file and applies it to model facts. Valid fields count even beside invalid ones. */

import type { ModelFacts, Prices } from "./facts.ts";

const PRICES = ["input", "output", "cacheRead", "cacheWrite"];
const NEEDED = ["input", "output"];

const checks: Readonly<Record<string, (value: unknown) => string | null>> = {
  contextWindow: (value) => tokens(value, 128_000),
  maxTokens: (value) => tokens(value, 8_192),
  prices,
  input,
  reasoning: yesOrNo,
  tools: yesOrNo,
};

/** Null when the field is right. */
export function checkedField(name: string, value: unknown): string | null {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  return check ? check(value) : `is no field; write one of ${Object.keys(checks).join(", ")}`;
}

function yesOrNo(value: unknown): string | null {
  return typeof value === "boolean" ? null : `is ${shown(value)}; write true or false`;
}

function tokens(value: unknown, example: number): string | null {
  if (Number.isSafeInteger(value) && Number(value) > 0) return null;
  return `is ${shown(value)}; write a whole number of tokens, such as ${example}`;
}

function prices(value: unknown): string | null {
  const example = `{ "input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75 }, in dollars per million tokens`;
  if (typeof value !== "object" || value === null) return `is ${shown(value)}; write ${example}`;
  const given = Object.entries(value);
  const odd = given.find(([name]) => !PRICES.includes(name));
  if (odd) return `has "${odd[0]}", which is no price; write ${example}`;
  const missing = NEEDED.find((name) => !given.some(([own]) => own === name));
  const [wrong = missing] = given.find(([, price]) => !isPrice(price)) ?? [];
  return wrong === undefined ? null : `lacks a price for "${wrong}", zero or more; write ${example}`;
}

function isPrice(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function input(value: unknown): string | null {
  const right =
    Array.isArray(value) && value.includes("text") && value.every((kind) => kind === "text" || kind === "image");
  return right ? null : `is ${shown(value)}; write ["text"] or ["text", "image"]`;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}

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

/** A user corrects what is wrong and leaves out the rest. */
export interface UserEntry extends Partial<Omit<ModelFacts, "prices">> {
  readonly prices?: UserPrices;
}

/** Cached tokens without a price of their own cost what input costs. */
export type UserPrices = Pick<Prices, "input" | "output"> & Partial<Prices>;

/** Keyed by `provider/model`, or by a prefix of it that ends in `*`. */
export type UserEntries = Readonly<Record<string, UserEntry>>;

/** The entry for a name: its own, else the longest of those with a star that fit. */
export function matchingEntry(entries: UserEntries, name: string): UserEntry | null {
  if (Object.hasOwn(entries, name)) return entries[name] ?? null;
  const fitting = Object.keys(entries).filter((key) => key.endsWith("*") && name.startsWith(key.slice(0, -1)));
  const [longest] = fitting.sort((one, other) => other.length - one.length);
  return longest === undefined ? null : (entries[longest] ?? null);
}

/** The facts as the user corrects them, or null where there is nothing to correct. Nonsense in an entry is left out. */
export function corrected(facts: ModelFacts, entry: UserEntry | null): ModelFacts | null {
  const { prices, ...own } = sound(entry ?? {});
  if (!prices && Object.keys(own).length === 0) return null;
  const both = { ...facts, ...own, ...(prices ? { prices: whole(prices) } : {}) };
  return { ...both, maxTokens: Math.min(both.maxTokens, both.contextWindow) };
}

// Programs hand in entries, too, that no file was checked for.
function sound(entry: UserEntry): UserEntry {
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => checkedField(name, value) === null));
}

function whole({ input, output, cacheRead = input, cacheWrite = input }: UserPrices): Prices {
  return { input, output, cacheRead, cacheWrite };
}
