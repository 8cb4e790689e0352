/** Links lines in file order into one tree of entries: ids from the line or its offset, upgraded spellings, gaps for lost lines. */

import type { Entry, GapEntry } from "../entry.ts";
import type { JsonObject } from "../json.ts";
import { buildTree, type Tree } from "../tree.ts";
import { createDamage, type Damage, type DamageKind, damageNotes } from "./damage.ts";
import { setJsonMembers } from "./edit-json.ts";
import { toEntry } from "./entry-line.ts";
import { isEntryNumber, resolveEntryNumber, withEntryNumber } from "./entry-number.ts";
import { applyUpgrade, applyUpgradeToText, createUpgrader, type LineUpgrade, type LineUpgrader } from "./migrate.ts";
import { type IntactLine, invalidField, type LegibleFields, lineText } from "./read-line.ts";
import type { RawLine } from "./split-lines.ts";
import type { LineRecord } from "./torn-tail.ts";

/** The ids of compactions whose first kept entry is not before them on their branch. One walk over the tree. */
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

// A list of steps instead of recursion: a branch may be longer than the stack is deep.
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

/** A line on its way into the tree. */
export interface LinkInput {
  /** Null for a damaged line whose id cannot be made out. */
  readonly id: string | null;
  /** Undefined: it does not say, so it follows the line before. */
  readonly parent: string | null | undefined;
  /** Not readable: the line itself becomes a gap. */
  readonly isLost: boolean;
  /** Where it stands in the file; names what has no other name, so that it can be told without reading the rest. */
  readonly offset: number;
}

export interface EntryLink {
  readonly id: string;
  readonly parentId: string | null;
  /** The gap to put in front of it, where its parent is nowhere to be found. */
  readonly gap: GapLink | null;
  readonly damageKinds: readonly DamageKind[];
}

export interface GapLink {
  readonly id: string;
  readonly parentId: string | null;
  readonly why: DamageKind;
}

/**
 * One placement per line, in file order; linear in the number of lines. Whatever the parents say, each entry hangs under a
 * root and none under itself.
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
  /** Index of the parent, ROOT, or NOWHERE. */
  readonly parentIndexes: Int32Array;
  readonly visitStates: Uint8Array;
  /** Lines that hang under a gap, and whether the line brings that gap with it. */
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

// Lost lines choose last: an id that a whole line bears is its own.
function assignLostLineIds(lines: readonly LinkInput[], ids: string[], usedIds: Set<string>): void {
  if (!lines.some((line) => line.isLost)) return;
  const parentIds = new Set(lines.map((line) => line.parent));
  lines.forEach(({ id, isLost, offset }, index) => {
    const isIdUsable = id !== null && parentIds.has(id) && !usedIds.has(id);
    if (isLost) ids[index] = claimUniqueId(usedIds, isIdUsable ? id : gapId(offset));
  });
}

// A log is appended in order: the nearest line above that bears the id is the parent that was meant.
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

// Every line above is settled already, so whatever hangs below the line above can never close a circle.
function resolveAncestors(state: LinkState, index: number): void {
  const chain: number[] = [];
  let lineIndex = index;
  while (lineIndex !== ROOT_INDEX && state.visitStates[lineIndex] === 0) {
    state.visitStates[lineIndex] = VISIT_ACTIVE;
    chain.push(lineIndex);
    lineIndex = moveToParent(state, lineIndex, index - 1);
  }
  for (const visited of chain) state.visitStates[visited] = VISIT_DONE;
}

/** The parent's index, or ROOT where the walk ends: at a root, or at a gap made here. */
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

export interface LinesToLink {
  readonly lines: readonly LineRecord[];
  readonly damage: readonly Damage[];
}

/** All lines but headers and copies of an earlier line. */
export function dropHeadersAndCopies(allLines: readonly LineRecord[], headerIndex: number): LinesToLink {
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

export interface EntryLine {
  readonly entry: Entry;
  /** The line in today's spelling, without seal, every other byte as written; null for a gap. */
  text(): string | null;
  /** Nothing on the line shows that it ever was an entry. */
  readonly isStray?: boolean;
}

export interface LinkResult {
  readonly lines: readonly EntryLine[];
  readonly damage: readonly Damage[];
}

/** The number that a line says; 0 for what stands for no line. */
interface LineLinkResult {
  readonly lines: readonly (EntryLine & { readonly storedNumber: unknown })[];
  readonly damage: readonly Damage[];
}

export interface LinkOptions {
  readonly headerIndex: number;
  readonly isPithFormat: boolean;
  /** Whether its version promises an id and a parent on every line. */
  readonly requiresLinks: boolean;
  /** No line without a number gets one up to here. */
  readonly reservedNumber: number;
}

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

function assignEntryNumbers(lines: LineLinkResult["lines"], reservedNumber: number): readonly EntryLine[] {
  const nextNumbers = findNextNumbers(lines);
  let previous = 0;
  return lines.map(({ storedNumber, ...line }, index) => {
    const { entry } = line;
    const next = nextNumbers[index] ?? Number.POSITIVE_INFINITY;
    const resolvedNumber = resolveEntryNumber(storedNumber, { previous, reserved: reservedNumber });
    // NUM6: a damaged line may say any number; one that would take the numbers of the lines after it is not believed.
    const isTaken = entry.type === "gap" && resolvedNumber >= next;
    const number = !isTaken ? resolvedNumber : previous + 1 < next ? previous + 1 : 0;
    previous = Math.max(previous, number);
    return { ...line, entry: withEntryNumber(entry, number) };
  });
}

/** For each line, the number of the nearest readable line after it. */
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

function toLinkInput({ raw, parsed }: LineRecord): LinkInput {
  if (parsed.type === "damaged") {
    return { id: parsed.legible.id ?? null, parent: parsed.legible.parentId, isLost: true, offset: raw.offset };
  }
  const { id, parentId } = parsed.value;
  const parent = typeof parentId === "string" || parentId === null ? parentId : undefined;
  const ownId = typeof id === "string" && id !== "" ? id : `at-${raw.offset}`;
  return { id: ownId, parent, isLost: false, offset: raw.offset };
}

// What is no id is as good as none, but must not go unsaid.
function invalidLinkField({ id, parentId }: JsonObject, requiresLinks: boolean): string | null {
  if (id === undefined ? requiresLinks : typeof id !== "string" || id === "") return "id";
  if (parentId === undefined ? requiresLinks : parentId !== null && typeof parentId !== "string") return "parentId";
  return null;
}

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

const missingFirstKeptDamage = ({ raw }: Pick<LineRecord, "raw">): Damage => createDamage("missing-first-kept", raw);

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

// A timestamp that is missing or no string stays so: nothing hangs on it, and its bytes may mean something to others.
function upgradeLineText(lineJson: string, { id, parentId }: Entry, upgrade: LineUpgrade): string {
  const value = JSON.parse(lineJson) as JsonObject;
  const changes: Record<string, string> = {};
  if (value.id !== id) changes.id = JSON.stringify(id);
  if (value.parentId !== parentId) changes.parentId = JSON.stringify(parentId);
  return setJsonMembers(applyUpgradeToText(lineJson, upgrade), changes);
}

const NO_LINES: LineLinkResult = { lines: [], damage: [] };
