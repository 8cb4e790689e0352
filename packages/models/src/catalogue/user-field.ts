/** One field of a model in the user's file: right, or what to write instead. */

const PRICES = ["input", "output", "cacheRead", "cacheWrite"];
const NEEDED = ["input", "output"];

const checks: Readonly<Record<string, (value: unknown) => string | null>> = {
  contextWindow: (value) => tokens(value, 128_000),
  maxTokens: (value) => tokens(value, 8_192),
  prices,
  input,
  reasoning: (value) => (typeof value === "boolean" ? null : `is ${shown(value)}; write true or false`),
};

/** Null when the field is right. */
export function checkedField(name: string, value: unknown): string | null {
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  return check ? check(value) : `is no field; write one of ${Object.keys(checks).join(", ")}`;
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
