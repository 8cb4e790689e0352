/** What of an environment may come to light, in every form that it may have there. */

import { asBytes, environmentSecrets, formsOf, type Variables } from "./environment.ts";
import { kindOfAll, scan } from "./scanning/scan.ts";
import type { Kind } from "./scanning/spot.ts";

export interface ExpectedValue {
  readonly seen: string;
  readonly kind: Kind;
  /** It counts whatever it looks like. */
  readonly isListed: boolean;
}

/** `names` are variables whose values are secrets whatever they look like. */
export function expectedValues(variables: Variables, names: readonly string[]): readonly ExpectedValue[] {
  const named = environmentSecrets(variables, names).flatMap(({ name, value }) => {
    const kind: Kind = { id: kindOfAll(value)?.id ?? "env", name };
    const bytes = asBytes(value);
    const asIs = formsOf(value).map((seen) => ({ seen, kind, isListed: true }));
    return bytes === value ? asIs : [...asIs, { seen: bytes, kind: { ...kind, value }, isListed: true }];
  });
  const shaped = Object.values(variables).flatMap((value = "") =>
    scan(value).spots.map(({ start, end, kind }) => ({ seen: value.slice(start, end), kind, isListed: false })),
  );
  return [...named, ...shaped];
}
