/** Finds and parses skills and keeps their catalogue short, because every request contains it. A skill grants no permission. */

import { readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { decodeText, type Skill, type SkillText } from "@pith/agent";
import { clipped, plain } from "../text/safe-text.ts";
import { hashOf } from "../trust/project-files.ts";
import { takeBytes } from "../trust/read-files.ts";
import { type TrustedFolder, trustedFiles } from "../trust/trust.ts";
import { frontMatter } from "./front-matter.ts";

/** Bytes of all lines. */
export const MOST_IN_CATALOGUE: number = 16 * 1024;

export interface Catalogue {
  readonly skills: readonly Skill[];
  readonly notes: readonly string[];
}

/** Where there are many, their descriptions are cut; a note says so, and how many are left out. */
export function boundedSkills(found: readonly Skill[]): Catalogue {
  const letters = LENGTHS.find((most) => weight(shortened(found, most)) <= MOST_IN_CATALOGUE);
  if (letters !== undefined) {
    const skills = shortened(found, letters);
    return { skills, notes: letters === LENGTHS[0] ? [] : [`${found.length} skills are many: ${SHORTER}`] };
  }
  const skills = firstThatFit(shortened(found, LENGTHS.at(-1) ?? 0));
  const left = found.length - skills.length;
  return { skills, notes: [`${found.length} skills are too many: ${SHORTER}, and not told of the last ${left}`] };
}

/** Letters of each description: what a skill may have, and then less and less. */
const LENGTHS: readonly number[] = [1024, 400, 200, 100];
const SHORTER = "the model is told only the first words on each";

function shortened(skills: readonly Skill[], letters: number): readonly Skill[] {
  return skills.map(({ name, description, path }) => ({ name, path, description: clipped(description, letters) }));
}

function firstThatFit(skills: readonly Skill[]): readonly Skill[] {
  let room = MOST_IN_CATALOGUE;
  const over = skills.findIndex((skill) => {
    room -= weight([skill]);
    return room < 0;
  });
  return over < 0 ? skills : skills.slice(0, over);
}

function weight(skills: readonly Skill[]): number {
  return skills.reduce(
    (sum, { name, description, path }) => sum + Buffer.byteLength(name + description + path) + FRAME,
    0,
  );
}

/** Of a line: what stands between its parts. */
const FRAME = 8;

/** A skill with its text: what is found is what is told. */
export interface FoundSkill extends Skill, SkillText {
  /** Whether it names tools that it would like to use freely. */
  readonly wantsTools: boolean;
}

export interface SkillFile {
  readonly path: string;
  /** The name of the folder it lies in. */
  readonly folder: string;
  readonly bytes: Uint8Array;
}

export interface SkillIn {
  /** Null where it is none. */
  readonly skill: FoundSkill | null;
  /** For people: what is wrong with it. */
  readonly notes: readonly string[];
}

export function skillIn({ path, folder, bytes }: SkillFile): SkillIn {
  const text = decodeText(bytes);
  if (text === null) return unused(path, "is no text");
  const { fields, fault } = frontMatter(text);
  if (fault !== null) return unused(path, fault);
  if (!NAME.test(folder) || folder.length > LONGEST_NAME)
    return unused(path, `lies in a folder whose name is no ${WANTED}`);
  const said = oneLine(fields.get("description") ?? "");
  if (said === "") return unused(path, "has no description; begin it with --- name: …, description: … and ---");
  const description = clipped(said, LONGEST);
  const wantsTools = fields.has("allowed-tools");
  const skill = { name: folder, description, path, text: plain(text), hash: hashOf(bytes), wantsTools };
  return { skill, notes: faultsIn({ path, folder, said, name: fields.get("name") }) };
}

/** As the standard has it: lower case, digits and single dashes. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const LONGEST_NAME = 64;
const WANTED = `skill's name: at most ${LONGEST_NAME} of a-z, 0-9 and single dashes between them`;
const LONGEST = 1024;

interface Told extends Omit<SkillFile, "bytes"> {
  readonly said: string;
  readonly name: string | undefined;
}

function faultsIn({ path, folder, said, name }: Told): readonly string[] {
  const shown = plain(name ?? "").slice(0, LONGEST_NAME);
  return [
    ...(name === folder ? [] : [`${path} names itself ${shown || "nothing"}; it is known by its folder, ${folder}`]),
    ...(said.length > LONGEST ? [`${path} has a description of more than ${LONGEST} letters, which is cut`] : []),
  ];
}

function oneLine(text: string): string {
  return plain(text.replace(/\s+/g, " ").trim());
}

function unused(path: string, why: string): SkillIn {
  return { skill: null, notes: [`${path} ${why}, so it is no skill`] };
}

export interface SkillFiles {
  /** In the order of their names. */
  readonly files: readonly SkillFile[];
  readonly notes: readonly string[];
}

