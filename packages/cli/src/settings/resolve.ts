/** Resolves the effective settings and their sources: flag, then variable, trusted project file, user's file, default. A policy narrows the result. */

import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "@pith/models";
import { applyPolicy, type Narrowed } from "../policy/apply-policy.ts";
import { type PolicyPlace, readPolicy } from "../policy/policy-file.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";
import { type TrustedFolder, trustedFiles, trustedFolder, untrustedNote } from "../trust/trust.ts";
import type { Fallback } from "./definitions.ts";
import { type Field, fieldsOf, settingAt, settingsFrom, shown, shownName } from "./fields.ts";
import { type FieldsRead, settingsIn, variablesIn } from "./parse.ts";
import type { Choices, Settings } from "./settings.ts";

/** No file is no mistake. */
export async function readSettings(home: string): Promise<FieldsRead> {
  const file = settingsFile(home);
  try {
    return settingsIn(await readFile(file, "utf8"), file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { type: "read", fields: [], notes: [], placeOf: () => file };
    return mistake(`${file} cannot be read: ${message}`);
  }
}

export function settingsFile(home: string): string {
  return join(home, "settings.json");
}

export interface ProjectFields {
  readonly fields: readonly Field[];
  /** What does not count, and where to say it instead. */
  readonly notes: readonly string[];
}

export interface Owner {
  /** What the user's own file says. */
  readonly fields: readonly Field[];
  readonly file: string;
}

type Read = Extract<FieldsRead, { type: "read" }>;

/** A trusted project may set nothing that costs the user a key, a guard or a secret; such fields are refused by name. */
export function fieldsForProject({ fields, placeOf }: Read, owner: Owner): ProjectFields {
  const judged = fields.map((field) => ({ field, refusal: refusalOf(field, owner) }));
  return {
    fields: judged.flatMap(({ field, refusal }) => (refusal === null ? [field] : [])),
    notes: judged.flatMap(({ field: { path }, refusal }) =>
      refusal === null ? [] : [`${placeOf(path)}: ${shownName(path)} ${refusal}`],
    ),
  };
}

/** As the end of a sentence that begins with the name; null where it may be said. */
function refusalOf({ path, value }: Field, owner: Owner): string | null {
  const setting = settingAt(path);
  if (!setting || setting.project === "may") return null;
  if (setting.project === "never") return `is not for a project to say, so it does not count; set it in ${owner.file}`;
  const name = shownName(path);
  const own =
    owner.fields.findLast((field) => shownName(field.path) === name)?.value ?? fallbackValue(setting.fallback);
  if (setting.project(value, own)) return null;
  return `${shown(value)} is looser than your ${shown(own)}, so it does not count; set it in ${owner.file}`;
}

function fallbackValue(fallback: Fallback): unknown {
  return "value" in fallback ? fallback.value : undefined;
}

export type Chosen =
  | {
      readonly type: "chosen";
      readonly choices: Settings;
      /** By the setting's name, who said it: a file, a variable or a flag. What is not there holds by itself. */
      readonly sources: Sources;
      readonly notes: readonly string[];
    }
  | Mistake;

export type Sources = ReadonlyMap<string, string>;

export interface ChoicePlaces {
  readonly environment: Environment;
  /** Pith's home. */
  readonly home: string;
  /** The settings file of the project, as it was trusted; absent where there is none, or nobody trusts it. */
  readonly project?: ProjectFile | null;
  /** For tests: where a policy lies. Nothing outside of this program says it. */
  readonly policyAt?: PolicyPlace;
}

export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

export async function choose(flags: Choices, places: ChoicePlaces): Promise<Chosen> {
  const { environment, home, project, policyAt } = places;
  const read = await readPolicy(policyAt);
  if (read.type === "mistake") return read;
  const own = await readSettings(home);
  if (own.type === "mistake") return own;
  const foreign = projectFields(project ?? null, { fields: own.fields, file: settingsFile(home) });
  if ("type" in foreign) return foreign;
  const variables = variablesIn(environment);
  if (variables.type === "mistake") return variables;
  const spoken = [...variables.fields, ...flagFields(flags)];
  const wanted = [...besides(spoken, own.fields), ...foreign.fields, ...spoken];
  const narrowed: Narrowed =
    read.type === "policy" ? applyPolicy(wanted, read.policy) : { type: "narrowed", fields: wanted, notes: [] };
  if (narrowed.type === "mistake") return narrowed;
  const { fields } = narrowed;
  return {
    type: "chosen",
    choices: { ...settingsFrom(fields), ...(read.type === "policy" && { policy: read.policy }) },
    sources: new Map(fields.map(({ path, from }) => [shownName(path), from])),
    notes: [...own.notes, ...foreign.notes, ...narrowed.notes],
  };
}

function projectFields(project: ProjectFile | null, owner: Owner): ProjectFields | Mistake {
  if (project === null) return { fields: [], notes: [] };
  const read = settingsIn(project.text, project.path, "project");
  if (read.type === "mistake") return read;
  const { fields, notes } = fieldsForProject(read, owner);
  return { fields, notes: [...read.notes, ...notes] };
}

function flagFields(flags: Choices): readonly Field[] {
  return fieldsOf(flags, "").map((field) => ({ ...field, from: settingAt(field.path)?.flag ?? "a flag" }));
}

/** An address belongs to the model that is set beside it: the key of another must not be sent there. */
function besides(spoken: readonly Field[], own: readonly Field[]): readonly Field[] {
  const modelIn = (fields: readonly Field[]): unknown => fields.findLast(({ path }) => path[0] === "model")?.value;
  const wanted = modelIn(spoken);
  const isElsewhere = wanted !== undefined && wanted !== modelIn(own);
  return isElsewhere ? own.filter(({ path }) => path[0] !== "baseUrl") : own;
}

/** The very bytes that were trusted; null where there are none. */
export function projectSettings(folder: TrustedFolder): ProjectFile | null {
  const nearest = trustedFiles(folder, "settings").at(-1);
  return nearest ? { path: nearest.path, text: new TextDecoder().decode(nearest.bytes) } : null;
}

export type Holding = (Extract<Chosen, { type: "chosen" }> & { readonly trusted: TrustedFolder }) | Mistake;

export interface CallPlaces {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome?: string;
  readonly environment: Environment;
}

export interface Said {
  readonly choices: Choices;
  /** Whether the folder is trusted in this call. */
  readonly trusts: boolean;
}

export async function whatHolds({ choices: flags, trusts }: Said, places: CallPlaces): Promise<Holding> {
  const trusted = await trustedFolder({ userHome: homedir(), ...places, always: trusts });
  const chosen = await choose(flags, { ...places, project: projectSettings(trusted) });
  if (chosen.type === "mistake") return chosen;
  const untrusted = untrustedNote(trusted);
  const notes = [...trusted.notes, ...chosen.notes, ...(untrusted === null ? [] : [untrusted])];
  return { ...chosen, trusted, notes };
}
