/** Parses a JSON value into an RPC command, or explains what is wrong. Fields are validated here and nowhere else. */

import type { RpcAttachment, RpcCommandName } from "@pith/client";
import type { ImageBlock } from "@pith/context";
import { nearest } from "../../text/usage-error.ts";

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

export const attachments: Field<readonly RpcAttachment[]> = {
  says: 'a list of at most 20 texts, each { "name": "src/a.ts", "text": "…" }, up to 256 KB and without U+0000',
  isRight: (value): value is readonly RpcAttachment[] =>
    Array.isArray(value) && value.length <= 20 && value.every(isAttachment),
};

function isAttachment(value: unknown): boolean {
  const { name: called, text: content, ...more } = Object(value) as Readonly<Record<string, unknown>>;
  if (!name.isRight(called) || !text.isRight(content)) return false;
  return content.length <= LONGEST_ATTACHMENT && Object.keys(more).length === 0;
}

const LONGEST_ATTACHMENT = 256 * 1024;

function isImage(value: unknown): boolean {
  const { type, data, mimeType, ...more } = Object(value) as Readonly<Record<string, unknown>>;
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return false;
  const isKind = /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType);
  return isKind && data !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(data) && Object.keys(more).length === 0;
}

export type ReadCommand =
  | {
      readonly type: "command";
      readonly id?: string;
      readonly name: RpcCommandName;
      readonly takes: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "mistake"; readonly id?: string; readonly name: string; readonly message: string };

/** Of every command only what it may be given. */
export type KnownFields = Readonly<Record<string, { readonly fields: Readonly<Record<string, Field<unknown>>> }>>;

/** Reads only own properties of the value, and passes on only the fields that the command names. */
export function readCommand(value: unknown, known: KnownFields): ReadCommand {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return mistake({ message: 'a command is an object, such as {"type":"get_state"}' });
  const given = new Map<string, unknown>(Object.entries(value));
  const [id, name] = [given.get("id"), given.get("type")];
  if (id !== undefined && !isId(id))
    return mistake({ message: `"id" must be a text of at most ${LONGEST_ID} signs, such as "1"` });
  const own = id === undefined ? {} : { id };
  if (typeof name !== "string")
    return mistake({ ...own, message: '"type" must be the name of a command, such as "get_state"' });
  const row = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!row) return mistake({ ...own, name: shown(name), message: unknown(name, Object.keys(known)) });
  const message = faultIn(given, row.fields, name);
  if (message !== null) return mistake({ ...own, name, message });
  const takes = Object.fromEntries(
    Object.keys(row.fields).flatMap((each) => (given.has(each) ? [[each, given.get(each)]] : [])),
  );
  return { type: "command", ...own, name: name as RpcCommandName, takes };
}

const LONGEST_ID = 256;

export function isId(id: unknown): id is string {
  return typeof id === "string" && id.length <= LONGEST_ID;
}

interface Fault {
  readonly id?: string;
  readonly name?: string;
  readonly message: string;
}

function mistake({ name = "parse", ...rest }: Fault): ReadCommand {
  return { type: "mistake", name, ...rest };
}

function unknown(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  const meant = near === null ? "docs/rpc.md names them all" : `did you mean "${near}"?`;
  return `there is no command "${shown(name)}"; ${meant}`;
}

function faultIn(
  given: ReadonlyMap<string, unknown>,
  fields: Readonly<Record<string, Field<unknown>>>,
  name: string,
): string | null {
  for (const [each, { says, isRight, isOptional }] of Object.entries(fields)) {
    if (!given.has(each) && isOptional) continue;
    if (!given.has(each)) return `${name} needs "${each}": ${says}`;
    if (!isRight(given.get(each))) return `"${each}" of ${name} must be ${says}`;
  }
  const strange = [...given.keys()].find((each) => each !== "id" && each !== "type" && !Object.hasOwn(fields, each));
  if (strange === undefined) return null;
  const own = Object.keys(fields);
  const near = nearest(strange, own);
  const has = own.length === 0 ? "it has none" : `it has ${own.map((each) => `"${each}"`).join(", ")}`;
  return `${name} has no field "${shown(strange)}"; ${near === null ? has : `did you mean "${near}"?`}`;
}

/** A stranger's word, short enough to be told. */
function shown(word: string): string {
  return word.length > 60 ? `${word.slice(0, 60)}…` : word;
}
