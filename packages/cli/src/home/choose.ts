/** What holds for this call, and who said it: flag before variable before project before the user's file before what holds by itself. */

import type { Environment } from "@pith/models";
import type { Mistake } from "../asking/mistake.ts";
import { readSettings, settingsFile } from "./read-settings.ts";
import { type Field, fieldsOf, settingAt, settingsFrom, shownName } from "./settings/field.ts";
import { fieldsForProject, type Owner, type ProjectFields } from "./settings/for-project.ts";
import { settingsIn } from "./settings/settings-in.ts";
import { variablesIn } from "./settings/variables.ts";
import type { Choices, Settings } from "./settings.ts";

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
}

export interface ProjectFile {
  readonly path: string;
  readonly text: string;
}

export async function choose(flags: Choices, { environment, home, project }: ChoicePlaces): Promise<Chosen> {
  const own = await readSettings(home);
  if (own.type === "mistake") return own;
  const foreign = projectFields(project ?? null, { fields: own.fields, file: settingsFile(home) });
  if ("type" in foreign) return foreign;
  const variables = variablesIn(environment);
  if (variables.type === "mistake") return variables;
  const spoken = [...variables.fields, ...flagFields(flags)];
  const fields = [...besides(spoken, own.fields), ...foreign.fields, ...spoken];
  return {
    type: "chosen",
    choices: settingsFrom(fields),
    sources: new Map(fields.map(({ path, from }) => [shownName(path), from])),
    notes: [...own.notes, ...foreign.notes],
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
