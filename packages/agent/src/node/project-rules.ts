/** Stores rules remembered for a project in pith's home, never in the project, which could otherwise permit itself anything. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { parseRule, type Rule } from "../permissions/rules.ts";
import { describeFileError } from "./files.ts";
import { withLock } from "./lock-file.ts";
import { moveAside, readOwnedFile, syncFolder, writeOwnerOnlyFile } from "./safe-files.ts";

/** What stands in it; fields that are not known stay as they are. */
export interface RulesFile {
  readonly version: 1;
  /** Texts of rules, by the absolute path of the workspace. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
}

export type RulesFileResult =
  | { readonly type: "read"; readonly content: RulesFile }
  | { readonly type: "damaged" | "untrusted"; readonly why: string };

/** The file is trusted only where no other user could have written it. No file is one without rules. */
export async function readRulesFile(path: string): Promise<RulesFileResult> {
  const result = await readOwnedFile(path, MAX_BYTES);
  switch (result.type) {
    case "text":
      return parseRulesFile(result.text, path);
    case "none":
      return { type: "read", content: { version: 1, projects: {} } };
    case "untrusted":
      return result;
  }
}

const MAX_BYTES = 4 * 1024 * 1024;

function parseRulesFile(text: string, path: string): RulesFileResult {
  const value = parseJson(text);
  if (!isRecord(value) || !isRecord(value.projects) || typeof value.version !== "number")
    return { type: "damaged", why: `${path} is damaged` };
  if (value.version !== 1) return { type: "untrusted", why: `${path} was written by a newer version` };
  if (!Object.values(value.projects).every(isStringArray)) return { type: "damaged", why: `${path} is damaged` };
  return { type: "read", content: value as unknown as RulesFile };
}

function parseJson(text: string): unknown {
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

function isStringArray(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

export interface ProjectRulesOptions {
  /** The file, in pith's home. */
  readonly file: string;
  /** Whose rules they are: a folder by its absolute path, links followed. */
  readonly workspace: string;
  /** Told, in a sentence for the user, what was not believed or could not be kept. */
  readonly notify: (note: string) => void;
  /** Tools of the host's own, on which there may be rules. */
  readonly tools?: readonly string[];
}

export interface ProjectRules {
  /** What was remembered for this workspace. */
  load(): Promise<readonly Rule[]>;
  /** Keeps one more; those that other programs keep at the same time stay. */
  remember(rule: Rule): Promise<void>;
}

/** Every rule in the file allows something; what is denied or asked stands in the settings. */
export function projectRules(options: ProjectRulesOptions): ProjectRules {
  const { file, notify } = options;
  return {
    async load() {
      try {
        return await loadRules(options);
      } catch (error) {
        notify(`no remembered rule counts: ${describeFileError(error, { action: "read", displayPath: file })}`);
        return [];
      }
    },
    async remember(rule) {
      try {
        await saveRule(rule, options);
      } catch (error) {
        notify(
          `${rule.text} counts until the end of this session only: ${describeFileError(error, { action: "written", displayPath: file })}`,
        );
      }
    },
  };
}

async function loadRules(options: ProjectRulesOptions): Promise<readonly Rule[]> {
  const result = await readRulesFile(options.file);
  // Only what is to be moved needs a turn: a home that is read-only can be read all the same.
  const content =
    result.type === "damaged"
      ? await withLock(options.file, () => readTrustedRules(options))
      : await acceptRulesFile(result, options);
  return ruleTextsFor(options.workspace, content).flatMap((text) => {
    const ruleResult = parseRule(text, { tools: options.tools ?? [], source: "project" });
    if (ruleResult.type === "mistake") options.notify(`a remembered rule does not count: ${ruleResult.message}`);
    return ruleResult.type === "rule" ? [ruleResult.rule] : [];
  });
}

async function saveRule({ text }: Rule, options: ProjectRulesOptions): Promise<void> {
  const { file, workspace } = options;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await withLock(file, async (holdsLock) => {
    const content = await readTrustedRules(options);
    const ruleTexts = ruleTextsFor(workspace, content);
    if (content === null || ruleTexts.includes(text)) return;
    const updated: RulesFile = { ...content, projects: { ...content.projects, [workspace]: [...ruleTexts, text] } };
    const bytes = new TextEncoder().encode(`${JSON.stringify(updated, null, 2)}\n`);
    await writeOwnerOnlyFile(file, bytes, { beforeRename: () => assertLockHeld(holdsLock) });
    await syncFolder(dirname(file));
  });
}

async function assertLockHeld(holdsLock: () => Promise<boolean>): Promise<void> {
  if (!(await holdsLock())) throw new Error("another program took our turn; try again");
}

/** Only for whose turn it is: what is set aside must be what was read. */
async function readTrustedRules(options: ProjectRulesOptions): Promise<RulesFile | null> {
  return await acceptRulesFile(await readRulesFile(options.file), options);
}

/** Null where the file is not to be believed, and so not to be written either. */
async function acceptRulesFile(
  result: RulesFileResult,
  { file, notify }: ProjectRulesOptions,
): Promise<RulesFile | null> {
  switch (result.type) {
    case "read":
      return result.content;
    case "untrusted":
      notify(`${result.why}, so no rule in it counts and none is added`);
      return null;
    case "damaged":
      notify(`${result.why}; it was set aside as ${await moveAside(file)}, and no rule in it counts`);
      return { version: 1, projects: {} };
  }
}

function ruleTextsFor(workspace: string, content: RulesFile | null): readonly string[] {
  return content && Object.hasOwn(content.projects, workspace) ? (content.projects[workspace] ?? []) : [];
}
