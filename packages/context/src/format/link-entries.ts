/** Links the lines of a file into one tree of entries: assigns ids, parents and numbers, upgrades old versions, and puts gaps where lines were lost. */

import type { Entry, GapEntry } from "../entry.ts";
import type { JsonObject } from "../json.ts";
import { buildTree, type Tree } from "../tree.ts";
import { createDamage, type Damage, type DamageKind, damageNotes } from "./damage.ts";
import { setJsonMembers } from "./edit-json-text.ts";
import { isEntryNumber, resolveEntryNumber, toEntry, withEntryNumber } from "./entry-line.ts";
import { applyUpgrade, applyUpgradeToText, createUpgrader, type LineUpgrade, type LineUpgrader } from "./migrate.ts";
import { type IntactLine, invalidField, type LegibleFields, lineText } from "./read-line.ts";
import type { RawLine } from "./split-lines.ts";
import type { LineRecord } from "./torn-tail.ts";

/** An entry with the text of its line. */
export interface EntryLine {
  readonly entry: Entry;
  /** Returns the line upgraded to the current version, without trailer, every other byte as written; null for a gap. */
  text(): string | null;
  /** Whether the line is damaged and nothing on it shows that it was an entry. */
  readonly isStray?: boolean;
}

/** The linked entries and the damage found. */
export interface LinkResult {
  readonly lines: readonly EntryLine[];
  readonly damage: readonly Damage[];
}

/** What the header says about the lines. */
export interface LinkOptions {
  readonly headerIndex: number;
  readonly isPithFormat: boolean;
  /** Whether the version requires an id and a parent on every line. */
  readonly requiresLinks: boolean;
  /** New numbers are higher than this one. */
  readonly reservedNumber: number;
}

/** Links the lines of a file into entries. */
export function linkEntries(
  allLines: readonly LineRecord[],
  options: LinkOptions,
): LinkResult & { readonly hasMissingLinks: boolean } {
  const entryLines = dropHeadersAndCopies(allLines, options.headerIndex);
  const links = assignParents(entryLines.lines.map(toLinkInput));
  const linkByLine = new Map(entryLines.lines.map((line, index) => [line, links[index]]));
  const upgrader = createUpgrader();
  const lineOptions = { ...options, upgrader };
  const lineResults = allLines.map((line) => {
    const link = linkByLine.get(line);
    const lineResult = link ? linkLine(link, line, lineOptions) : NO_LINES;
    upgrader.countLine(link?.id ?? null, line.parsed.type === "intact" ? line.parsed.value.type : null);
    return lineResult;
  });
  const lines = assignEntryNumbers(
    lineResults.flatMap((lineResult) => lineResult.lines),
    options.reservedNumber,
  );
  const compactionIds = compactionsWithoutKeptEntry(lines.map((line) => line.entry));
  return {
    lines,
    damage: [
      ...entryLines.damage,
      ...lineResults.flatMap((lineResult) => lineResult.damage),
      ...entryLines.lines.filter((_, index) => compactionIds.has(links[index]?.id ?? "")).map(missingFirstKeptDamage),
    ],
    hasMissingLinks: entryLines.lines.some(
      ({ parsed }) => parsed.type === "intact" && invalidLinkField(parsed.value, true) !== null,
    ),
  };
}

/** The lines that hold entries, and the damage of the other lines. */
export interface LinesToLink {
  readonly lines: readonly LineRecord[];
  readonly damage: readonly Damage[];
}

/** Drops headers and copies of earlier lines. */
function dropHeadersAndCopies(allLines: readonly LineRecord[], headerIndex: number): LinesToLink {
  const lines: LineRecord[] = [];
  const damage: Damage[] = [];
  const firstBytesById = new Map<unknown, Uint8Array>();
  allLines.forEach((line, index) => {
    if (index === headerIndex) return;
    const value = line.parsed.type === "intact" ? line.parsed.value : null;
    const earlierBytes = typeof value?.id === "string" ? firstBytesById.get(value.id) : undefined;
    if (value?.type === "session") damage.push(createDamage("second-header", line.raw));
    else if (earlierBytes && hasSameBytes(earlierBytes, line.raw.bytes))
      damage.push(createDamage("duplicate-line", line.raw));
    else lines.push(line);
    if (value && !earlierBytes) firstBytesById.set(value.id, line.raw.bytes);
  });
  return { lines, damage };
}

function hasSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function toLinkInput({ raw, parsed }: LineRecord): LinkInput {
  if (parsed.type === "damaged") {
    return { id: parsed.legible.id ?? null, parent: parsed.legible.parentId, isLost: true, offset: raw.offset };
  }
  const { id, parentId } = parsed.value;
  const parent = typeof parentId === "string" || parentId === null ? parentId : undefined;
  const ownId = typeof id === "string" && id !== "" ? id : `at-${raw.offset}`;
  return { id: ownId, parent, isLost: false, offset: raw.offset };
}

interface LineLinkResult {
  /** `storedNumber` is the number on the line; 0 for an inserted gap. */
  readonly lines: readonly (EntryLine & { readonly storedNumber: unknown })[];
  readonly damage: readonly Damage[];
}

const NO_LINES: LineLinkResult = { lines: [], damage: [] };

interface LineLinkOptions extends LinkOptions {
  readonly raw: RawLine;
  readonly upgrader: LineUpgrader;
}

function linkLine(link: EntryLink, { raw, parsed }: LineRecord, options: Omit<LineLinkOptions, "raw">): LineLinkResult {
  const { gap, damageKinds } = link;
  const lineResult =
    parsed.type === "damaged"
      ? { lines: [createGapLine(link, parsed.kind, parsed.legible)], damage: [createDamage(parsed.kind, raw)] }
      : linkIntactLine(link, parsed, { ...options, raw });
  return {
    lines: gap ? [createGapLine(gap, gap.why, { number: 0 }), ...lineResult.lines] : lineResult.lines,
    damage: [...damageKinds.map((damageKind) => createDamage(damageKind, raw)), ...lineResult.damage],
  };
}

function linkIntactLine(
  link: EntryLink,
  parsed: IntactLine,
  { raw, upgrader, isPithFormat, requiresLinks }: LineLinkOptions,
): LineLinkResult {
  const upgrade = upgrader.upgrade(parsed.value, link.id);
  const value = applyUpgrade(parsed.value, upgrade);
  const wrongEntryField = invalidField(value);
  const entry = toEntry(value, link, wrongEntryField !== null);
  const wrongLineField = wrongEntryField ?? invalidLinkField(value, requiresLinks);
  const damage: Damage[] = [];
  if (parsed.minorDamage) damage.push(createDamage(parsed.minorDamage, raw));
  if (entry.type === "gap") damage.push(createDamage("lost-entry", raw));
  if (wrongLineField) damage.push(createDamage("malformed", raw, wrongLineField));
  if (upgrade.keepsNothing && entry.type === "compaction") damage.push(missingFirstKeptDamage({ raw }));
  const text = (): string => upgradeLineText(lineText(raw.bytes, isPithFormat), entry, upgrade);
  return { lines: [{ entry, storedNumber: value.number, text }], damage };
}

// An invalid id counts as missing, but is reported even if the version does not require ids.
function invalidLinkField({ id, parentId }: JsonObject, requiresLinks: boolean): string | null {
  if (id === undefined ? requiresLinks : typeof id !== "string" || id === "") return "id";
  if (parentId === undefined ? requiresLinks : parentId !== null && typeof parentId !== "string") return "parentId";
  return null;
}

// An invalid timestamp stays as it is: nothing depends on it, and another program may use it.
function upgradeLineText(lineJson: string, { id, parentId }: Entry, upgrade: LineUpgrade): string {
  const value = JSON.parse(lineJson) as JsonObject;
  const changes: Record<string, string> = {};
  if (value.id !== id) changes.id = JSON.stringify(id);
  if (value.parentId !== parentId) changes.parentId = JSON.stringify(parentId);
  return setJsonMembers(applyUpgradeToText(lineJson, upgrade), changes);
}

