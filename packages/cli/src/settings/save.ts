/** Saves a setting or a provider key in the user's files. A file is replaced whole or not at all; comments and other values stay. */

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { readCommentedJson, type Token, tokensIn } from "../text/jsonc.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";
import { keyFile, readKeyFile } from "./keys.ts";
import { settingsFile } from "./resolve.ts";

/** Null where the text is broken, or something on the way is no object. */
export function withValue(text: string, path: readonly string[], value: unknown): string | null {
  if (text.trim() === "") return `${JSON.stringify(nested(path, value), null, 2)}\n`;
  if (readCommentedJson(text).type === "broken") return null;
  return changed(text, { tokens: [...tokensIn(text)], at: 0, path, depth: 1 }, value);
}

interface Spot {
  readonly tokens: readonly Token[];
  /** The token that opens the object. */
  readonly at: number;
  readonly path: readonly string[];
  readonly depth: number;
}

function changed(text: string, { tokens, at, path, depth }: Spot, value: unknown): string | null {
  const [name = "", ...deeper] = path;
  if (tokens[at]?.raw !== "{") return null;
  const found = memberOf(tokens, at, name);
  if (found === null) return inserted(text, { tokens, at, path, depth }, value);
  if (deeper.length > 0) return changed(text, { tokens, at: found, path: deeper, depth: depth + 1 }, value);
  const last = tokens[endOf(tokens, found)];
  const to = (last?.at ?? 0) + (last?.raw.length ?? 0);
  return text.slice(0, tokens[found]?.at) + JSON.stringify(value) + text.slice(to);
}

/** The first token of that member's value. */
function memberOf(tokens: readonly Token[], open: number, name: string): number | null {
  for (let at = open + 1; at < tokens.length && tokens[at]?.raw !== "}"; ) {
    if (JSON.parse(tokens[at]?.raw ?? "") === name) return at + 2;
    at = endOf(tokens, at + 2) + 1;
    if (tokens[at]?.raw === ",") at += 1;
  }
  return null;
}

/** The last token of the value that begins here. */
function endOf(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    const { raw = "" } = tokens[at] ?? {};
    if (raw === "{" || raw === "[") depth += 1;
    if (raw === "}" || raw === "]") depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length - 1;
}

/** As the first of its object: nothing need be known of a comma behind the last. */
function inserted(text: string, { tokens, at, path, depth }: Spot, value: unknown): string {
  const [name = "", ...deeper] = path;
  const from = (tokens[at]?.at ?? 0) + 1;
  const [indent, outer] = ["  ".repeat(depth), "  ".repeat(depth - 1)];
  const before = `${text.slice(0, from)}\n${indent}${JSON.stringify(name)}: ${JSON.stringify(nested(deeper, value))}`;
  const behind = text.slice(from);
  if (tokens[at + 1]?.raw === "}") return `${before}\n${outer}${behind.trimStart()}`;
  return /^\s*\n/.test(behind) ? `${before},${behind}` : `${before},\n${indent}${behind.trimStart()}`;
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value);
}

export interface SettingToSave {
  /** Such as `["compaction", "enabled"]`. */
  readonly path: readonly string[];
  readonly value: unknown;
  /** Pith's home. */
  readonly home: string;
}

/** Null where it is kept. */
export async function saveSetting({ path, value, home }: SettingToSave): Promise<Mistake | null> {
  const file = settingsFile(home);
  const next = `${file}.${process.pid}.new`;
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const text = withValue(await textOf(file), path, value);
    if (text === null) return mistake(`${file} is no object of settings, so ${path.join(".")} was not written into it`);
    await writeFile(next, text, { mode: 0o600, flag: "wx" });
    await rename(next, file);
    return null;
  } catch (error) {
    await rm(next, { force: true });
    return mistake(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code ?? "for an unknown reason"}`);
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

export interface KeyToSave {
  /** The provider's id. */
  readonly provider: string;
  readonly key: string;
  /** Pith's home. */
  readonly home: string;
}

/** Null where it is kept. A file that is not believed is not written, either. Other users can never read it, also while it is written. */
export async function saveKey({ provider, key, home }: KeyToSave): Promise<Mistake | null> {
  const file = keyFile(home);
  const read = await readKeyFile(file);
  if (read.type === "mistake") return read;
  const text = `${JSON.stringify({ ...read.keys, [provider]: key }, null, 2)}\n`;
  const next = `${file}.${process.pid}.new`;
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(next, text, { mode: 0o600, flag: "wx" });
    await rename(next, file);
    return null;
  } catch (error) {
    await rm(next, { force: true });
    return mistake(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code ?? "for an unknown reason"}`);
  }
}
