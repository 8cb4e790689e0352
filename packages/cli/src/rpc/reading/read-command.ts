/** One value as a command: its name, its id and its fields, or what to write instead. Nothing but what it names itself is read of it. */

import { nearest } from "../../asking/nearest.ts";
import type { RpcName } from "../line/rpc-commands.ts";
import type { Field } from "./field.ts";

export type ReadCommand =
  | {
      readonly type: "command";
      readonly id?: string;
      readonly name: RpcName;
      readonly takes: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "mistake"; readonly id?: string; readonly name: string; readonly message: string };

/** Of every command only what it may be given. */
export type KnownFields = Readonly<Record<string, { readonly fields: Readonly<Record<string, Field<unknown>>> }>>;

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
  return { type: "command", ...own, name: name as RpcName, takes };
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