function createGapLine(
  { id, parentId }: Pick<Entry, "id" | "parentId">,
  why: DamageKind,
  legible: LegibleFields,
): LineLinkResult["lines"][number] {
  const { kind, number } = legible;
  const entry: GapEntry = { type: "gap", id, parentId, timestamp: "", why: damageNotes[why], ...(kind && { kind }) };
  return {
    entry,
    storedNumber: number,
    text: () => null,
    isStray: legible.id === undefined && legible.kind === undefined,
  };
}

const missingFirstKeptDamage = ({ raw }: Pick<LineRecord, "raw">): Damage => createDamage("missing-first-kept", raw);

function assignEntryNumbers(lines: LineLinkResult["lines"], reservedNumber: number): readonly EntryLine[] {
  const nextNumbers = findNextNumbers(lines);
  let previous = 0;
  return lines.map(({ storedNumber, ...line }, index) => {
    const { entry } = line;
    const next = nextNumbers[index] ?? Number.POSITIVE_INFINITY;
    const resolvedNumber = resolveEntryNumber(storedNumber, { previous, reserved: reservedNumber });
    // NUM6: a damaged line may show a wrong number; a number that a later line needs is ignored.
    const isTaken = entry.type === "gap" && resolvedNumber >= next;
    const number = !isTaken ? resolvedNumber : previous + 1 < next ? previous + 1 : 0;
    previous = Math.max(previous, number);
    return { ...line, entry: withEntryNumber(entry, number) };
  });
}

/** Returns, for each line, the number of the next readable line. */
function findNextNumbers(lines: LineLinkResult["lines"]): readonly (number | undefined)[] {
  const nextNumbers: (number | undefined)[] = [];
  if (!lines.some(({ entry }) => entry.type === "gap")) return nextNumbers;
  let next: number | undefined;
  for (let index = lines.length - 1; index >= 0; index--) {
    nextNumbers[index] = next;
    const { entry, storedNumber } = lines[index] ?? {};
    if (entry?.type !== "gap" && isEntryNumber(storedNumber)) next = storedNumber;
  }
  return nextNumbers;
}

/** Returns the ids of compactions whose first kept entry is not before them on their branch. */
export function compactionsWithoutKeptEntry(entries: readonly Entry[]): ReadonlySet<string> {
  const compactionIds = new Set<string>();
  if (!entries.some((entry) => entry.type === "compaction")) return compactionIds;
  const ancestorIds = new Set<string>();
  for (const { entry, isEntering } of walkEntryTree(buildTree(entries))) {
    if (!isEntering) ancestorIds.delete(entry.id);
    else ancestorIds.add(entry.id);
    if (isEntering && entry.type === "compaction" && !ancestorIds.has(entry.firstKeptEntryId))
      compactionIds.add(entry.id);
  }
  return compactionIds;
}

interface TreeStep {
  readonly entry: Entry;
  readonly isEntering: boolean;
}

// A stack instead of recursion, because a branch may be longer than the call stack allows.
function* walkEntryTree({ children }: Tree): Generator<TreeStep> {
  const stack: TreeStep[] = [];
  const enter = (entry: Entry): number => stack.push({ entry, isEntering: true });
  children.get(null)?.forEach(enter);
  for (let step = stack.pop(); step; step = stack.pop()) {
    yield step;
    if (!step.isEntering) continue;
    stack.push({ entry: step.entry, isEntering: false });
    children.get(step.entry.id)?.forEach(enter);
  }
}

/** The id and the parent that a line names. */
export interface LinkInput {
  /** Null for a damaged line whose id cannot be read. */
  readonly id: string | null;
  /** Undefined if the line does not name a parent; the line before is its parent then. */
  readonly parent: string | null | undefined;
  /** Whether the line is damaged and becomes a gap. */
  readonly isLost: boolean;
  /** The offset of the line. An entry without an id is named by it, so the name does not depend on other lines. */
  readonly offset: number;
}

