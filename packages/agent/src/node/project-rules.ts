/** Stores rules remembered for a project in pith's home, never in the project, which could otherwise permit itself anything. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { parseRule, type Rule } from "../permissions/rules.ts";
import { refusal } from "./files.ts";
import { inOrder } from "./lock-file.ts";
import { believedText, ownFile, setAside, syncFolder } from "./safe-files.ts";

/** What stands in it; fields that are not known stay as they are. */
export interface Kept {
  readonly version: 1;
  /** Texts of rules, by the absolute path of the workspace. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
}

export type ReadRules =
  | { readonly type: "read"; readonly kept: Kept }
  | { readonly type: "damaged" | "unbelieved"; readonly why: string };

/** The file is trusted only where no other user could have written it. No file is one without rules. */
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

export interface ProjectRulesParts {
  /** The file, in pith's home. */
  readonly file: string;
  /** Whose rules they are: a folder by its absolute path, links followed. */
  readonly workspace: string;
  /** Told, in a sentence for the user, what was not believed or could not be kept. */
  readonly tell: (note: string) => void;
  /** Tools of the host's own, on which there may be rules. */
  readonly tools?: readonly string[];
}

export interface ProjectRules {
  /** What was remembered for this workspace. */
  recall(): Promise<readonly Rule[]>;
  /** Keeps one more; those that other programs keep at the same time stay. */
  remember(rule: Rule): Promise<void>;
}

/** Every rule in the file allows something; what is denied or asked stands in the settings. */
export function projectRules(parts: ProjectRulesParts): ProjectRules {
  const { file, tell } = parts;
  return {
    async recall() {
      try {
        return await recall(parts);
      } catch (error) {
        tell(`no remembered rule counts: ${refusal(error, { act: "read", shown: file })}`);
        return [];
      }
    },
    async remember(rule) {
      try {
        await remember(rule, parts);
      } catch (error) {
        tell(
          `${rule.text} counts until the end of this session only: ${refusal(error, { act: "written", shown: file })}`,
        );
      }
    },
  };
}

async function recall(parts: ProjectRulesParts): Promise<readonly Rule[]> {
  const read = await readRulesFile(parts.file);
  // Only what is to be moved needs a turn: a home that is read-only can be read all the same.
  const kept = read.type === "damaged" ? await inOrder(parts.file, () => believed(parts)) : await keptOf(read, parts);
  return textsFor(parts.workspace, kept).flatMap((text) => {
    const parsed = parseRule(text, { tools: parts.tools ?? [], source: "project" });
    if (parsed.type === "mistake") parts.tell(`a remembered rule does not count: ${parsed.message}`);
    return parsed.type === "rule" ? [parsed.rule] : [];
  });
}

async function remember({ text }: Rule, parts: ProjectRulesParts): Promise<void> {
  const { file, workspace } = parts;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await inOrder(file, async (isOurTurn) => {
    const kept = await believed(parts);
    const texts = textsFor(workspace, kept);
    if (kept === null || texts.includes(text)) return;
    const next: Kept = { ...kept, projects: { ...kept.projects, [workspace]: [...texts, text] } };
    const bytes = new TextEncoder().encode(`${JSON.stringify(next, null, 2)}\n`);
    await ownFile(file, bytes, { last: () => unlessTaken(isOurTurn) });
    await syncFolder(dirname(file));
  });
}

async function unlessTaken(isOurTurn: () => Promise<boolean>): Promise<void> {
  if (!(await isOurTurn())) throw new Error("another program took our turn; try again");
}

/** Only for whose turn it is: what is set aside must be what was read. */
async function believed(parts: ProjectRulesParts): Promise<Kept | null> {
  return await keptOf(await readRulesFile(parts.file), parts);
}

/** Null where the file is not to be believed, and so not to be written either. */
async function keptOf(read: ReadRules, { file, tell }: ProjectRulesParts): Promise<Kept | null> {
  switch (read.type) {
    case "read":
      return read.kept;
    case "unbelieved":
      tell(`${read.why}, so no rule in it counts and none is added`);
      return null;
    case "damaged":
      tell(`${read.why}; it was set aside as ${await setAside(file)}, and no rule in it counts`);
      return { version: 1, projects: {} };
  }
}

function textsFor(workspace: string, kept: Kept | null): readonly string[] {
  return kept && Object.hasOwn(kept.projects, workspace) ? (kept.projects[workspace] ?? []) : [];
}
