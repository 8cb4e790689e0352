/** Clock, randomness, machine and screen stay out of `packages/context`, except behind its door `node`. */

import type { Fault } from "../fault.ts";
import type { House } from "./house.ts";
import { lineAt, type Source } from "./source/source.ts";

const effects: readonly RegExp[] = [
  /Date\.now\b|(?:new )?Date\(\s*\)|performance\.now\b/,
  /Math\.random\b|crypto\??\./,
  /process\??\.|Buffer\b|console\??\./,
  /setTimeout\b|setInterval\b/,
];
// Not after a dot, so that a field of the same name passes; but `globalThis.` hides nothing.
const free = /(?:(?<![.\w$])|(?<=\bglobalThis\.))/;
const impure = new RegExp(`${free.source}(?:${effects.map(({ source }) => source).join("|")})`, "g");

export function purity({ sources }: House): readonly Fault[] {
  return sources.filter(({ path }) => isPure(path)).flatMap(impurities);
}

function isPure(path: string): boolean {
  return path.startsWith("packages/context/src/") && !/^packages\/context\/src\/(?:node|search)\//.test(path);
}

function impurities({ path, code }: Source): Fault[] {
  return [...code.matchAll(impure)].map((match) => ({
    path,
    line: lineAt(code, match.index),
    sentence: `\`${match[0]}\` is not pure; take it as a port (runtime.ts), or move this into src/node`,
  }));
}
