/** Parses and checks the user's models file and applies it to model facts. Valid fields count even beside invalid ones. */

import type { ModelFacts, Prices } from "./model-facts.ts";

const PRICE_NAMES = ["input", "output", "cacheRead", "cacheWrite"];
const REQUIRED_PRICES = ["input", "output"];

const fieldChecks: Readonly<Record<string, (value: unknown) => string | null>> = {
  contextWindow: (value) => checkTokens(value, 128_000),
  maxTokens: (value) => checkTokens(value, 8_192),
  prices: checkPrices,
  input: checkInput,
  reasoning: checkBoolean,
  tools: checkBoolean,
};

/** Null when the field is right. */
export function checkField(name: string, value: unknown): string | null {
  const check = Object.hasOwn(fieldChecks, name) ? fieldChecks[name] : undefined;
  return check ? check(value) : `is no field; write one of ${Object.keys(fieldChecks).join(", ")}`;
}

function checkBoolean(value: unknown): string | null {
  return typeof value === "boolean" ? null : `is ${formatValue(value)}; write true or false`;
}

function checkTokens(value: unknown, example: number): string | null {
  if (Number.isSafeInteger(value) && Number(value) > 0) return null;
  return `is ${formatValue(value)}; write a whole number of tokens, such as ${example}`;
}

function checkPrices(value: unknown): string | null {
  const example = `{ "input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75 }, in dollars per million tokens`;
  if (typeof value !== "object" || value === null) return `is ${formatValue(value)}; write ${example}`;
  const entries = Object.entries(value);
  const unknownPrice = entries.find(([name]) => !PRICE_NAMES.includes(name));
  if (unknownPrice) return `has "${unknownPrice[0]}", which is no price; write ${example}`;
  const missing = REQUIRED_PRICES.find((name) => !entries.some(([priceName]) => priceName === name));
  const [invalidName = missing] = entries.find(([, price]) => !isPrice(price)) ?? [];
  return invalidName === undefined ? null : `lacks a price for "${invalidName}", zero or more; write ${example}`;
}

function isPrice(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function checkInput(value: unknown): string | null {
  const isValid =
    Array.isArray(value) && value.includes("text") && value.every((kind) => kind === "text" || kind === "image");
  return isValid ? null : `is ${formatValue(value)}; write ["text"] or ["text", "image"]`;
}

function formatValue(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}

export interface ParsedUserModels {
  readonly models: UserModels;
  readonly issues: readonly UserModelsIssue[];
}

export interface UserModelsIssue {
  readonly file: string;
  /** The model, and the field inside it where there is one: `openai/gpt-4.1 › contextWindow`. */
  readonly key: string;
  /** What is wrong, and what to write instead. */
  readonly message: string;
}

/**
 * @example
 * const { models, issues } = parseUserModels(text, "models.json");
 * const catalogue = createCatalogue({ userModels: models });
 */
export function parseUserModels(text: string, file: string): ParsedUserModels {
  const value = tryParseJson(text);
  if (!isRecord(value)) {
    const message = `is not a JSON object; write { "provider/model": { "contextWindow": 128000 } }`;
    return { models: {}, issues: [{ file, key: "", message }] };
  }
  const checkedEntries = Object.entries(value).map(([key, entry]) => checkEntry(key, entry));
  const models = checkedEntries.flatMap(({ key, entry }) => (entry ? [[key, entry] as const] : []));
  const issues = checkedEntries.flatMap(({ issues }) => issues.map((fault) => ({ file, ...fault })));
  return { models: Object.fromEntries(models), issues };
}

type EntryIssue = Omit<UserModelsIssue, "file">;

interface CheckedEntry {
  readonly key: string;
  readonly entry: UserModel | null;
  readonly issues: readonly EntryIssue[];
}

function checkEntry(key: string, value: unknown): CheckedEntry {
  const [provider = "", ...rest] = key.split("/");
  if (!provider || !rest.join("/")) return rejectEntry(key, `names no model; write "provider/model" or "provider/*"`);
  if (key.slice(0, -1).includes("*"))
    return rejectEntry(key, "has a star that is not its last letter; only the end may be open");
  if (!isRecord(value)) return rejectEntry(key, `is ${JSON.stringify(value)}; write { "contextWindow": 128000 }`);
  const fields = Object.entries(value).map(([name, given]) => ({ name, given, fault: checkField(name, given) }));
  const validFields = fields.filter(({ fault }) => fault === null).map(({ name, given }) => [name, given]);
  const issues = fields.flatMap(({ name, fault }) => (fault ? [{ key: `${key} › ${name}`, message: fault }] : []));
  return { key, entry: Object.fromEntries(validFields), issues };
}

function rejectEntry(key: string, message: string): CheckedEntry {
  return { key, entry: null, issues: [{ key, message }] };
}

function tryParseJson(text: string): unknown {
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
export interface UserModel extends Partial<Omit<ModelFacts, "prices">> {
  readonly prices?: UserPrices;
}

/** Cached tokens without a price of their own cost what input costs. */
export type UserPrices = Pick<Prices, "input" | "output"> & Partial<Prices>;

/** Keyed by `provider/model`, or by a prefix of it that ends in `*`. */
export type UserModels = Readonly<Record<string, UserModel>>;

/** The entry for a name: its own, else the longest of those with a star that fit. */
export function findUserModel(entries: UserModels, name: string): UserModel | null {
  if (Object.hasOwn(entries, name)) return entries[name] ?? null;
  const matchingKeys = Object.keys(entries).filter((key) => key.endsWith("*") && name.startsWith(key.slice(0, -1)));
  const [longest] = matchingKeys.sort((one, other) => other.length - one.length);
  return longest === undefined ? null : (entries[longest] ?? null);
}

/** The facts as the user corrects them, or null where there is nothing to correct. Nonsense in an entry is left out. */
export function applyUserModel(facts: ModelFacts, entry: UserModel | null): ModelFacts | null {
  const { prices, ...own } = removeInvalidFields(entry ?? {});
  if (!prices && Object.keys(own).length === 0) return null;
  const combined = { ...facts, ...own, ...(prices ? { prices: completePrices(prices) } : {}) };
  return { ...combined, maxTokens: Math.min(combined.maxTokens, combined.contextWindow) };
}

// Programs hand in entries, too, that no file was checked for.
function removeInvalidFields(entry: UserModel): UserModel {
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => checkField(name, value) === null));
}

function completePrices({ input, output, cacheRead = input, cacheWrite = input }: UserPrices): Prices {
  return { input, output, cacheRead, cacheWrite };
}
