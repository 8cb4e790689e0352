/** Reads tool arguments tolerantly: models send numbers and flags as text, and leave unneeded arguments empty. */

export type Asked = Readonly<Record<string, unknown>>;

export type Argument<Value> = { readonly type: "right"; readonly value: Value } | Wrong;

export interface Wrong {
  readonly type: "wrong";
  /** Told to the model, which may try again. */
  readonly message: string;
}

export function right<Value>(value: Value): Argument<Value> {
  return { type: "right", value };
}

export function wrong(message: string): Wrong {
  return { type: "wrong", message };
}

/** All of them, or what is wrong with the first that is. */
export function all<Values>(given: { readonly [Name in keyof Values]: Argument<Values[Name]> }): Argument<Values> {
  const each = Object.entries<Argument<unknown>>(given);
  for (const [, argument] of each) if (argument.type === "wrong") return argument;
  const values = each.map(([name, argument]) => [name, argument.type === "right" ? argument.value : undefined]);
  return right(Object.fromEntries(values) as Values);
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** Null where none is given; what is no number is none that equals itself. */
export function numberIn(value: unknown): number | null {
  if (!isGiven(value)) return null;
  if (typeof value === "string") return Number(value.trim() || Number.NaN);
  return typeof value === "number" ? value : Number.NaN;
}

/** A whole number; null where none is given. A 0 where counting starts at 1 is meant well. */
export function wholeNumberOf(asked: Asked, name: string, from: 0 | 1): Argument<number | null> {
  const number = numberIn(asked[name]);
  if (number === null) return right(null);
  if (Number.isSafeInteger(number) && number >= 0) return right(Math.max(from, number));
  return wrong(`${name} must be a whole number from ${from}, not ${shown(asked[name])}`);
}

export function flagOf(asked: Asked, name: string): Argument<boolean> {
  const value = asked[name];
  if (!isGiven(value) || value === false || value === "false") return right(false);
  return value === true || value === "true" ? right(true) : wrong(`${name} must be true or false, not ${shown(value)}`);
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
