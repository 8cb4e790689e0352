/** Saves a setting, and saves or removes a provider key, in the user's files. Files are replaced atomically; comments and other values stay. */

import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import type { HostContext } from "@pith/host/host-context";
import { keyFilePath, type ProviderKeys, readKeyFile } from "@pith/host/settings/provider-keys";
import { parseJsonc, type Token, tokenize } from "@pith/host/text/jsonc";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { settingsFilePath } from "./resolve.ts";

/** Null if the text is invalid, or if a part of the path is not an object. */
export function setJsoncValue(text: string, path: readonly string[], value: unknown): string | null {
  if (text.trim() === "") return `${JSON.stringify(nestValue(path, value), null, 2)}\n`;
  if (parseJsonc(text).type === "invalid") return null;
  return setValueInObject(text, { tokens: [...tokenize(text)], openIndex: 0, path, depth: 1 }, value);
}

interface ObjectPosition {
  readonly tokens: readonly Token[];
  /** The index of the object's opening brace in `tokens`. */
  readonly openIndex: number;
  readonly path: readonly string[];
  readonly depth: number;
}

function setValueInObject(
  text: string,
  { tokens, openIndex, path, depth }: ObjectPosition,
  value: unknown,
): string | null {
  const [name = "", ...restPath] = path;
  if (tokens[openIndex]?.raw !== "{") return null;
  const valueIndex = findMemberValue(tokens, openIndex, name);
  if (valueIndex === null) return insertMember(text, { tokens, openIndex, path, depth }, value);
  if (restPath.length > 0)
    return setValueInObject(text, { tokens, openIndex: valueIndex, path: restPath, depth: depth + 1 }, value);
  const lastToken = tokens[findValueEnd(tokens, valueIndex)];
  const endOffset = (lastToken?.offset ?? 0) + (lastToken?.raw.length ?? 0);
  return text.slice(0, tokens[valueIndex]?.offset) + JSON.stringify(value) + text.slice(endOffset);
}

/** Returns the index of the first token of the member's value. */
function findMemberValue(tokens: readonly Token[], openIndex: number, name: string): number | null {
  for (let index = openIndex + 1; index < tokens.length && tokens[index]?.raw !== "}"; ) {
    if (JSON.parse(tokens[index]?.raw ?? "") === name) return index + 2;
    index = findValueEnd(tokens, index + 2) + 1;
    if (tokens[index]?.raw === ",") index += 1;
  }
  return null;
}

/** Returns the index of the last token of the value that starts here. */
function findValueEnd(tokens: readonly Token[], start: number): number {
  let depth = 0;
  for (let index = start; index < tokens.length; index += 1) {
    const { raw = "" } = tokens[index] ?? {};
    if (raw === "{" || raw === "[") depth += 1;
    if (raw === "}" || raw === "]") depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length - 1;
}

/** Inserts the member as the first of its object: then a trailing comma after the last member does not matter. */
function insertMember(text: string, { tokens, openIndex, path, depth }: ObjectPosition, value: unknown): string {
  const [name = "", ...restPath] = path;
  const insertOffset = (tokens[openIndex]?.offset ?? 0) + 1;
  const [indent, outerIndent] = ["  ".repeat(depth), "  ".repeat(depth - 1)];
  const before = `${text.slice(0, insertOffset)}\n${indent}${JSON.stringify(name)}: ${JSON.stringify(nestValue(restPath, value))}`;
  const after = text.slice(insertOffset);
  if (tokens[openIndex + 1]?.raw === "}") return `${before}\n${outerIndent}${after.trimStart()}`;
  return /^\s*\n/.test(after) ? `${before},${after}` : `${before},\n${indent}${after.trimStart()}`;
}

function nestValue(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((nestedValue, name) => ({ [name]: nestedValue }), value);
}

export interface SaveSettingOptions extends Pick<HostContext, "home"> {
  /** Such as `["compaction", "enabled"]`. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Null if the setting was saved. */
export async function saveSetting({ path, value, home }: SaveSettingOptions): Promise<UsageError | null> {
  const file = settingsFilePath(home);
  return await replaceFile(file, home, async () => {
    const text = setJsoncValue(await readFileIfExists(file), path, value);
    return text ?? usageError(`${file} is not a valid settings file, so ${path.join(".")} was not saved`);
  });
}

async function readFileIfExists(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

export interface SaveKeyOptions extends Pick<HostContext, "home"> {
  /** The provider's id. */
  readonly provider: string;
  readonly key: string;
}

/** Null if the key was saved. Does not write a key file that `readKeyFile` rejects. */
export async function saveKey({ provider, key, home }: SaveKeyOptions): Promise<UsageError | null> {
  const result = await readKeyFile(keyFilePath(home));
  return result.type === "mistake" ? result : await writeKeyFile({ ...result.keys, [provider]: key }, home);
}

export type RemoveKeyResult = { readonly type: "removed" | "absent" } | UsageError;

/** Removes the saved keys of these provider ids. */
export async function removeKeys(ids: readonly string[], home: string): Promise<RemoveKeyResult> {
  const result = await readKeyFile(keyFilePath(home));
  if (result.type === "mistake") return result;
  const remainingKeys = Object.entries(result.keys).filter(([id]) => !ids.includes(id));
  if (remainingKeys.length === Object.keys(result.keys).length) return { type: "absent" };
  return (await writeKeyFile(Object.fromEntries(remainingKeys), home)) ?? { type: "removed" };
}

function writeKeyFile(keys: ProviderKeys, home: string): Promise<UsageError | null> {
  return replaceFile(keyFilePath(home), home, async () => `${JSON.stringify(keys, null, 2)}\n`);
}

/** Other users can never read the file, even while it is written. */
async function replaceFile(
  file: string,
  home: string,
  createText: () => Promise<string | UsageError>,
): Promise<UsageError | null> {
  const temporaryFile = `${file}.${process.pid}.new`;
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    const text = await createText();
    if (typeof text !== "string") return text;
    await writeFile(temporaryFile, text, { mode: 0o600, flag: "wx" });
    await rename(temporaryFile, file);
    return null;
  } catch (error) {
    await rm(temporaryFile, { force: true });
    return usageError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}`);
  }
}
