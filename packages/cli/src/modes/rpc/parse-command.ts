/** Parses a JSON value into an RPC command, or explains what is wrong. Fields are validated only here. */

import type { RpcAttachment, RpcCommandName } from "@pith/client";
import type { ImageBlock } from "@pith/context";
import { findNearest } from "@pith/host/text/usage-error";

export interface Field<Value> {
  /** The end of the sentence `"message" must be …`. */
  readonly requirement: string;
  readonly isValid: (value: unknown) => value is Value;
  readonly isOptional?: true;
}

/** The compiler checks that no field is missing, and that optional fields are marked as optional. */
export type Fields<Params> = {
  readonly [Name in keyof Params]-?: Field<Exclude<Params[Name], undefined>> &
    (undefined extends Params[Name] ? { readonly isOptional: true } : unknown);
};

export function optional<Value>(field: Field<Value>): Field<Value> & { readonly isOptional: true } {
  return { ...field, isOptional: true };
}

/** Files and shells cannot handle U+0000. */
export const textField: Field<string> = {
  requirement: "a string without U+0000",
  isValid: (value): value is string => typeof value === "string" && !value.includes("\0"),
};

export const nonEmptyTextField: Field<string> = {
  requirement: "a non-empty string without U+0000",
  isValid: (value): value is string => textField.isValid(value) && value.trim() !== "",
};

const MAX_NAME_CHARS = 4_096;

/** An id or a path. Its length is limited, because errors quote it. */
export const nameField: Field<string> = {
  requirement: `a non-empty string of at most ${MAX_NAME_CHARS} characters without U+0000`,
  isValid: (value): value is string => nonEmptyTextField.isValid(value) && value.length <= MAX_NAME_CHARS,
};

export const nameOrEmptyField: Field<string> = {
  requirement: `a string of at most ${MAX_NAME_CHARS} characters without U+0000`,
  isValid: (value): value is string => textField.isValid(value) && value.length <= MAX_NAME_CHARS,
};

export const booleanField: Field<boolean> = {
  requirement: "true or false",
  isValid: (value): value is boolean => typeof value === "boolean",
};

export const countField: Field<number> = {
  requirement: "a whole number from 1 to 10000",
  isValid: (value): value is number => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 10_000,
};

export function oneOf<Value extends string>(...values: readonly Value[]): Field<Value> {
  return {
    requirement: `one of ${values.map((value) => `"${value}"`).join(", ")}`,
    isValid: (value): value is Value => values.some((allowed) => allowed === value),
  };
}

export const entryIdOrNullField: Field<string | null> = {
  requirement: "the id of an entry, or null for the position before the first entry",
  isValid: (value): value is string | null => value === null || nameField.isValid(value),
};

export const imagesField: Field<readonly ImageBlock[]> = {
  requirement: `a list of at most 20 images, each { "type": "image", "data": "…base64…", "mimeType": "image/png" }`,
  isValid: (value): value is readonly ImageBlock[] =>
    Array.isArray(value) && value.length <= 20 && value.every(isImage),
};

export const attachmentsField: Field<readonly RpcAttachment[]> = {
  requirement:
    'a list of at most 20 objects, each { "name": "src/a.ts", "text": "…" }, up to 256 KB and without U+0000',
  isValid: (value): value is readonly RpcAttachment[] =>
    Array.isArray(value) && value.length <= 20 && value.every(isAttachment),
};

function isAttachment(value: unknown): boolean {
  const { name: attachmentName, text: content, ...rest } = Object(value) as Readonly<Record<string, unknown>>;
  if (!nameField.isValid(attachmentName) || !textField.isValid(content)) return false;
  return content.length <= MAX_ATTACHMENT_CHARS && Object.keys(rest).length === 0;
}

const MAX_ATTACHMENT_CHARS = 256 * 1024;

