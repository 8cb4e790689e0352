/** All files under a folder that are not ignored, by name. No link is followed, so that there is no circle; what cannot be opened is passed by. */

import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { decoded } from "../engine.ts";
import { type IgnoreRules, isIgnored, outerRules, withRulesIn } from "./ignore-rules.ts";

interface Folder {
  /** Ends in a slash. */
  readonly path: Buffer;
  readonly rules: readonly IgnoreRules[];
}

/** Their paths, absolute. */
export async function* walk(folder: string, { signal }: { readonly signal: AbortSignal }): AsyncGenerator<Buffer> {
  const outer = await outerRules(folder);
  const rules = outer === "ignored" ? [] : outer;
  yield* filesIn({ path: Buffer.from(folder === "/" ? folder : `${folder}/`), rules }, signal);
}

const SLASH = Buffer.from("/");

async function* filesIn({ path, rules: outer }: Folder, signal: AbortSignal): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  const entries = await entriesOf(path);
  const hasRules = entries.some(({ name }) => name.equals(RULES));
  const rules = hasRules ? await withRulesIn(decoded(path), outer) : outer;
  for (const entry of entries) {
    const inside = Buffer.concat([path, entry.name]);
    const folder = Buffer.concat([inside, SLASH]);
    if (entry.name.equals(GIT) || isIgnored(decoded(entry.isDirectory() ? folder : inside), rules)) continue;
    if (entry.isDirectory()) yield* filesIn({ path: folder, rules }, signal);
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
