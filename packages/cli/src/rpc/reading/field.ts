/** What a field of a command may be, and how to write it: read here and nowhere else. */

import type { ImageBlock } from "@pith/context";

export interface Field<Value> {
  /** As in: `"message" must be …`. */
  readonly says: string;
  readonly isRight: (value: unknown) => value is Value;
  readonly isOptional?: true;
}

/** One for every field: the compiler sees that none is missing, and that those that may be left out are said to be. */
export type Fields<Takes> = {
  readonly [Name in keyof Takes]-?: Field<Exclude<Takes[Name], undefined>> &
    (undefined extends Takes[Name] ? { readonly isOptional: true } : unknown);
};

export function optional<Value>(field: Field<Value>): Field<Value> & { readonly isOptional: true } {
  return { ...field, isOptional: true };
}

/** Nothing that a file or a shell would be offered holds U+0000. */
export const text: Field<string> = {
  says: "a text, without U+0000",
  isRight: (value): value is string => typeof value === "string" && !value.includes("\0"),
};

export const words: Field<string> = {
  says: "a text, not empty, without U+0000",
  isRight: (value): value is string => text.isRight(value) && value.trim() !== "",
};

const LONGEST_NAME = 4_096;

/** What names something, such as an id or a path; it may come back in an error. */
export const name: Field<string> = {
  says: `a text of at most ${LONGEST_NAME} signs, not empty, without U+0000`,
  isRight: (value): value is string => words.isRight(value) && value.length <= LONGEST_NAME,
};

/** The same, where nothing is an answer, too. */
export const nameOrNone: Field<string> = {
  says: `a text of at most ${LONGEST_NAME} signs, without U+0000`,
  isRight: (value): value is string => text.isRight(value) && value.length <= LONGEST_NAME,
};

export const flag: Field<boolean> = {
  says: "true or false",
  isRight: (value): value is boolean => typeof value === "boolean",
};

export const count: Field<number> = {
  says: "a whole number from 1 to 10000",
  isRight: (value): value is number => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10_000,
};

export function oneOf<Value extends string>(...values: readonly Value[]): Field<Value> {
  return {
    says: `one of ${values.map((value) => `"${value}"`).join(", ")}`,
    isRight: (value): value is Value => values.some((each) => each === value),
  };
}

export const entryOrRoot: Field<string | null> = {
  says: "the id of an entry, or null for before the first",
  isRight: (value): value is string | null => value === null || name.isRight(value),
};

export const images: Field<readonly ImageBlock[]> = {
  says: `a list of at most 20 images, each { "type": "image", "data": "…base64…", "mimeType": "image/png" }`,
  isRight: (value): value is readonly ImageBlock[] =>
    Array.isArray(value) && value.length <= 20 && value.every(isImage),
};

function isImage(value: unknown): boolean {
  const { type, data, mimeType, ...more } = Object(value) as Readonly<Record<string, unknown>>;
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return false;
  const isKind = /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType);
  return isKind && data !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(data) && Object.keys(more).length === 0;
}
