/** Reads tool arguments tolerantly: models send numbers and flags as text, and leave unneeded arguments empty. */

export type ToolArguments = Readonly<Record<string, unknown>>;

export type ParsedArgument<Value> = { readonly type: "right"; readonly value: Value } | ArgumentError;

export interface ArgumentError {
  readonly type: "wrong";
  /** Told to the model, which may try again. */
  readonly message: string;
}

export function valid<Value>(value: Value): ParsedArgument<Value> {
  return { type: "right", value };
}

export function invalid(message: string): ArgumentError {
  return { type: "wrong", message };
}

/** All of them, or what is wrong with the first that is. */
export function combineArguments<Values>(
  argumentsByName: { readonly [Name in keyof Values]: ParsedArgument<Values[Name]> },
): ParsedArgument<Values> {
  const entries = Object.entries<ParsedArgument<unknown>>(argumentsByName);
  for (const [, argument] of entries) if (argument.type === "wrong") return argument;
  const values = entries.map(([name, argument]) => [name, argument.type === "right" ? argument.value : undefined]);
  return valid(Object.fromEntries(values) as Values);
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** Null where none is given; what is no number is none that equals itself. */
export function parseNumber(value: unknown): number | null {
  if (!isGiven(value)) return null;
  if (typeof value === "string") return Number(value.trim() || Number.NaN);
  return typeof value === "number" ? value : Number.NaN;
}

/** A whole number; null where none is given. A 0 where counting starts at 1 is meant well. */
export function readInteger(args: ToolArguments, name: string, minimum: 0 | 1): ParsedArgument<number | null> {
  const number = parseNumber(args[name]);
  if (number === null) return valid(null);
  if (Number.isSafeInteger(number) && number >= 0) return valid(Math.max(minimum, number));
  return invalid(`${name} must be a whole number from ${minimum}, not ${formatValue(args[name])}`);
}

export function readBoolean(args: ToolArguments, name: string): ParsedArgument<boolean> {
  const value = args[name];
  if (!isGiven(value) || value === false || value === "false") return valid(false);
  return value === true || value === "true"
    ? valid(true)
    : invalid(`${name} must be true or false, not ${formatValue(value)}`);
}

function formatValue(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
