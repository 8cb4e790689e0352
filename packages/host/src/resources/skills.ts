/** Finds and parses skills, and limits the size of their catalogue, because every request contains it. A skill grants no permission. */

import { readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { decodeText, type Skill, type SkillText } from "@pith/agent";
import type { HostContext } from "../host-context.ts";
import { escapeControls, truncate } from "../text/safe-text.ts";
import { type FolderTrust, listTrustedFiles } from "../trust/folder-trust.ts";
import { hashBytes, readBytes } from "../trust/project-files.ts";
import { parseFrontMatter } from "./front-matter.ts";

export const MAX_CATALOGUE_BYTES: number = 16 * 1024;

export interface SkillCatalogue {
  readonly skills: readonly Skill[];
  readonly notes: readonly string[];
}

/** Shortens the descriptions if there are many skills, and omits skills if that is not enough. The notes say so. */
export function limitCatalogue(allSkills: readonly Skill[]): SkillCatalogue {
  const descriptionChars = DESCRIPTION_LENGTHS.find(
    (maxChars) => countCatalogueBytes(shortenDescriptions(allSkills, maxChars)) <= MAX_CATALOGUE_BYTES,
  );
  if (descriptionChars !== undefined) {
    const skills = shortenDescriptions(allSkills, descriptionChars);
    return {
      skills,
      notes: descriptionChars === DESCRIPTION_LENGTHS[0] ? [] : [`${allSkills.length} skills are ${SHORTENED_NOTE}`],
    };
  }
  const skills = takeFittingSkills(shortenDescriptions(allSkills, DESCRIPTION_LENGTHS.at(-1) ?? 0));
  const omittedCount = allSkills.length - skills.length;
  return {
    skills,
    notes: [`${allSkills.length} skills are ${SHORTENED_NOTE}, and the last ${omittedCount} are omitted`],
  };
}

/** The lengths to try, from the longest allowed description to the shortest useful one. */
const DESCRIPTION_LENGTHS: readonly number[] = [1024, 400, 200, 100];
const SHORTENED_NOTE = "too many to list in full: their descriptions are shortened";

function shortenDescriptions(skills: readonly Skill[], maxChars: number): readonly Skill[] {
  return skills.map(({ name, description, path }) => ({ name, path, description: truncate(description, maxChars) }));
}

function takeFittingSkills(skills: readonly Skill[]): readonly Skill[] {
  let remainingBytes = MAX_CATALOGUE_BYTES;
  const overflowIndex = skills.findIndex((skill) => {
    remainingBytes -= countCatalogueBytes([skill]);
    return remainingBytes < 0;
  });
  return overflowIndex < 0 ? skills : skills.slice(0, overflowIndex);
}

function countCatalogueBytes(skills: readonly Skill[]): number {
  return skills.reduce(
    (sum, { name, description, path }) => sum + Buffer.byteLength(name + description + path) + LINE_OVERHEAD_BYTES,
    0,
  );
}

/** The separators between the parts of a line. */
const LINE_OVERHEAD_BYTES = 8;

/** A skill with its text, so that the model gets the text that was found. */
export interface FoundSkill extends Skill, SkillText {
  /** Whether it has the field `allowed-tools`, which Pith ignores. */
  readonly wantsTools: boolean;
}

export interface SkillFile {
  readonly path: string;
  /** The name of the folder that contains the file. */
  readonly folder: string;
  readonly bytes: Uint8Array;
}

export interface ParseSkillResult {
  /** Null if the file is not a valid skill. */
  readonly skill: FoundSkill | null;
  /** Problems with the file, shown to the user. */
  readonly notes: readonly string[];
}

export function parseSkill({ path, folder, bytes }: SkillFile): ParseSkillResult {
  const text = decodeText(bytes);
  if (text === null) return createInvalidSkill(path, "is not a text file");
  const { fields, error } = parseFrontMatter(text);
  if (error !== null) return createInvalidSkill(path, error);
  if (!SKILL_NAME.test(folder) || folder.length > MAX_NAME_CHARS)
    return createInvalidSkill(path, `is in a folder whose name is not a valid skill name (${NAME_RULE})`);
  const fullDescription = toSingleLine(fields.get("description") ?? "");
  if (fullDescription === "")
    return createInvalidSkill(path, "has no description (start it with ---, name: …, description: … and ---)");
  const description = truncate(fullDescription, MAX_DESCRIPTION_CHARS);
  const wantsTools = fields.has("allowed-tools");
  const skill = { name: folder, description, path, text: escapeControls(text), hash: hashBytes(bytes), wantsTools };
  return { skill, notes: findProblems({ path, folder, fullDescription, name: fields.get("name") }) };
}

/** The format of the Agent Skills standard: lower case letters, digits and single dashes. */
const SKILL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_NAME_CHARS = 64;
const NAME_RULE = `at most ${MAX_NAME_CHARS} characters: a-z, 0-9 and single dashes between them`;
const MAX_DESCRIPTION_CHARS = 1024;

interface SkillHeader extends Omit<SkillFile, "bytes"> {
  readonly fullDescription: string;
  readonly name: string | undefined;
}

function findProblems({ path, folder, fullDescription, name }: SkillHeader): readonly string[] {
  const shownName = escapeControls(name ?? "").slice(0, MAX_NAME_CHARS);
  return [
    ...(name === folder
      ? []
      : [`${path} has ${shownName ? `the name ${shownName}` : "no name"}; the name of its folder is used: ${folder}`]),
    ...(fullDescription.length > MAX_DESCRIPTION_CHARS
      ? [`${path} has a description of more than ${MAX_DESCRIPTION_CHARS} characters, which is truncated`]
      : []),
  ];
}

function toSingleLine(text: string): string {
  return escapeControls(text.replace(/\s+/g, " ").trim());
}

function createInvalidSkill(path: string, why: string): ParseSkillResult {
  return { skill: null, notes: [`${path} ${why}, so it was not loaded as a skill`] };
}

export interface UserSkillFiles {
  /** Sorted by name. */
  readonly files: readonly SkillFile[];
  readonly notes: readonly string[];
}

/** Follows links, because the folder belongs to the user. Empty if the folder does not exist. */
async function readUserSkillFiles(folder: string): Promise<UserSkillFiles> {
  const files: SkillFile[] = [];
  const notes: string[] = [];
  const names = await listSkillFolders(folder);
  if (names.length > MAX_SKILLS) notes.push(`${folder} has more than ${MAX_SKILLS} skills; the rest are ignored`);
  for (const name of names.slice(0, MAX_SKILLS)) {
    const path = join(folder, name, SKILL_FILE);
    const content = await readResourceFile(path);
    if (typeof content === "string") notes.push(content);
    else if (content) files.push({ path, folder: name, bytes: content });
  }
  return { files, notes };
}

const SKILL_FILE = "SKILL.md";
const MAX_FILE_BYTES: number = 256 * 1024;
const MAX_SKILLS = 500;

async function listSkillFolders(folder: string): Promise<readonly string[]> {
  // A folder that cannot be read has no skills.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter(
    (entry) => !entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink()),
  );
  return folders.map(({ name }) => name).sort();
}