/** The resolved id and parent of a line. */
export interface EntryLink {
  readonly id: string;
  readonly parentId: string | null;
  /** The gap to insert before the line, if its parent does not exist. */
  readonly gap: GapLink | null;
  readonly damageKinds: readonly DamageKind[];
}

/** The id and the parent of an inserted gap. */
export interface GapLink {
  readonly id: string;
  readonly parentId: string | null;
  readonly why: DamageKind;
}

/**
 * Assigns an id and a parent to each line, in linear time. Whatever parents the lines name, every entry reaches a root and no entry is its
 * own ancestor.
 */
export function assignParents(lines: readonly LinkInput[]): readonly EntryLink[] {
  const state = createLinkState(lines);
  for (let index = 0; index < lines.length; index++) resolveAncestors(state, index);
  return lines.map((_, index) => toEntryLink(state, index));
}

interface LinkState {
  readonly lines: readonly LinkInput[];
  readonly ids: string[];
  readonly usedIds: Set<string>;
  readonly renamedLines: ReadonlySet<number>;
  /** The index of the parent, ROOT_INDEX or MISSING_PARENT_INDEX. */
  readonly parentIndexes: Int32Array;
  readonly visitStates: Uint8Array;
  /** The gap that is the parent of a line, and whether that line creates the gap. */
  readonly gapParents: Map<number, { readonly gap: string; readonly lineBefore: number; readonly createsGap: boolean }>;
  readonly cycles: Set<number>;
  readonly gapsByMissingId: Map<string, { readonly gap: string; readonly lineBefore: number }>;
}

const ROOT_INDEX = -1;
const MISSING_PARENT_INDEX = -2;
const VISIT_ACTIVE = 1;
const VISIT_DONE = 2;
const NO_DAMAGE_KINDS: readonly DamageKind[] = [];

function createLinkState(lines: readonly LinkInput[]): LinkState {
  const usedIds = new Set<string>();
  const renamedLines = new Set<number>();
  const ids = lines.map(({ id, isLost, offset }, index) => {
    if (isLost || id === null) return "";
    if (usedIds.has(id)) renamedLines.add(index);
    return claimUniqueId(usedIds, usedIds.has(id) ? `${id}~${offset}` : id);
  });
  assignLostLineIds(lines, ids, usedIds);
  const parentIndexes = findNearestParents(lines, ids);
  const visitStates = new Uint8Array(lines.length);
  return {
    lines,
    ids,
    usedIds,
    renamedLines,
    parentIndexes,
    visitStates,
    gapParents: new Map(),
    cycles: new Set(),
    gapsByMissingId: new Map(),
  };
}

// Lost lines get their ids last, because an intact line keeps its id.
function assignLostLineIds(lines: readonly LinkInput[], ids: string[], usedIds: Set<string>): void {
  if (!lines.some((line) => line.isLost)) return;
  const parentIds = new Set(lines.map((line) => line.parent));
  lines.forEach(({ id, isLost, offset }, index) => {
    const isIdUsable = id !== null && parentIds.has(id) && !usedIds.has(id);
    if (isLost) ids[index] = claimUniqueId(usedIds, isIdUsable ? id : gapId(offset));
  });
}

// If several lines have the same id, the nearest one above is the parent, because a log is appended in order.
function findNearestParents(lines: readonly LinkInput[], ids: readonly string[]): Int32Array {
  const latestIndexById = new Map<string, number>();
  const parentIndexes = new Int32Array(lines.length);
  lines.forEach(({ id, parent, isLost }, index) => {
    if (parent === null) parentIndexes[index] = ROOT_INDEX;
    else if (parent === undefined) parentIndexes[index] = index - 1;
    else parentIndexes[index] = latestIndexById.get(parent) ?? (isLost ? index - 1 : MISSING_PARENT_INDEX);
    if (!isLost && id !== null) latestIndexById.set(id, index);
    latestIndexById.set(ids[index] ?? "", index);
  });
  lines.forEach(({ parent }, index) => {
    if (parentIndexes[index] === MISSING_PARENT_INDEX)
      parentIndexes[index] = latestIndexById.get(parent ?? "") ?? MISSING_PARENT_INDEX;
  });
  return parentIndexes;
}

