/** Finds the skills that are loaded in a session. A skill is in the context in full or not at all, so summaries never paraphrase it. */

import { type CompactionEntry, type Entry, readPithDetails } from "../entry.ts";
import { isObject } from "../json.ts";
import { isBlobHash } from "../session/blobs.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { latestEdit } from "./build-context.ts";

/** A skill that was loaded into the context. */
export interface LoadedSkill {
  readonly kind: "skill";
  readonly name: string;
  readonly path: string;
  /** SHA-256 of the file it was loaded from, in hex. */
  readonly hash: string;
  /** Set if only some of its lines were loaded. */
  readonly part?: true;
}

/** A loaded skill and the entry with its text. */
export interface SessionSkill extends LoadedSkill {
  readonly entryId: string;
}

/** The type of the custom message that lists skills that are not in the context and skills that have changed. */
export const SKILL_LIST_TYPE = "pith.skills";

/** Returns the skill that an entry loaded, or null. */
export function readLoadedSkill(entry: Entry): LoadedSkill | null {
  return parseLoadedSkill(readPithDetails(entryDetails(entry)).reference);
}

/** Formats the placeholder for the text of a skill. */
export function formatSkillPlaceholder({ name, path }: LoadedSkill): string {
  return `(the skill ${name} was loaded here from ${sanitizeLine(path, MAX_SKILL_PATH_CHARS)}; it is kept unchanged, so its text is left out)`;
}

/** Collects the loaded skills, newest last, one per name. Includes skills that a compaction covers, and excludes those the user removed. */
export function collectLoadedSkills({ entries, compactionIndex, edits }: LoadedBranch): readonly SessionSkill[] {
  const compaction = entries[compactionIndex];
  const skills = new Map<string, SessionSkill>();
  for (const skill of compaction?.type === "compaction" ? readCompactionSkills(compaction) : [])
    recordSkill(skills, skill);
  for (const entry of entries) {
    const skill = readLoadedSkill(entry);
    const edit = skill && latestEdit(edits, entry);
    if (!skill) continue;
    if (edit && !edit.pith?.reduced) skills.delete(skill.name);
    else recordSkill(skills, { ...skill, entryId: entry.id });
  }
  return [...skills.values()].slice(-MAX_LOADED_SKILLS);
}

/** Returns the loaded skills whose full text is not in the context. */
export function findMissingSkills(branch: LoadedBranch): readonly SessionSkill[] {
  const skills = collectLoadedSkills(branch);
  if (skills.length === 0) return skills;
  const intactIds = new Set(branch.entries.filter((entry) => !latestEdit(branch.edits, entry)).map(({ id }) => id));
  return skills.filter(({ entryId }) => !intactIds.has(entryId));
}

function entryDetails(entry: Entry): unknown {
  if (entry.type === "custom_message") return entry.details;
  return entry.type === "message" && "details" in entry.message ? entry.message.details : null;
}

function parseLoadedSkill(value: unknown): LoadedSkill | null {
  if (!isObject(value) || value.kind !== "skill") return null;
  const { name, path, hash, part } = value;
  if (typeof name !== "string" || !SKILL_NAME_PATTERN.test(name) || typeof path !== "string" || !isBlobHash(hash))
    return null;
  return { kind: "skill", name, path, hash, ...(part === true && { part }) };
}

const SKILL_NAME_PATTERN = /^[a-z0-9-]{1,64}$/;
const MAX_SKILL_PATH_CHARS = 1_000;

function readCompactionSkills({ details }: CompactionEntry): readonly SessionSkill[] {
  const { references } = readPithDetails(details);
  const list: readonly unknown[] = Array.isArray(references) ? references : [];
  return list.flatMap((item) => {
    const skill = parseLoadedSkill(item);
    const entryId = isObject(item) ? item.entryId : null;
    return skill && typeof entryId === "string" ? [{ ...skill, entryId }] : [];
  });
}

// Loading some lines of a skill again does not replace the full text.
function recordSkill(skills: Map<string, SessionSkill>, skill: SessionSkill): void {
  const previous = skills.get(skill.name);
  const hasAll = previous && !previous.part && previous.hash === skill.hash;
  skills.delete(skill.name);
  skills.set(skill.name, skill.part && hasAll ? previous : skill);
}

const MAX_LOADED_SKILLS = 50;
