/** Walks and searches files that `.gitignore` does not exclude. Links are not followed; what cannot be opened is skipped. */

import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Ignore } from "ignore";
import type { SearchAct } from "../../ports.ts";
import {
  badPattern,
  decoded,
  type Engine,
  type GrepTarget,
  pathIn,
  type Searched,
  type SearchedFolder,
} from "./engine.ts";
import { linePattern } from "./line-pattern.ts";
import { searchFile } from "./search-file.ts";

export interface IgnoreRules {
  /** Ends in a slash. */
  readonly folder: string;
  readonly rules: Ignore;
}

/** No file of rules that a person wrote is larger. */
const MOST_BYTES = 1024 * 1024;

/** The rules from above a folder; `ignored` where they leave out the folder itself, and who named it meant it. */
export async function outerRules(folder: string): Promise<readonly IgnoreRules[] | "ignored"> {
  const above = dirname(folder);
  if (above === folder) return [];
  const outer = await outerRules(above);
  if (outer === "ignored") return outer;
  const all = await withRulesIn(above, outer);
  return isIgnored(`${folder}/`, all) ? "ignored" : all;
}

/** Puts the rules of the folder first: the nearest decide. */
export async function withRulesIn(folder: string, outer: readonly IgnoreRules[]): Promise<readonly IgnoreRules[]> {
  const text = await textOf(join(folder, ".gitignore"));
  if (text === null) return outer;
  // Most searches need it not: where there is ripgrep, and no such file above.
  const { parseIgnore } = await import("./parse-ignore.ts");
  return [
    {
      folder: folder.endsWith("/") ? folder : `${folder}/`,
      rules: parseIgnore(quickRules(text)),
    },
    ...outer,
  ];
}

/** Each star more in a name multiplies the time that holding a long name against it takes, and a stranger may have written it. */
function quickRules(text: string): string[] {
  return text.split(/\r?\n/).filter((rule) => !MANY_STARS.test(rule));
}

const MANY_STARS = /(?:\*[^*/]+){4}/;

/** The path is absolute; that of a folder ends in a slash. */
export function isIgnored(path: string, all: readonly IgnoreRules[]): boolean {
  for (const { folder, rules } of all) {
    const { ignored, unignored } = rules.test(path.slice(folder.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

async function textOf(path: string): Promise<string | null> {
  try {
    const stats = await stat(path);
    return stats.isFile() && stats.size <= MOST_BYTES ? await readFile(path, "utf8") : null;
  } catch {
    // Most folders have none; one that cannot be read rules over nothing.
    return null;
  }
}

interface Below {
  /** From the folder that is walked; ends in a slash unless that is it. */
  readonly path: Buffer;
  readonly rules: readonly IgnoreRules[];
}

interface Walk {
  readonly folder: SearchedFolder;
  readonly signal: AbortSignal;
}

/** Their paths, from the folder. */
export async function* walk(
  folder: SearchedFolder,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const outer = await outerRules(folder.real);
  const rules = outer === "ignored" ? [] : outer;
  yield* filesIn({ path: Buffer.alloc(0), rules }, { folder, signal });
}

const SLASH = Buffer.from("/");

async function* filesIn({ path, rules: outer }: Below, whole: Walk): AsyncGenerator<Buffer> {
  whole.signal.throwIfAborted();
  const { at, real } = whole.folder;
  const entries = await entriesOf(pathIn(at, path));
  const hasRules = entries.some(({ name }) => name.equals(RULES));
  const rules = hasRules ? await withRulesIn(decoded(pathIn(real, path)), outer) : outer;
  for (const entry of entries) {
    const inside = Buffer.concat([path, entry.name]);
    const folder = Buffer.concat([inside, SLASH]);
    const judged = decoded(pathIn(real, entry.isDirectory() ? folder : inside));
    if (entry.name.equals(GIT) || isIgnored(judged, rules)) continue;
    if (entry.isDirectory()) yield* filesIn({ path: folder, rules }, whole);
    if (entry.isFile()) yield inside;
  }
}

const GIT = Buffer.from(".git");
const RULES = Buffer.from(".gitignore");

async function entriesOf(path: Buffer): Promise<Dirent<Buffer>[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true, encoding: "buffer" });
    return entries.sort((one, other) => Buffer.compare(one.name, other.name));
  } catch {
    // Closed to us, or gone since its name was read: a search finds what it can.
    return [];
  }
}

export const walkingEngine: Engine = { files: walk, grep };

async function* grep(target: GrepTarget, act: SearchAct): AsyncGenerator<Searched> {
  const { folder, file, fits, around = 0, redaction } = target;
  const pattern = linePattern(target);
  if (pattern.type === "bad") return yield badPattern(pattern.why);
  for await (const name of file === undefined ? walk(folder, act) : [Buffer.from(file)]) {
    const shown = decoded(name);
    if (fits && !fits(shown)) continue;
    const place = { real: pathIn(folder.real, name), at: pathIn(folder.at, name) };
    const isNamed = file !== undefined;
    const hits = await searchFile({ ...place, shown, isNamed }, { ...act, pattern, around, redaction });
    if (hits === null) return yield tooSlow(shown);
    if (hits.length > 0) yield { type: "file", hits };
  }
}

function tooSlow(path: string): Searched {
  return {
    type: "refused",
    message: `the search was broken off in ${path}: the pattern takes too long; make it simpler`,
  };
}