/** Returns the bytes, a note if the file cannot be used, or null if it does not exist. */
export async function readResourceFile(path: string): Promise<Uint8Array | string | null> {
  try {
    const bytes = await readBytes(await realpath(path), MAX_FILE_BYTES);
    return bytes ?? `${path} is not a regular file or is larger than ${MAX_FILE_BYTES / 1024} KB, so it was not read`;
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? null : `${path} cannot be read: ${code}`;
  }
}

export interface SkillSources extends Pick<HostContext, "home" | "userHome"> {
  readonly trustedFolder: FolderTrust;
  /** Folders of extensions. They have the lowest priority. */
  readonly extensionFolders?: readonly string[];
}

export interface FoundSkills {
  /** Sorted by name. */
  readonly skills: readonly FoundSkill[];
  /** Problems with skills, shown to the user. */
  readonly notes: readonly string[];
}

/** Finds the skills of the user and of a trusted project. If two have the same name, the one nearer to the working directory is used. */
export async function findSkills({
  userHome,
  home,
  trustedFolder,
  extensionFolders = [],
}: SkillSources): Promise<FoundSkills> {
  const folders = [...extensionFolders, join(userHome, ".agents", "skills"), join(home, "skills")];
  const userFolders = await Promise.all(folders.map(readUserSkillFiles));
  const files = [...userFolders.flatMap((result) => result.files), ...listProjectSkillFiles(trustedFolder)];
  const results = files.map(parseSkill);
  const { skills, notes } = keepNearestSkills(results.flatMap(({ skill }) => skill ?? []));
  const problems = [...userFolders, ...results].flatMap((result) => result.notes);
  return { skills, notes: [...problems, ...notes, ...createToolNotes(skills)] };
}

/** Sorts by folder, the root first. Within a folder, the skills in `.pith` come after those in `.agents`. */
function listProjectSkillFiles(trustedFolder: FolderTrust): readonly SkillFile[] {
  const files = listTrustedFiles(trustedFolder, "skills").flatMap(({ path, folder, bytes }) => {
    const [topFolder = "", , name = "", file, ...subpath] = relative(folder, path).split(sep);
    return file === SKILL_FILE && subpath.length === 0
      ? [{ path, folder: name, bytes, projectFolder: folder, topFolder }]
      : [];
  });
  const order = [...new Set(files.map(({ projectFolder }) => projectFolder))];
  return files.toSorted(
    (a, b) =>
      order.indexOf(a.projectFolder) - order.indexOf(b.projectFolder) || a.topFolder.localeCompare(b.topFolder, "en"),
  );
}

/** Expects the nearest skill last. */
function keepNearestSkills(candidates: readonly FoundSkill[]): FoundSkills {
  const byName = new Map<string, FoundSkill>();
  const notes: string[] = [];
  for (const skill of candidates) {
    const previous = byName.get(skill.name);
    if (previous) {
      const { name, path: usedPath } = skill;
      notes.push(formatDuplicate({ kind: "skills", name, usedPath, ignoredPath: previous.path }));
    }
    byName.set(skill.name, skill);
  }
  return { skills: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), notes };
}

interface Duplicate {
  readonly kind: "skills" | "prompt templates";
  readonly name: string;
  readonly usedPath: string;
  readonly ignoredPath: string;
}

export function formatDuplicate({ kind, name, usedPath, ignoredPath }: Duplicate): string {
  return `two ${kind} are named ${name}: ${usedPath} is used, ${ignoredPath} is ignored`;
}

function createToolNotes(skills: readonly FoundSkill[]): readonly string[] {
  const names = skills.filter(({ wantsTools }) => wantsTools).map(({ name }) => name);
  return names.length === 0 ? [] : [`allowed-tools is ignored in ${names.join(", ")}: a skill grants no permissions`];
}
