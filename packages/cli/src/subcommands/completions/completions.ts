/** Describes what can follow `pith` on a command line, for all shells, and lists session ids for completion. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sessionFolderName, sessionsFolder } from "@pith/context/node";
import type { Environment } from "@pith/models";
import { flags as ownFlags } from "../../args/args.ts";
import { help } from "../../args/help.ts";
import type { Subcommand, SubcommandFlag } from "../../args/subcommand.ts";
import { settingTable } from "../../settings/table.ts";
import { everywhere } from "../parse.ts";

export interface Line {
  /** As it is typed behind `pith`; empty for `pith` itself. */
  readonly name: string;
  readonly says: string;
  readonly flags: readonly LineFlag[];
  /** What its words are. */
  readonly words: Words;
}

/** Sessions, folders, files, or one of these. */
export type Words = "sessions" | "folders" | "files" | readonly string[];

export interface LineFlag {
  readonly name: string;
  readonly short?: string;
  readonly says: string;
  /** What stands behind it; null where it takes nothing. */
  readonly value: Words | null;
}

export function lines(all: readonly Subcommand[]): readonly Line[] {
  return [itself(), ...all.map(lineOf)];
}

/** What stands between the first word and the next: `sessions` and what can be done with them. */
export function groups(all: readonly Line[]): ReadonlyMap<string, readonly Line[]> {
  return Map.groupBy(
    all.filter(({ name }) => name.includes(" ")),
    ({ name }) => name.split(" ")[0] ?? "",
  );
}

/** The first words of all subcommands, each once, with what they are for. */
export function firstWords(all: readonly Line[]): readonly (readonly [word: string, says: string])[] {
  const words = all.flatMap(({ name, says }): [string, string][] => {
    const [first = "", second] = name.split(" ");
    return first === "" ? [] : [[first, second === undefined ? says : `work on ${first}`]];
  });
  return [...new Map(words)];
}

function itself(): Line {
  const flags = Object.entries(ownFlags).map(([name, flag]): LineFlag => {
    const short = "short" in flag ? { short: flag.short } : {};
    return { name, ...short, says: saidInHelp(name), value: flag.type === "boolean" ? null : valuesOf(name) };
  });
  return { name: "", says: "", flags, words: "files" };
}

function saidInHelp(name: string): string {
  const [, says = ""] = new RegExp(`^.*--${name}\\b.*? {2,}(\\S.*)$`, "m").exec(help) ?? [];
  return says;
}

function valuesOf(flag: string): Words {
  if (flag === "mode") return ["text", "json"];
  if (flag === "session") return "sessions";
  const { kind } = settingTable.find((setting) => setting.flag === `--${flag}`) ?? {};
  return Array.isArray(kind?.schema.enum) ? kind.schema.enum.map(String) : [];
}

function lineOf({ name, says, flags, takes }: Subcommand): Line {
  const all = Object.entries({ ...flags, ...everywhere });
  return { name, says, flags: all.map(([flag, each]) => flagOf(flag, each)), words: wordsFor(takes) };
}

function flagOf(name: string, { short, says, type, takes = "", values }: SubcommandFlag): LineFlag {
  const value = type === "boolean" ? null : (values ?? wordsFor(takes));
  return { name, ...(short !== undefined && { short }), says, value };
}

function wordsFor(takes: string): Words {
  if (takes.includes("SESSION")) return "sessions";
  if (takes.includes("FOLDER")) return "folders";
  if (takes.includes("FILE")) return "files";
  return takes.includes("|") ? takes.replace(/[[\]]/g, "").split("|") : [];
}

/** One a line, with when it began; this folder's first, newest first. Read from file names alone: `NAME` lets only plain words through. */
export function sessionWords(cwd: string, environment: Environment): string {
  const all = sessionsFolder(environment);
  const own = sessionFolderName(cwd);
  const others = namesIn(all).filter((name) => name !== own);
  const words = [...newest(namesIn(join(all, own))), ...newest(others.flatMap((name) => namesIn(join(all, name))))];
  return ["last\tthe last of this folder", ...words.slice(0, MOST)].join("\n");
}

function newest(names: readonly string[]): readonly string[] {
  const found = names.flatMap((name) => {
    const [, day = "", hour = "", minute = "", id = ""] = NAME.exec(name) ?? [];
    return id === "" ? [] : [{ name, word: `${id}\t${day} ${hour}:${minute}` }];
  });
  return found.sort((one, other) => (one.name < other.name ? 1 : -1)).map(({ word }) => word);
}

const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-\d\d-\d{3}Z_([A-Za-z0-9][A-Za-z0-9._-]*)\.jsonl$/;
const MOST = 500;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing there is nothing to complete.
    return [];
  }
}
