/** Parses settings files and environment variables into fields, or reports each mistake with its place and what to write instead. */

import type { Environment } from "@pith/models";
import { isObject, type JsonObject, readCommentedJson } from "../text/jsonc.ts";
import { type Mistake, mistake, nearest } from "../text/usage-error.ts";
import { type Setting, yesOrNo } from "./definitions.ts";
import { type Field, firstBelow, type Path, settingAt, shown, shownName, whatIsWrong } from "./fields.ts";
import { settingTable } from "./table.ts";

export interface Elsewhere {
  /** Where to say it instead. */
  readonly says: string;
  /** Whether it is worse to go on without it than to stop. */
  readonly isGrave: boolean;
}

/** Names that people expect to be settings are never ignored in silence. Null for what we know nothing of. */
export function elsewhere(path: Path): Elsewhere | null {
  const [name = ""] = path;
  return path.length === 1 && Object.hasOwn(PLACES, name) ? (PLACES[name] ?? null) : null;
}

const rules = { says: "give rules with --allow and --deny", isGrave: true };
const keys = { says: "keys come from the environment, or from your keys.json", isGrave: false };
const network = { says: "HTTPS_PROXY and NO_PROXY say how the network is reached", isGrave: false };
const run = { says: "nothing that stands in settings is run, but for mcpServers", isGrave: false };

const PLACES: Readonly<Record<string, Elsewhere>> = {
  allow: rules,
  deny: rules,
  permissions: rules,
  mode: { says: "write permissionMode", isGrave: true },
  autoCompact: { says: 'write "compaction": { "enabled": false }', isGrave: true },
  apiKey: keys,
  apiKeys: keys,
  keys,
  proxy: network,
  httpProxy: network,
  httpsProxy: network,
  headers: { says: "requests carry no headers of yours", isGrave: false },
  env: { says: "variables come from the shell that starts pith", isGrave: false },
  command: run,
  commands: run,
  hooks: run,
};

export type FieldsRead =
  | {
      readonly type: "read";
      readonly fields: readonly Field[];
      readonly notes: readonly string[];
      /** `file:line`, where the value of a setting stands. */
      readonly placeOf: (path: Path) => string;
    }
  | Mistake;

/** What stands in a project's file is not its reader's fault: what would be a grave mistake of one's own is only noted there. */
export function settingsIn(text: string, file: string, whose: "user" | "project" = "user"): FieldsRead {
  if (text.length > MOST_LETTERS) return mistake(`${file} is too long for settings`);
  const read = readCommentedJson(text);
  if (read.type === "broken") return mistake(`${file}:${read.line}:${read.column}: ${read.why}`);
  const placeOf = (path: Path): string => `${file}:${read.lineOf(path)}`;
  const found = foundIn(read.value, []);
  const told = ({ path, says }: Found): string => `${placeOf(path)}: ${shownName(path)} ${says()}`;
  const wrong = found.filter(({ type }) => type === "wrong" || (type === "grave" && whose === "user"));
  if (wrong.length > 0) return mistake(few(wrong, told).join("\n"));
  const strange = found.filter(({ type }) => type === "grave" || type === "strange");
  const fields = found.flatMap(({ type, path, value }) => (type === "right" ? [{ path, value, from: file }] : []));
  return { type: "read", fields, notes: few(strange, told), placeOf };
}

const MOST_LETTERS = 256 * 1024;

interface Found {
  readonly path: Path;
  readonly value: unknown;
  /** `grave`: nothing that could be set, but too much to be passed over. */
  readonly type: "right" | "wrong" | "grave" | "strange";
  /** What is to be said of it, behind its name. */
  readonly says: () => string;
}

function foundIn(object: JsonObject, above: Path): readonly Found[] {
  return Object.entries(object).flatMap(([name, value]): readonly Found[] => {
    const path = [...above, name];
    const below = firstBelow(path);
    if (below) return foundInGroup(path, value, below);
    if (!settingAt(path)) return isForEditors(path) ? [] : [{ path, value, ...unknown(path) }];
    const fault = whatIsWrong(path, value);
    return [{ path, value, type: fault === null ? "right" : "wrong", says: () => fault ?? "" }];
  });
}

function foundInGroup(path: Path, value: unknown, { name, names }: Setting): readonly Found[] {
  const [own, next] = name.split(".").slice(path.length - 1);
  const wrong = (says: string): readonly Found[] => [{ path, value, type: "wrong", says: () => says }];
  if (own === "*" && names && !names.fits(path.at(-1))) return wrong(`is for nobody; write ${names.write}`);
  const isEmpty = own === "*" && isObject(value) && Object.keys(value).length === 0;
  if (isObject(value) && !isEmpty) return foundIn(value, path);
  const inside = next === "*" ? '{ "NAME": { … } }' : next === "enabled" ? '{ "enabled": true }' : `{ "${next}": … }`;
  if (isEmpty) return [{ path, value, type: "strange", says: () => `is empty, so it does not count; write ${inside}` }];
  return wrong(`is ${shown(value)}; write ${inside}`);
}

function unknown(path: Path): Pick<Found, "type" | "says"> {
  const place = elsewhere(path);
  if (place) return { type: place.isGrave ? "grave" : "strange", says: () => `is no setting: ${place.says}` };
  return { type: "strange", says: () => `is no setting${meant(path)}` };
}

/** Says where the schema lies, and to nobody else anything. */
function isForEditors(path: Path): boolean {
  return path.join(".") === "$schema";
}

function meant(path: Path): string {
  const names = settingTable.map(({ name }) => name).filter((name) => !name.includes("*"));
  const near = nearest(shownName(path), names);
  return near === null ? "; pith settings names them all" : `; did you mean ${near}?`;
}

/** Whoever wrote a whole book into it need not read it here. */
function few(found: readonly Found[], told: (each: Found) => string): readonly string[] {
  const shown = found.slice(0, MOST_TOLD).map(told);
  return found.length <= MOST_TOLD ? shown : [...shown, `and ${found.length - MOST_TOLD} more of the kind`];
}

const MOST_TOLD = 12;

export type VariablesRead = { readonly type: "read"; readonly fields: readonly Field[] } | Mistake;

/** An empty one says nothing. */
export function variablesIn(environment: Environment): VariablesRead {
  const set = settingTable.flatMap(({ variable, ...setting }) => {
    const text = variable === undefined ? undefined : environment[variable]?.trim();
    return variable === undefined || !text ? [] : [said(setting, { variable, text })];
  });
  const wrong = set.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  if (wrong.length > 0) return mistake(wrong.join("\n"));
  return { type: "read", fields: set.flatMap(({ field }) => (field ? [field] : [])) };
}

interface Said {
  readonly field: Field | null;
  readonly fault: string | null;
}

interface Variable {
  readonly variable: string;
  readonly text: string;
}

function said({ name, kind }: Setting, { variable, text }: Variable): Said {
  if (kind === yesOrNo) return switchedOff(name, { variable, text });
  const path = name.split(".");
  const fault = whatIsWrong(path, text);
  if (fault !== null) return { field: null, fault: `${variable} ${fault}` };
  return { field: { path, value: text, from: variable }, fault: null };
}

/** A variable that can be there or not can only switch something off. */
function switchedOff(name: string, { variable, text }: Variable): Said {
  if (YES.test(text)) return { field: { path: name.split("."), value: false, from: variable }, fault: null };
  return { field: null, fault: NO.test(text) ? null : `${variable} is ${shown(text)}; write 1, or leave it out` };
}

const YES = /^(?:1|true|yes|on)$/i;
const NO = /^(?:0|false|no|off)$/i;