function isImage(value: unknown): boolean {
  const { type, data, mimeType, ...rest } = Object(value) as Readonly<Record<string, unknown>>;
  if (type !== "image" || typeof data !== "string" || typeof mimeType !== "string") return false;
  const isSupportedType = /^image\/(?:png|jpeg|gif|webp)$/.test(mimeType);
  return isSupportedType && data !== "" && /^[A-Za-z0-9+/]+={0,2}$/.test(data) && Object.keys(rest).length === 0;
}

export type ParsedCommand =
  | {
      readonly type: "command";
      readonly id?: string;
      readonly name: RpcCommandName;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "mistake"; readonly id?: string; readonly name: string; readonly message: string };

/** The fields of each command, by its name. */
export type CommandFields = Readonly<Record<string, { readonly fields: Readonly<Record<string, Field<unknown>>> }>>;

/** Reads only own properties of the value, and passes on only the fields that the command defines. */
export function parseCommand(value: unknown, definitions: CommandFields): ParsedCommand {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return commandError({ message: 'a command must be an object, such as {"type":"get_state"}' });
  const input = new Map<string, unknown>(Object.entries(value));
  const [id, name] = [input.get("id"), input.get("type")];
  if (id !== undefined && !isId(id))
    return commandError({ message: `"id" must be a string of at most ${MAX_ID_CHARS} characters, such as "1"` });
  const idPart = id === undefined ? {} : { id };
  if (typeof name !== "string")
    return commandError({ ...idPart, message: '"type" must be the name of a command, such as "get_state"' });
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (!definition)
    return commandError({
      ...idPart,
      name: abbreviate(name),
      message: describeUnknownCommand(name, Object.keys(definitions)),
    });
  const message = findFieldError(input, definition.fields, name);
  if (message !== null) return commandError({ ...idPart, name, message });
  const params = Object.fromEntries(
    Object.keys(definition.fields).flatMap((key) => (input.has(key) ? [[key, input.get(key)]] : [])),
  );
  return { type: "command", ...idPart, name: name as RpcCommandName, params };
}

const MAX_ID_CHARS = 256;

export function isId(id: unknown): id is string {
  return typeof id === "string" && id.length <= MAX_ID_CHARS;
}

interface CommandError {
  readonly id?: string;
  readonly name?: string;
  readonly message: string;
}

function commandError({ name = "parse", ...rest }: CommandError): ParsedCommand {
  return { type: "mistake", name, ...rest };
}

function describeUnknownCommand(name: string, names: readonly string[]): string {
  const suggestion = findNearest(name, names);
  const hint = suggestion === null ? "docs/rpc.md lists all commands" : `did you mean "${suggestion}"?`;
  return `unknown command "${abbreviate(name)}"; ${hint}`;
}

function findFieldError(
  input: ReadonlyMap<string, unknown>,
  fields: Readonly<Record<string, Field<unknown>>>,
  name: string,
): string | null {
  for (const [key, { requirement, isValid, isOptional }] of Object.entries(fields)) {
    if (!input.has(key) && isOptional) continue;
    if (!input.has(key)) return `${name} needs "${key}": ${requirement}`;
    if (!isValid(input.get(key))) return `"${key}" in ${name} must be ${requirement}`;
  }
  const unknownField = [...input.keys()].find((key) => key !== "id" && key !== "type" && !Object.hasOwn(fields, key));
  if (unknownField === undefined) return null;
  const fieldNames = Object.keys(fields);
  const suggestion = findNearest(unknownField, fieldNames);
  const available =
    fieldNames.length === 0 ? "it has no fields" : `its fields are ${fieldNames.map((key) => `"${key}"`).join(", ")}`;
  return `${name} has no field "${abbreviate(unknownField)}"; ${suggestion === null ? available : `did you mean "${suggestion}"?`}`;
}

/** Shortens text of the client that is quoted in an error. */
function abbreviate(value: string): string {
  return value.length > 60 ? `${value.slice(0, 60)}…` : value;
}
