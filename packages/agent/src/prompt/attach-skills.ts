/** Attaches skills to the log, verbatim and with their source, and re-attaches them after a compaction. */

import {
  type Budget,
  contextSize,
  type Entry,
  type LoadedBranch,
  type Model,
  type NewEntry,
  type Session,
  textTokens,
} from "@pith/context";
import {
  collectCalibration,
  collectLoadedSkills,
  findCalibration,
  findMissingSkills,
  type LoadedSkill,
  SKILL_LIST_TYPE,
} from "@pith/context/host";
import { appendEntries } from "../append-entries.ts";
import type { SkillFiles } from "../ports.ts";
import { SKILLS_CHANGED, SKILLS_OVER_BUDGET } from "./prompt-text.ts";
import type { Skill } from "./system-prompt.ts";

/** The content of a loaded skill. */
export interface SkillText extends Omit<Skill, "description"> {
  readonly text: string;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly hash: string;
}

/** Does nothing if the skill is in the context with the same content. */
export async function attachSkill(session: Session, { name, path, hash, text }: SkillText): Promise<void> {
  if (hasSkill(session, { name, hash })) return;
  const reference = { kind: "skill", name, path, hash } as const;
  await appendEntries(session, createSkillEntry(reference, formatSkill({ name, path, text })));
}

function createSkillEntry(reference: LoadedSkill, content: string): NewEntry {
  return { type: "custom_message", customType: SKILL_TYPE, content, display: false, details: { pith: { reference } } };
}

/** Frames the text of a skill. The text itself is not changed. */
function formatSkill({ name, path, text }: Omit<SkillText, "hash">): string {
  return `<skill name="${name}" path="${path.replaceAll('"', "'")}">\n${text}${text.endsWith("\n") ? "" : "\n"}</skill>`;
}

function hasSkill({ branch }: Session, { name, hash }: Pick<SkillText, "name" | "hash">): boolean {
  const isSameSkill = (reference: LoadedSkill): boolean =>
    reference.name === name && reference.hash === hash && !reference.part;
  return collectLoadedSkills(branch).some(isSameSkill) && !findMissingSkills(branch).some(isSameSkill);
}

const SKILL_TYPE = "pith.skill";

export interface ReattachOptions {
  /** How often the same request was refused before. Each refusal halves the space for skills, because each retry must be smaller. */
  readonly attempt?: number;
  readonly budget: Budget;
}

interface SkillContext {
  readonly session: Session;
  readonly model: Pick<Model, "contextWindow">;
  readonly skillFiles?: SkillFiles;
}

/** Appends the skills that a compaction covered, as they were loaded: the newest that fit. The others are only named. */
export async function reattachSkills(run: SkillContext, { attempt = 0, budget }: ReattachOptions): Promise<void> {
  const missing = findUnlistedSkills(run.session.branch);
  if (missing.length === 0) return;
  const bodies = await Promise.all(missing.map((reference) => loadSkillBody(reference, run.session)));
  const { chosen, omitted } = selectNewest(bodies, computeSkillBudget(run, budget) / 2 ** attempt);
  const drafts = chosen.map(({ reference: { entryId: _, ...reference }, text }) => createSkillEntry(reference, text));
  const listEntries = await createListEntries({ chosen, omitted }, run);
  await appendEntries(run.session, ...drafts, ...listEntries);
}

/** The skills that a compaction covered, without those that a list after it already names. */
type SessionSkill = ReturnType<typeof findMissingSkills>[number];

function findUnlistedSkills(branch: LoadedBranch): readonly SessionSkill[] {
  const listedNames = new Set(branch.entries.slice(branch.compactionIndex + 1).flatMap(readListedNames));
  return findMissingSkills(branch).filter(({ name }) => !listedNames.has(name));
}

interface SkillBody {
  readonly reference: SessionSkill;
  /** The framed text; empty if the log has only a part of the skill. */
  readonly text: string;
  readonly tokens: number;
}

async function loadSkillBody(reference: SessionSkill, { store, branch }: Session): Promise<SkillBody> {
  const entry = await store.entry(reference.entryId);
  const text = entry && !reference.part ? readAttachedText(entry, reference) : "";
  const { factor } = findCalibration(collectCalibration(branch), undefined);
  return { reference, text, tokens: Math.ceil(textTokens(text) * factor) };
}

/** An attached skill already has its frame; one that a tool has read gets it here. */
function readAttachedText(entry: Entry, { name, path }: LoadedSkill): string {
  if (entry.type === "custom_message" && entry.customType === SKILL_TYPE)
    return typeof entry.content === "string" ? entry.content : "";
  if (entry.type !== "message" || entry.message.role !== "toolResult") return "";
  const [block] = entry.message.content;
  return block?.type === "text" ? formatSkill({ name, path, text: block.text }) : "";
}

interface SkillSelection {
  /** In the order of loading. */
  readonly chosen: readonly SkillBody[];
  readonly omitted: readonly SkillBody[];
}

function selectNewest(bodies: readonly SkillBody[], maxTokens: number): SkillSelection {
  const chosen = new Set<SkillBody>();
  let remainingTokens = maxTokens;
  for (const body of bodies.toReversed()) {
    if (body.text === "" || body.tokens > Math.min(remainingTokens, MAX_SKILL_TOKENS)) continue;
    remainingTokens -= body.tokens;
    chosen.add(body);
  }
  return { chosen: bodies.filter((body) => chosen.has(body)), omitted: bodies.filter((body) => !chosen.has(body)) };
}

/** In tokens. Leaves free space, so that attached skills do not cause the next compaction. */
function computeSkillBudget({ session, model: { contextWindow } }: SkillContext, budget: Budget): number {
  const limit = Math.min(budget.limit, contextWindow);
  const freeTokens = Math.max(0, limit - contextSize(session.branch, budget).tokens);
  return Math.min(MAX_TOTAL_TOKENS, contextWindow * CONTEXT_SHARE, freeTokens * FREE_SHARE);
}

const MAX_SKILL_TOKENS = 5_000;
const MAX_TOTAL_TOKENS = 25_000;
const CONTEXT_SHARE = 0.1;
const FREE_SHARE = 0.25;

async function createListEntries(
  { chosen, omitted }: SkillSelection,
  { skillFiles }: SkillContext,
): Promise<readonly NewEntry[]> {
  const changed: LoadedSkill[] = [];
  for (const { reference } of chosen) {
    const currentHash = (await skillFiles?.readHash(reference.path)) ?? reference.hash;
    if (currentHash !== reference.hash) changed.push(reference);
  }
  const sections = [
    ...formatSection(
      SKILLS_OVER_BUDGET,
      omitted.map(({ reference }) => reference),
    ),
    ...formatSection(SKILLS_CHANGED, changed),
  ];
  if (sections.length === 0) return [];
  const details = { pith: { listed: omitted.map(({ reference: { name } }) => name) } };
  return [
    { type: "custom_message", customType: SKILL_LIST_TYPE, content: sections.join("\n\n"), display: false, details },
  ];
}

function formatSection(heading: string, references: readonly LoadedSkill[]): readonly string[] {
  const lines = references.map(({ name, path }) => `- ${name}: ${path}`);
  return lines.length === 0 ? [] : [[heading, ...lines].join("\n")];
}

function readListedNames(entry: Entry): readonly string[] {
  if (entry.type !== "custom_message" || entry.customType !== SKILL_LIST_TYPE) return [];
  const { pith } = Object(entry.details) as { readonly pith?: { readonly listed?: unknown } };
  return Array.isArray(pith?.listed) ? pith.listed.filter((name) => typeof name === "string") : [];
}
