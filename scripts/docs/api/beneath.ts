/** What a declaration rests on and the door does not let out: who reads about it needs that too. */

import type { Source } from "../../house/source/source.ts";
import { type Declaration, declarations, isType } from "./declaration.ts";
import { imported } from "./names-taken.ts";

export interface Surroundings {
  readonly sources: ReadonlyMap<string, Source>;
  /** Names that are shown anyway. */
  readonly shown: ReadonlySet<string>;
}

export function beneath(declaration: Declaration, around: Surroundings): readonly Declaration[] {
  const hidden = restsOn(declaration).filter((name) => !around.shown.has(name));
  return hidden.flatMap((name) => {
    const found = declaredFor(name, declaration.path, around.sources);
    return found && isType(found) ? [found, ...beneath(found, around)] : [];
  });
}

// A function or a class rests on all that it takes and gives, a type on what it stands for or extends.
function restsOn(declaration: Declaration): readonly string[] {
  const { signature } = declaration;
  if (!isType(declaration)) return [...new Set(signature.match(/\b[A-Z][\w$]*/g))];
  const [, alias] = /^type [\w$]+ = ([\w$]+)$/.exec(signature) ?? [];
  const [, parents = ""] = /^interface [\w$]+ extends ([^{<]+) \{/.exec(signature) ?? [];
  return [...(alias ? [alias] : []), ...parents.split(",").map((name) => name.trim())].filter((name) => name !== "");
}

function declaredFor(name: string, path: string, sources: Surroundings["sources"]): Declaration | undefined {
  const source = sources.get(path);
  if (!source) return undefined;
  const own = declarations(source).find((each) => each.name === name);
  const elsewhere = imported(source).find((each) => each.name === name);
  return own ?? (elsewhere && declaredFor(elsewhere.own, elsewhere.from, sources));
}
