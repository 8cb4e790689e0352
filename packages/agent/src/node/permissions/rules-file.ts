/** The file of remembered rules, believed only where nobody else could have written it. */

import { believedText } from "../disk/believed-text.ts";

/** What stands in it; fields that are not known stay as they are. */
export interface Kept {
  readonly version: 1;
  /** Texts of rules, by the absolute path of the workspace. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
}

export type ReadRules =
  | { readonly type: "read"; readonly kept: Kept }
  | { readonly type: "damaged" | "unbelieved"; readonly why: string };

/** No file is one without rules. */
export async function readRulesFile(path: string): Promise<ReadRules> {
  const read = await believedText(path, MOST_BYTES);
  switch (read.type) {
    case "text":
      return keptIn(read.text, path);
    case "none":
      return { type: "read", kept: { version: 1, projects: {} } };
    case "unbelieved":
      return read;
  }
}

const MOST_BYTES = 4 * 1024 * 1024;

function keptIn(text: string, path: string): ReadRules {
  const value = parsed(text);
  if (!isRecord(value) || !isRecord(value.projects) || typeof value.version !== "number")
    return { type: "damaged", why: `${path} is damaged` };
  if (value.version !== 1) return { type: "unbelieved", why: `${path} was written by a newer version` };
  if (!Object.values(value.projects).every(isTexts)) return { type: "damaged", why: `${path} is damaged` };
  return { type: "read", kept: value as unknown as Kept };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever it is, it is no object, and is named as damaged.
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}
