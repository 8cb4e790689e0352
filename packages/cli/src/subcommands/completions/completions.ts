/** Describes the subcommands, flags and values that shells complete after `pith`, and lists the session ids. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { sessionFolderName, sessionsFolder } from "@pith/context/node";
import { settingTable } from "@pith/host/settings/table";
import type { Environment } from "@pith/models";
import { modeNames, flags as ownFlags } from "../../args/args.ts";
import { help } from "../../args/help.ts";
import type { Subcommand, SubcommandFlag } from "../../args/subcommand.ts";
import { listProviderOptions } from "../../models/check-key.ts";
import { commonFlags } from "../parse.ts";

export interface CommandCompletion {
  /** The words after `pith`. Empty for `pith` itself. */
  readonly name: string;
  readonly description: string;
  readonly flags: readonly FlagCompletion[];
  /** The values of its positional arguments. */
  readonly argumentValues: CompletionValues;
}

/** Session ids, folders, files, or a fixed list of values. */
export type CompletionValues = "sessions" | "folders" | "files" | readonly string[];

export interface FlagCompletion {
  readonly name: string;
  readonly short?: string;
  readonly description: string;
  /** Null if the flag takes no value. */
  readonly values: CompletionValues | null;
}

export function listCommandCompletions(subcommands: readonly Subcommand[]): readonly CommandCompletion[] {
  return [createProgramCompletion(), ...subcommands.map(createCommandCompletion)];
}

/** Groups the subcommands of two words by the first word, e.g. `sessions`. */
export function groupCommands(
  commands: readonly CommandCompletion[],
): ReadonlyMap<string, readonly CommandCompletion[]> {
  return Map.groupBy(
    commands.filter(({ name }) => name.includes(" ")),
    ({ name }) => name.split(" ")[0] ?? "",
  );
}

/** Lists the first words of all subcommands, without duplicates, with a description. */
export function listFirstWords(
  commands: readonly CommandCompletion[],
): readonly (readonly [word: string, description: string])[] {
  const descriptions = commands.flatMap(({ name, description }): [string, string][] => {
    const [first = "", second] = name.split(" ");
    return first === "" ? [] : [[first, second === undefined ? description : `subcommands for ${first}`]];
  });
  return [...new Map(descriptions)];
}

function createProgramCompletion(): CommandCompletion {
  const flags = Object.entries(ownFlags).map(([name, flag]): FlagCompletion => {
    const short = "short" in flag ? { short: flag.short } : {};
    return {
      name,
      ...short,
      description: findFlagDescription(name),
      values: flag.type === "boolean" ? null : listFlagValues(name),
    };
  });
  return { name: "", description: "", flags, argumentValues: "files" };
}

function findFlagDescription(name: string): string {
  const [, description = ""] = new RegExp(`^.*--${name}\\b.*? {2,}(\\S.*)$`, "m").exec(help) ?? [];
  return description;
}

function listFlagValues(flag: string): CompletionValues {
  if (flag === "mode") return modeNames;
  if (flag === "session") return "sessions";
  const { kind } = settingTable.find((setting) => setting.flag === `--${flag}`) ?? {};
  return Array.isArray(kind?.schema.enum) ? kind.schema.enum.map(String) : [];
}

function createCommandCompletion({ name, description, flags, argumentHint }: Subcommand): CommandCompletion {
  const flagEntries = Object.entries({ ...flags, ...commonFlags });
  return {
    name,
    description,
    flags: flagEntries.map(([flag, definition]) => createFlagCompletion(flag, definition)),
    argumentValues: parseValueHint(argumentHint),
  };
}

function createFlagCompletion(
  name: string,
  { short, description, type, valueHint = "", values }: SubcommandFlag,
): FlagCompletion {
  const value = type === "boolean" ? null : (values ?? parseValueHint(valueHint));
  return { name, ...(short !== undefined && { short }), description, values: value };
}

function parseValueHint(hint: string): CompletionValues {
  if (hint.includes("SESSION")) return "sessions";
  if (hint.includes("FOLDER")) return "folders";
  if (hint.includes("FILE")) return "files";
  if (/^\[?PROVIDER\]?$/.test(hint)) return listProviderOptions().map(({ provider }) => provider.id);
  return hint.includes("|") ? hint.replace(/[[\]]/g, "").split("|") : [];
}

/**
 * Lists one session per line with its start time: those in this folder first, newest first. Uses only file names, which is fast.
 * `SESSION_FILE_NAME` excludes names with special characters, which a shell could interpret.
 */
export function formatSessionCompletions(cwd: string, environment: Environment): string {
  const sessionsRoot = sessionsFolder(environment);
  const currentFolder = sessionFolderName(cwd);
  const otherFolders = listNames(sessionsRoot).filter((name) => name !== currentFolder);
  const rows = [
    ...sortNewestFirst(listNames(join(sessionsRoot, currentFolder))),
    ...sortNewestFirst(otherFolders.flatMap((name) => listNames(join(sessionsRoot, name)))),
  ];
  return ["last\tthe most recent session in this folder", ...rows.slice(0, MAX_SESSIONS)].join("\n");
}

function sortNewestFirst(names: readonly string[]): readonly string[] {
  const matches = names.flatMap((name) => {
    const [, day = "", hour = "", minute = "", id = ""] = SESSION_FILE_NAME.exec(name) ?? [];
    return id === "" ? [] : [{ name, line: `${id}\t${day} ${hour}:${minute}` }];
  });
  return matches.sort((a, b) => (a.name < b.name ? 1 : -1)).map(({ line }) => line);
}

const SESSION_FILE_NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-\d\d-\d{3}Z_([A-Za-z0-9][A-Za-z0-9._-]*)\.jsonl$/;
const MAX_SESSIONS = 500;

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist, so there is nothing to complete.
    return [];
  }
}
