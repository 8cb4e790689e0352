/** The text of a settings file as fields, or every mistake in it by file, line and name, with what to write instead. */

import { type Mistake, mistake } from "../../asking/mistake.ts";
import { nearest } from "../../asking/nearest.ts";
import { readCommentedJson } from "../commented-json/read-commented-json.ts";
import { isObject, type JsonObject } from "../json.ts";
import { elsewhere } from "./elsewhere.ts";
import { type Field, firstBelow, type Path, settingAt, shownName } from "./field.ts";
import type { Setting } from "./known/setting.ts";
import { settingTable } from "./known/table.ts";
import { shown, whatIsWrong } from "./what-is-wrong.ts";

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
