/** What stands in the log for a secret: one word that JSON, XML and shells leave as it is, the same for the same secret. */

import type { Stretch } from "./scanning/spot.ts";

export const PREFIX = "PITH_SECRET_";

/** The digest decides what it stands for; the family is for people. */
export function placeholderFor(family: string, digest: string): string {
  return `${PREFIX}${family}_${digest.slice(0, DIGITS)}`;
}

/** Each with its digits. */
export const PLACEHOLDER: RegExp = /PITH_SECRET_[a-z0-9]{1,24}_([0-9a-f]{12})/g;

/** What is left of one, or looks like it, where whole ones are taken out: nobody can tell what it stood for. */
export const BROKEN: RegExp = /PITH_SECRET_[a-z0-9]\w*/g;

const DIGITS = 12;

/** Where placeholders stand already: nothing within one is looked at again. */
export function placeholdersIn(text: string): readonly Stretch[] {
  if (!text.includes(PREFIX)) return [];
  return Array.from(text.matchAll(PLACEHOLDER), ({ 0: { length }, index }) => ({ start: index, end: index + length }));
}
