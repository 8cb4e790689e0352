/** All files under a folder that are not ignored, by name. No link is followed, so that there is no circle; what cannot be opened is passed by. */

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { decoded, pathIn, type SearchedFolder } from "../engine.ts";
import { type IgnoreRules, isIgnored, outerRules, withRulesIn } from "./ignore-rules.ts";

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
