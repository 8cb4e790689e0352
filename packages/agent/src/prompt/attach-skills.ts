/** Attaches skills to the log, verbatim and with their source, and re-attaches them after a compaction. */

import {
  type Budget,
  contextSize,
  type Entry,
  type LoadedBranch,
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
  type SessionSkill,
  SKILL_LIST_TYPE,
} from "@pith/context/host";
import { appended } from "../append.ts";
import { budgetOf, type RunParts } from "../loop/run-context.ts";
import { CHANGED, OVER_BUDGET, type SkillText } from "./skill.ts";

/** Nothing is said twice: one that stands in the context as it is now is there already. */
export async function attachSkill(session: Session, { name, path, hash, text }: SkillText): Promise<void> {
  if (hasSkill(session, { name, hash })) return;
  const reference = { kind: "skill", name, path, hash } as const;
  await appended(session, attached(reference, skillBlock({ name, path, text })));
}

export function attached(reference: LoadedSkill, content: string): NewEntry {
  return { type: "custom_message", customType: SKILL, content, display: false, details: { pith: { reference } } };
}

/** The text is not changed, whatever stands in it. */
export function skillBlock({ name, path, text }: Omit<SkillText, "hash">): string {
  return `<skill name="${name}" path="${path.replaceAll('"', "'")}">\n${text}${text.endsWith("\n") ? "" : "\n"}</skill>`;
}

function hasSkill({ branch: window }: Session, { name, hash }: Pick<SkillText, "name" | "hash">): boolean {
  const isIt = (reference: LoadedSkill): boolean =>
    reference.name === name && reference.hash === hash && !reference.part;
  return collectLoadedSkills(window).some(isIt) && !findMissingSkills(window).some(isIt);
}

export const SKILL = "pith.skill";

export type ReattachParts = Pick<RunParts, "session" | "model" | "limits" | "skills">;

export interface Reattaching {
  /** Refusals of the same request before this; each leaves half the room, because each retry must be smaller. */
  readonly attempt?: number;
  /** For whom it must fit; who speaks now, unless said. */
  readonly budget?: Budget;
}

/** Skills that a compaction covered come back as they were loaded: the newest that fit. The others are only named. */
export async function reattachSkills(parts: ReattachParts, { attempt = 0, budget }: Reattaching = {}): Promise<void> {
  const missing = unlisted(parts.session.branch);
  if (missing.length === 0) return;
  const bodies = await Promise.all(missing.map((reference) => bodyOf(reference, parts.session)));
  const { chosen, left } = newestThatFit(bodies, roomFor(parts, budget) / 2 ** attempt);
  const drafts = chosen.map(({ reference: { entryId: _, ...reference }, text }) => attached(reference, text));
  const listing = await listed({ chosen, left }, parts);
  await appended(parts.session, ...drafts, ...listing);
}

/** Those of which somebody has to be told something. */
export function unlisted(window: LoadedBranch): readonly SessionSkill[] {
  const said = new Set(window.entries.slice(window.compactionIndex + 1).flatMap(listedIn));
  return findMissingSkills(window).filter(({ name }) => !said.has(name));
}

interface Body {
  readonly reference: SessionSkill;
  /** As it is told; empty where not all of it is in the log. */
  readonly text: string;
  readonly tokens: number;
}

async function bodyOf(reference: SessionSkill, { store, branch: window }: Session): Promise<Body> {
  const entry = await store.entry(reference.entryId);
  const text = entry && !reference.part ? textIn(entry, reference) : "";
  const { factor } = findCalibration(collectCalibration(window), undefined);
  return { reference, text, tokens: Math.ceil(textTokens(text) * factor) };
}

/** What was attached before is attached as it was; what a tool has read gets a frame once. */
function textIn(entry: Entry, { name, path }: LoadedSkill): string {
  if (entry.type === "custom_message" && entry.customType === SKILL)
    return typeof entry.content === "string" ? entry.content : "";
  if (entry.type !== "message" || entry.message.role !== "toolResult") return "";
  const [block] = entry.message.content;
  return block?.type === "text" ? skillBlock({ name, path, text: block.text }) : "";
}

interface Choice {
  /** In the order in which they were loaded. */
  readonly chosen: readonly Body[];
  readonly left: readonly Body[];
}

function newestThatFit(bodies: readonly Body[], room: number): Choice {
  const chosen = new Set<Body>();
  let rest = room;
  for (const body of bodies.toReversed()) {
    if (body.text === "" || body.tokens > Math.min(rest, MOST_EACH)) continue;
    rest -= body.tokens;
    chosen.add(body);
  }
  return { chosen: bodies.filter((body) => chosen.has(body)), left: bodies.filter((body) => !chosen.has(body)) };
}

/** Tokens. What is attached leaves room to work in, so that it is no reason for the next compaction. */
function roomFor(parts: ReattachParts, budget: Budget = budgetOf(parts)): number {
  const { contextWindow } = parts.model;
  const limit = Math.min(budget.limit, contextWindow);
  const free = Math.max(0, limit - contextSize(parts.session.branch, budget).tokens);
  return Math.min(MOST_IN_ALL, contextWindow * SHARE, free * SHARE_OF_FREE);
}

const MOST_EACH = 5_000;
const MOST_IN_ALL = 25_000;
const SHARE = 0.1;
const SHARE_OF_FREE = 0.25;

async function listed({ chosen, left }: Choice, { skills }: ReattachParts): Promise<readonly NewEntry[]> {
  const changed: LoadedSkill[] = [];
  for (const { reference } of chosen) {
    const now = (await skills?.hashNow(reference.path)) ?? reference.hash;
    if (now !== reference.hash) changed.push(reference);
  }
  const parts = [
    ...section(
      OVER_BUDGET,
      left.map(({ reference }) => reference),
    ),
    ...section(CHANGED, changed),
  ];
  if (parts.length === 0) return [];
  const details = { pith: { listed: left.map(({ reference: { name } }) => name) } };
  return [
    { type: "custom_message", customType: SKILL_LIST_TYPE, content: parts.join("\n\n"), display: false, details },
  ];
}

function section(lead: string, references: readonly LoadedSkill[]): readonly string[] {
  const lines = references.map(({ name, path }) => `- ${name}: ${path}`);
  return lines.length === 0 ? [] : [[lead, ...lines].join("\n")];
}

function listedIn(entry: Entry): readonly string[] {
  if (entry.type !== "custom_message" || entry.customType !== SKILL_LIST_TYPE) return [];
  const { pith } = Object(entry.details) as { readonly pith?: { readonly listed?: unknown } };
  return Array.isArray(pith?.listed) ? pith.listed.filter((name) => typeof name === "string") : [];
}
