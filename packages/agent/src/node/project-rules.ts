/** Stores a project's remembered rules in Pith's home, never in the project, which could otherwise permit itself anything. */

import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { parseRule, type Rule } from "../permissions/rules.ts";
import { describeFileError } from "./files.ts";
import { withLock } from "./lock-file.ts";
import { moveAside, readOwnedFile, syncFolder, writeOwnerOnlyFile } from "./safe-files.ts";

/** The content of the file. Unknown fields are preserved. */
export interface RulesFile {
  readonly version: 1;
  /** Texts of rules, by the absolute path of the workspace. */
  readonly projects: Readonly<Record<string, readonly string[]>>;
}

export type RulesFileResult =
  | { readonly type: "read"; readonly content: RulesFile }
  | { readonly type: "damaged" | "untrusted"; readonly why: string };

/** The file is trusted only if no other user could have written it. A missing file has no rules. */
async function readRulesFile(path: string): Promise<RulesFileResult> {
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
    // Not JSON: reported as damaged.
    return null;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isStringArray(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

/** Options of `projectRules`. */
export interface ProjectRulesOptions {
  /** The rules file in Pith's home. */
  readonly file: string;
  /** The real path of the workspace. */
  readonly workspace: string;
  /** Receives a message for the user about rules that were ignored or could not be saved. */
  readonly notify: (note: string) => void;
  /** Tools of the host, for which rules may exist. */
  readonly tools?: readonly string[];
}

/** The rules that the user remembered for a project. */
export interface ProjectRules {
  /** The rules remembered for this workspace. */
  load(): Promise<readonly Rule[]>;
  /** Adds a rule; rules that other processes add at the same time are preserved. */
  remember(rule: Rule): Promise<void>;
}

/** Every rule in the file allows something; deny and ask rules are in the settings. */
export function projectRules(options: ProjectRulesOptions): ProjectRules {
  const { file, notify } = options;
  return {
    async load() {
      try {
        return await loadRules(options);
      } catch (error) {
        notify(`remembered rules are ignored: ${describeFileError(error, { action: "read", displayPath: file })}`);
        return [];
      }
    },
    async remember(rule) {
      try {
        await saveRule(rule, options);
      } catch (error) {
        notify(
          `${rule.text} is allowed only in this session: ${describeFileError(error, { action: "written", displayPath: file })}`,
        );
      }
    },
  };
}

async function loadRules(options: ProjectRulesOptions): Promise<readonly Rule[]> {
  const result = await readRulesFile(options.file);
  // Only a damaged file, which is moved, needs the lock: a read-only home can still be read.
  const content =
    result.type === "damaged"
      ? await withLock(options.file, () => readTrustedRules(options))
      : await acceptRulesFile(result, options);
  return ruleTextsFor(options.workspace, content).flatMap((text) => {
    const ruleResult = parseRule(text, { tools: options.tools ?? [], source: "project" });
    if (ruleResult.type === "mistake") options.notify(`a remembered rule is ignored: ${ruleResult.message}`);
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
  if (!(await holdsLock())) throw new Error("another process took over the lock; try again");
}

/** Call with the lock held: the file that is moved aside must be the one that was read. */
async function readTrustedRules(options: ProjectRulesOptions): Promise<RulesFile | null> {
  return await acceptRulesFile(await readRulesFile(options.file), options);
}

/** Null where the file is not trusted, and so must not be written either. */
async function acceptRulesFile(
  result: RulesFileResult,
  { file, notify }: ProjectRulesOptions,
): Promise<RulesFile | null> {
  switch (result.type) {
    case "read":
      return result.content;
    case "untrusted":
      notify(`${result.why}, so its rules are ignored and none can be added`);
      return null;
    case "damaged":
      notify(`${result.why}; it was renamed to ${await moveAside(file)} and its rules are ignored`);
      return { version: 1, projects: {} };
  }
}

function ruleTextsFor(workspace: string, content: RulesFile | null): readonly string[] {
  return content && Object.hasOwn(content.projects, workspace) ? (content.projects[workspace] ?? []) : [];
}
