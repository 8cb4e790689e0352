/** What made-up texts are made with. */

import { between, type Random } from "../../random.ts";

export function many<Each>(count: number, make: (at: number) => Each): readonly Each[] {
  return Array.from({ length: count }, (_, at) => make(at));
}

export function pick<Each>(next: Random, from: readonly Each[]): Each {
  const picked = from[between(next, 0, from.length - 1)];
  if (picked === undefined) throw new Error("there is nothing to pick from");
  return picked;
}

export function lettersOf(next: Random, alphabet: string, count: number): string {
  return many(count, () => pick(next, [...alphabet])).join("");
}
