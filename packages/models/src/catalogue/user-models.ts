/** Parses and checks the user's models file and applies it to model facts. Valid fields are used even beside invalid ones. */

import { isRecord, tryParseJson } from "../json.ts";
import type { ModelFacts, Prices } from "./model-facts.ts";

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
  const issues = checkedEntries.flatMap(({ issues }) => issues.map((issue) => ({ file, ...issue })));
  return { models: Object.fromEntries(models), issues };
}

export interface ParsedUserModels {
  readonly models: UserModels;
  readonly issues: readonly UserModelsIssue[];
}

export interface UserModelsIssue {
  readonly file: string;
  /** The model and, if there is one, the field: `openai/gpt-4.1 › contextWindow`. */
  readonly key: string;
  /** What is wrong, and what to write instead. */
  readonly message: string;
}

/** Keyed by `provider/model`, or by a prefix of it that ends in `*`. */
export type UserModels = Readonly<Record<string, UserModel>>;

/** The fields that the user corrects. */
export interface UserModel extends Partial<Omit<ModelFacts, "prices">> {
  readonly prices?: UserPrices;
}

/** Without a cache price, cached tokens cost as much as input. */
export type UserPrices = Pick<Prices, "input" | "output"> & Partial<Prices>;

type EntryIssue = Omit<UserModelsIssue, "file">;

interface CheckedEntry {
  readonly key: string;
  readonly entry: UserModel | null;
  readonly issues: readonly EntryIssue[];
}

function checkEntry(key: string, value: unknown): CheckedEntry {
  const [provider = "", ...rest] = key.split("/");
  if (!provider || !rest.join("/"))
    return rejectEntry(key, `does not name a model; write "provider/model" or "provider/*"`);
  if (key.slice(0, -1).includes("*"))
    return rejectEntry(key, 'has "*" before its end; only the last character may be "*"');
  if (!isRecord(value)) return rejectEntry(key, `is ${JSON.stringify(value)}; write { "contextWindow": 128000 }`);
  const fields = Object.entries(value).map(([name, given]) => ({ name, given, problem: checkField(name, given) }));
  const validFields = fields.filter(({ problem }) => problem === null).map(({ name, given }) => [name, given]);
  const issues = fields.flatMap(({ name, problem }) =>
    problem ? [{ key: `${key} › ${name}`, message: problem }] : [],
  );
  return { key, entry: Object.fromEntries(validFields), issues };
}

function rejectEntry(key: string, message: string): CheckedEntry {
  return { key, entry: null, issues: [{ key, message }] };
}

/** The problem of a field; null if it is valid. */
function checkField(name: string, value: unknown): string | null {
  const check = Object.hasOwn(fieldChecks, name) ? fieldChecks[name] : undefined;
  return check ? check(value) : `is not a known field; write one of ${Object.keys(fieldChecks).join(", ")}`;
}

const fieldChecks: Readonly<Record<string, (value: unknown) => string | null>> = {
  contextWindow: (value) => checkTokens(value, 128_000),
  maxTokens: (value) => checkTokens(value, 8_192),
  prices: checkPrices,
  input: checkInput,
  reasoning: checkBoolean,
  tools: checkBoolean,
};

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
  if (unknownPrice) return `has an unknown price "${unknownPrice[0]}"; write ${example}`;
  const missing = REQUIRED_PRICES.find((name) => !entries.some(([priceName]) => priceName === name));
  const [invalidName = missing] = entries.find(([, price]) => !isPrice(price)) ?? [];
  return invalidName === undefined
    ? null
    : `has no valid price for "${invalidName}" (a number, zero or more); write ${example}`;
}

const PRICE_NAMES = ["input", "output", "cacheRead", "cacheWrite"];
const REQUIRED_PRICES = ["input", "output"];

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

/** The entry for a name: its own, or the longest matching entry with a star. */
export function findUserModel(entries: UserModels, name: string): UserModel | null {
  if (Object.hasOwn(entries, name)) return entries[name] ?? null;
  const matchingKeys = Object.keys(entries).filter((key) => key.endsWith("*") && name.startsWith(key.slice(0, -1)));
  const [longest] = matchingKeys.sort((one, other) => other.length - one.length);
  return longest === undefined ? null : (entries[longest] ?? null);
}

/** The facts with the user's corrections; null without corrections. Invalid fields are ignored. */
export function applyUserModel(facts: ModelFacts, entry: UserModel | null): ModelFacts | null {
  const { prices, ...corrections } = removeInvalidFields(entry ?? {});
  if (!prices && Object.keys(corrections).length === 0) return null;
  const combined = { ...facts, ...corrections, ...(prices ? { prices: completePrices(prices) } : {}) };
  return { ...combined, maxTokens: Math.min(combined.maxTokens, combined.contextWindow) };
}

// Programs may pass entries that were not read from a checked file.
function removeInvalidFields(entry: UserModel): UserModel {
  return Object.fromEntries(Object.entries(entry).filter(([name, value]) => checkField(name, value) === null));
}

function completePrices({ input, output, cacheRead = input, cacheWrite = input }: UserPrices): Prices {
  return { input, output, cacheRead, cacheWrite };
}