// All earlier lines are resolved already, so a gap under the line before cannot create a cycle.
function resolveAncestors(state: LinkState, index: number): void {
  const chain: number[] = [];
  let lineIndex = index;
  while (lineIndex !== ROOT_INDEX && state.visitStates[lineIndex] === 0) {
    state.visitStates[lineIndex] = VISIT_ACTIVE;
    chain.push(lineIndex);
    lineIndex = moveToParent(state, lineIndex, index - 1);
  }
  for (const visitedIndex of chain) state.visitStates[visitedIndex] = VISIT_DONE;
}

/** Returns the index of the parent, or ROOT_INDEX at a root or at a new gap. */
function moveToParent(state: LinkState, lineIndex: number, lineBefore: number): number {
  const parentIndex = state.parentIndexes[lineIndex] ?? ROOT_INDEX;
  if (parentIndex === ROOT_INDEX) return ROOT_INDEX;
  if (parentIndex === MISSING_PARENT_INDEX) linkUnderMissingParent(state, lineIndex, lineBefore);
  else if (state.visitStates[parentIndex] === VISIT_ACTIVE) linkUnderCycleGap(state, lineIndex, lineBefore);
  else return parentIndex;
  return ROOT_INDEX;
}

function linkUnderMissingParent(state: LinkState, lineIndex: number, lineBefore: number): void {
  const missingId = state.lines[lineIndex]?.parent ?? "";
  const existingGap = state.gapsByMissingId.get(missingId);
  if (existingGap) {
    state.gapParents.set(lineIndex, { ...existingGap, createsGap: false });
    return;
  }
  const previousLine = state.lines[lineBefore];
  const isLostLine =
    lineIndex === lineBefore + 1 &&
    previousLine?.isLost === true &&
    state.ids[lineBefore] === gapId(previousLine.offset);
  const gap = claimUniqueId(state.usedIds, missingId);
  if (isLostLine) state.ids[lineBefore] = gap;
  state.gapsByMissingId.set(missingId, { gap, lineBefore });
  state.gapParents.set(lineIndex, { gap, lineBefore, createsGap: !isLostLine });
}

function linkUnderCycleGap(state: LinkState, lineIndex: number, lineBefore: number): void {
  const gap = claimUniqueId(state.usedIds, `gap-before-${state.lines[lineIndex]?.offset}`);
  state.cycles.add(lineIndex);
  state.gapsByMissingId.set(gap, { gap, lineBefore });
  state.gapParents.set(lineIndex, { gap, lineBefore, createsGap: true });
}

function toEntryLink(state: LinkState, index: number): EntryLink {
  const { ids, renamedLines, parentIndexes, gapParents, cycles } = state;
  const id = ids[index] ?? "";
  const idDamage: readonly DamageKind[] = renamedLines.has(index) ? ["duplicate-id"] : NO_DAMAGE_KINDS;
  const gapParent = gapParents.get(index);
  if (gapParent) {
    const why = cycles.has(index) ? "parent-cycle" : "missing-parent";
    const gap = gapParent.createsGap
      ? ({ id: gapParent.gap, parentId: ids[gapParent.lineBefore] ?? null, why } as const)
      : null;
    return { id, parentId: gapParent.gap, gap, damageKinds: [...idDamage, why] };
  }
  const parentIndex = parentIndexes[index] ?? ROOT_INDEX;
  const parentId = parentIndex === ROOT_INDEX ? null : (ids[parentIndex] ?? null);
  return { id, parentId, gap: null, damageKinds: parentIndex > index ? [...idDamage, "out-of-order"] : idDamage };
}

const gapId = (offset: number): string => `gap-${offset}`;

function claimUniqueId(usedIds: Set<string>, preferredId: string): string {
  let id = preferredId;
  while (usedIds.has(id)) id += "~";
  usedIds.add(id);
  return id;
}
