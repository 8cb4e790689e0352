/** What a project's file may say, once the user trusts it: nothing that costs the user a key, a guard or a secret. The rest is refused by its name. */

import { type Field, settingAt, shownName } from "./field.ts";
import type { Fallback } from "./known/setting.ts";
import type { FieldsRead } from "./settings-in.ts";
import { shown } from "./what-is-wrong.ts";

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