/** Nothing where nothing is. The folder is the user's own, so links are followed. */
export async function userSkills(folder: string): Promise<SkillFiles> {
  const files: SkillFile[] = [];
  const notes: string[] = [];
  const names = await namesIn(folder);
  if (names.length > MOST) notes.push(`${folder} has more than ${MOST} skills; the others are left out`);
  for (const name of names.slice(0, MOST)) {
    const path = join(folder, name, SKILL_FILE);
    const read = await bytesAt(path);
    if (typeof read === "string") notes.push(read);
    else if (read) files.push({ path, folder: name, bytes: read });
  }
  return { files, notes };
}

export const SKILL_FILE = "SKILL.md";
/** Bytes of one. */
export const MOST_BYTES: number = 256 * 1024;
const MOST = 500;

async function namesIn(folder: string): Promise<readonly string[]> {
  // Where it cannot be looked into, there is nothing.
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const isThere = found.filter((each) => !each.name.startsWith(".") && (each.isDirectory() || each.isSymbolicLink()));
  return isThere.map(({ name }) => name).sort();
}

/** Null where there is none; else the bytes, or a note. */
export async function bytesAt(path: string): Promise<Uint8Array | string | null> {
  try {
    const bytes = await takeBytes(await realpath(path), MOST_BYTES);
    return bytes ?? `${path} is no regular file, or larger than ${MOST_BYTES / 1024} KB, so it was not read`;
  } catch (error) {
    const { code = "for an unknown reason" } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? null : `${path} cannot be read: ${code}`;
  }
}

export interface SkillPlaces {
  /** What `~` stands for. */
  readonly userHome: string;
  /** Pith's home. */
  readonly home: string;
  readonly trusted: TrustedFolder;
  /** Folders beside those, which count less. */
  readonly more?: readonly string[];
}

export interface FoundSkills {
  /** By name. */
  readonly skills: readonly FoundSkill[];
  /** For people: what is wrong with some of them. */
  readonly notes: readonly string[];
}

/** The user's own, and those of a trusted project. Of two with one name the nearer counts. */
export async function findSkills({ userHome, home, trusted, more = [] }: SkillPlaces): Promise<FoundSkills> {
  const folders = [...more, join(userHome, ".agents", "skills"), join(home, "skills")];
  const own = await Promise.all(folders.map(userSkills));
  const files = [...own.flatMap((each) => each.files), ...ofProject(trusted)];
  const read = files.map(skillIn);
  const { skills, notes } = nearest(read.flatMap(({ skill }) => skill ?? []));
  const faults = [...own, ...read].flatMap((each) => each.notes);
  return { skills, notes: [...faults, ...notes, ...toolNotes(skills)] };
}

/** Those of the root first; in a folder, Pith's own last. */
function ofProject(trusted: TrustedFolder): readonly SkillFile[] {
  const files = trustedFiles(trusted, "skills").flatMap(({ path, folder, bytes }) => {
    const [place = "", , name = "", file, ...deeper] = relative(folder, path).split(sep);
    return file === SKILL_FILE && deeper.length === 0 ? [{ path, folder: name, bytes, around: folder, place }] : [];
  });
  const order = [...new Set(files.map(({ around }) => around))];
  return files.toSorted(
    (one, other) =>
      order.indexOf(one.around) - order.indexOf(other.around) || one.place.localeCompare(other.place, "en"),
  );
}

/** `found` has the nearest last. */
function nearest(found: readonly FoundSkill[]): FoundSkills {
  const byName = new Map<string, FoundSkill>();
  const notes: string[] = [];
  for (const skill of found) {
    const farther = byName.get(skill.name);
    if (farther) notes.push(`there are two skills ${skill.name}: ${skill.path} counts, ${farther.path} does not`);
    byName.set(skill.name, skill);
  }
  return { skills: [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1)), notes };
}

function toolNotes(skills: readonly FoundSkill[]): readonly string[] {
  const wishing = skills.filter(({ wantsTools }) => wantsTools).map(({ name }) => name);
  return wishing.length === 0 ? [] : [`allowed-tools of ${wishing.join(", ")}: a skill grants no permission`];
}
