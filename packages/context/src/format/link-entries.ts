/** Links lines in file order into one tree of entries: ids from the line or its offset, upgraded spellings, gaps for lost lines. */

import type { Entry, GapEntry } from "../entry.ts";
import { type Tree, treeOf } from "../tree.ts";
import { type Damage, type DamageKind, damageNotes, named } from "./damage.ts";
import { withMembers } from "./edit-json.ts";
import { entryOf } from "./entry-line.ts";
import { entryNumber, isEntryNumber, withNumber } from "./entry-number.ts";
import { type Upgrade, type Upgrades, upgradedText, upgradedValue, upgrades } from "./migrate.ts";
import { type JsonObject, type LegiblePart, lineText, type WholeLine, wrongField } from "./read-line.ts";
import type { RawLine } from "./split-lines.ts";
import type { ReadLine } from "./torn-tail.ts";

/** The ids of compactions whose first kept entry is not before them on their branch. One walk over the tree. */
export function keptNobody(entries: readonly Entry[]): ReadonlySet<string> {
  const misled = new Set<string>();
  if (!entries.some((entry) => entry.type === "compaction")) return misled;
  const above = new Set<string>();
  for (const { entry, entered } of walk(treeOf(entries))) {
    if (!entered) above.delete(entry.id);
    else above.add(entry.id);
    if (entered && entry.type === "compaction" && !above.has(entry.firstKeptEntryId)) misled.add(entry.id);
  }
  return misled;
}

interface Step {
  readonly entry: Entry;
  readonly entered: boolean;
}

// A list of steps instead of recursion: a branch may be longer than the stack is deep.
function* walk({ children }: Tree): Generator<Step> {
  const ahead: Step[] = [];
  const enter = (entry: Entry): number => ahead.push({ entry, entered: true });
  children.get(null)?.forEach(enter);
  for (let step = ahead.pop(); step; step = ahead.pop()) {
    yield step;
    if (!step.entered) continue;
    ahead.push({ entry: step.entry, entered: false });
    children.get(step.entry.id)?.forEach(enter);
  }
}

/** A line on its way into the tree. */
export interface Unplaced {
  /** Null for a damaged line whose id cannot be made out. */
  readonly id: string | null;
  /** Undefined: it does not say, so it follows the line before. */
  readonly parent: string | null | undefined;
  /** Not readable: the line itself becomes a gap. */
  readonly lost: boolean;
  /** Where it stands in the file; names what has no other name, so that it can be told without reading the rest. */
  readonly offset: number;
}

export interface Placement {
  readonly id: string;
  readonly parentId: string | null;
  /** The gap to put in front of it, where its parent is nowhere to be found. */
  readonly gap: Gap | null;
  readonly troubles: readonly DamageKind[];
}

export interface Gap {
  readonly id: string;
  readonly parentId: string | null;
  readonly why: DamageKind;
}

/**
 * One placement per line, in file order; linear in the number of lines. Whatever the parents say, each entry hangs under a
 * root and none under itself.
 */
export function place(lines: readonly Unplaced[]): readonly Placement[] {
  const ground = survey(lines);
  for (let at = 0; at < lines.length; at++) settle(ground, at);
  return lines.map((_, at) => placementOf(ground, at));
}

interface Ground {
  readonly lines: readonly Unplaced[];
  readonly ids: string[];
  readonly taken: Set<string>;
  readonly renamed: ReadonlySet<number>;
  /** Index of the parent, ROOT, or NOWHERE. */
  readonly parentAt: Int32Array;
  readonly settled: Uint8Array;
  /** Lines that hang under a gap, and whether the line brings that gap with it. */
  readonly hanging: Map<number, { readonly gap: string; readonly below: number; readonly brings: boolean }>;
  readonly cycles: Set<number>;
  readonly gapFor: Map<string, { readonly gap: string; readonly below: number }>;
}

const ROOT = -1;
const NOWHERE = -2;
const WALKING = 1;
const DONE = 2;
const NONE: readonly DamageKind[] = [];

function survey(lines: readonly Unplaced[]): Ground {
  const taken = new Set<string>();
  const renamed = new Set<number>();
  const ids = lines.map(({ id, lost, offset }, at) => {
    if (lost || id === null) return "";
    if (taken.has(id)) renamed.add(at);
    return claim(taken, taken.has(id) ? `${id}~${offset}` : id);
  });
  nameLostLines(lines, ids, taken);
  const parentAt = nearestParents(lines, ids);
  const settled = new Uint8Array(lines.length);
  return { lines, ids, taken, renamed, parentAt, settled, hanging: new Map(), cycles: new Set(), gapFor: new Map() };
}

// Lost lines choose last: an id that a whole line bears is its own.
function nameLostLines(lines: readonly Unplaced[], ids: string[], taken: Set<string>): void {
  if (!lines.some((line) => line.lost)) return;
  const wanted = new Set(lines.map((line) => line.parent));
  lines.forEach(({ id, lost, offset }, at) => {
    const known = id !== null && wanted.has(id) && !taken.has(id);
    if (lost) ids[at] = claim(taken, known ? id : unnamed(offset));
  });
}

// A log is appended in order: the nearest line above that bears the id is the parent that was meant.
function nearestParents(lines: readonly Unplaced[], ids: readonly string[]): Int32Array {
  const latest = new Map<string, number>();
  const parentAt = new Int32Array(lines.length);
  lines.forEach(({ id, parent, lost }, at) => {
    if (parent === null) parentAt[at] = ROOT;
    else if (parent === undefined) parentAt[at] = at - 1;
    else parentAt[at] = latest.get(parent) ?? (lost ? at - 1 : NOWHERE);
    if (!lost && id !== null) latest.set(id, at);
    latest.set(ids[at] ?? "", at);
  });
  lines.forEach(({ parent }, at) => {
    if (parentAt[at] === NOWHERE) parentAt[at] = latest.get(parent ?? "") ?? NOWHERE;
  });
  return parentAt;
}

// Every line above is settled already, so whatever hangs below the line above can never close a circle.
function settle(ground: Ground, at: number): void {
  const chain: number[] = [];
  let node = at;
  while (node !== ROOT && ground.settled[node] === 0) {
    ground.settled[node] = WALKING;
    chain.push(node);
    node = stepUp(ground, node, at - 1);
  }
  for (const walked of chain) ground.settled[walked] = DONE;
}

/** The parent's index, or ROOT where the walk ends: at a root, or at a gap made here. */
function stepUp(ground: Ground, node: number, below: number): number {
  const up = ground.parentAt[node] ?? ROOT;
  if (up === ROOT) return ROOT;
  if (up === NOWHERE) hangUnderMissing(ground, node, below);
  else if (ground.settled[up] === WALKING) hangUnderCycle(ground, node, below);
  else return up;
  return ROOT;
}

function hangUnderMissing(ground: Ground, node: number, below: number): void {
  const missing = ground.lines[node]?.parent ?? "";
  const known = ground.gapFor.get(missing);
  if (known) {
    ground.hanging.set(node, { ...known, brings: false });
    return;
  }
  const above = ground.lines[below];
  const lostLine = node === below + 1 && above?.lost === true && ground.ids[below] === unnamed(above.offset);
  const gap = claim(ground.taken, missing);
  if (lostLine) ground.ids[below] = gap;
  ground.gapFor.set(missing, { gap, below });
  ground.hanging.set(node, { gap, below, brings: !lostLine });
}

function hangUnderCycle(ground: Ground, node: number, below: number): void {
  const gap = claim(ground.taken, `gap-before-${ground.lines[node]?.offset}`);
  ground.cycles.add(node);
  ground.gapFor.set(gap, { gap, below });
  ground.hanging.set(node, { gap, below, brings: true });
}

function placementOf(ground: Ground, at: number): Placement {
  const { ids, renamed, parentAt, hanging, cycles } = ground;
  const id = ids[at] ?? "";
  const copied: readonly DamageKind[] = renamed.has(at) ? ["duplicate-id"] : NONE;
  const hung = hanging.get(at);
  if (hung) {
    const why = cycles.has(at) ? "parent-cycle" : "missing-parent";
    const gap = hung.brings ? ({ id: hung.gap, parentId: ids[hung.below] ?? null, why } as const) : null;
    return { id, parentId: hung.gap, gap, troubles: [...copied, why] };
  }
  const up = parentAt[at] ?? ROOT;
  const parentId = up === ROOT ? null : (ids[up] ?? null);
  return { id, parentId, gap: null, troubles: up > at ? [...copied, "out-of-order"] : copied };
}

const unnamed = (offset: number): string => `gap-${offset}`;

function claim(taken: Set<string>, wish: string): string {
  let id = wish;
  while (taken.has(id)) id += "~";
  taken.add(id);
  return id;
}

export interface StandingLines {
  readonly lines: readonly ReadLine[];
  readonly damage: readonly Damage[];
}

/** All lines but headers and copies of an earlier line. */
export function standingLines(read: readonly ReadLine[], headerAt: number): StandingLines {
  const lines: ReadLine[] = [];
  const damage: Damage[] = [];
  const first = new Map<unknown, Uint8Array>();
  read.forEach((line, at) => {
    if (at === headerAt) return;
    const value = line.reading.type === "whole" ? line.reading.value : null;
    const twin = typeof value?.id === "string" ? first.get(value.id) : undefined;
    if (value?.type === "session") damage.push(named("second-header", line.raw));
    else if (twin && isSame(twin, line.raw.bytes)) damage.push(named("doubled-line", line.raw));
    else lines.push(line);
    if (value && !twin) first.set(value.id, line.raw.bytes);
  });
  return { lines, damage };
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

export interface Line {
  readonly entry: Entry;
  /** The line in today's spelling, without seal, every other byte as written; null for a gap. */
  text(): string | null;
  /** Nothing on the line shows that it ever was an entry. */
  readonly isStray?: boolean;
}

export interface PlacedLines {
  readonly lines: readonly Line[];
  readonly damage: readonly Damage[];
}

/** The number that a line says; 0 for what stands for no line. */
interface LineParts {
  readonly lines: readonly (Line & { readonly stored: unknown })[];
  readonly damage: readonly Damage[];
}

export interface FileTraits {
  readonly headerAt: number;
  readonly ours: boolean;
  /** Whether its version promises an id and a parent on every line. */
  readonly linked: boolean;
  /** No line without a number gets one up to here. */
  readonly reserved: number;
}

export function placedLines(
  read: readonly ReadLine[],
  file: FileTraits,
): PlacedLines & { readonly incomplete: boolean } {
  const standing = standingLines(read, file.headerAt);
  const placements = place(standing.lines.map(unplaced));
  const placementOf = new Map(standing.lines.map((line, at) => [line, placements[at]]));
  const old = upgrades();
  const around = { ...file, old };
  const parts = read.map((line) => {
    const placement = placementOf.get(line);
    const part = placement ? lineAt(placement, line, around) : NOTHING;
    old.count(placement?.id ?? null, line.reading.type === "whole" ? line.reading.value.type : null);
    return part;
  });
  const lines = numberedLines(
    parts.flatMap((part) => part.lines),
    file.reserved,
  );
  const misled = keptNobody(lines.map((line) => line.entry));
  return {
    lines,
    damage: [
      ...standing.damage,
      ...parts.flatMap((part) => part.damage),
      ...standing.lines.filter((_, at) => misled.has(placements[at]?.id ?? "")).map(keepsNobody),
    ],
    incomplete: standing.lines.some(
      ({ reading }) => reading.type === "whole" && wrongPlace(reading.value, true) !== null,
    ),
  };
}

function numberedLines(lines: LineParts["lines"], reserved: number): readonly Line[] {
  const following = followingNumbers(lines);
  let previous = 0;
  return lines.map(({ stored, ...line }, at) => {
    const { entry } = line;
    const next = following[at] ?? Number.POSITIVE_INFINITY;
    const given = entryNumber(stored, { previous, reserved });
    // NUM6: a damaged line may say any number; one that would take the numbers of the lines after it is not believed.
    const isTaken = entry.type === "gap" && given >= next;
    const number = !isTaken ? given : previous + 1 < next ? previous + 1 : 0;
    previous = Math.max(previous, number);
    return { ...line, entry: withNumber(entry, number) };
  });
}

/** For each line, the number of the nearest readable line after it. */
function followingNumbers(lines: LineParts["lines"]): readonly (number | undefined)[] {
  const following: (number | undefined)[] = [];
  if (!lines.some(({ entry }) => entry.type === "gap")) return following;
  let next: number | undefined;
  for (let at = lines.length - 1; at >= 0; at--) {
    following[at] = next;
    const { entry, stored } = lines[at] ?? {};
    if (entry?.type !== "gap" && isEntryNumber(stored)) next = stored;
  }
  return following;
}

function unplaced({ raw, reading }: ReadLine): Unplaced {
  if (reading.type === "damaged") {
    return { id: reading.legible.id ?? null, parent: reading.legible.parentId, lost: true, offset: raw.offset };
  }
  const { id, parentId } = reading.value;
  const parent = typeof parentId === "string" || parentId === null ? parentId : undefined;
  const own = typeof id === "string" && id !== "" ? id : `at-${raw.offset}`;
  return { id: own, parent, lost: false, offset: raw.offset };
}

// What is no id is as good as none, but must not go unsaid.
function wrongPlace({ id, parentId }: JsonObject, linked: boolean): string | null {
  if (id === undefined ? linked : typeof id !== "string" || id === "") return "id";
  if (parentId === undefined ? linked : parentId !== null && typeof parentId !== "string") return "parentId";
  return null;
}

interface LineTraits extends FileTraits {
  readonly raw: RawLine;
  readonly old: Upgrades;
}

function lineAt(placement: Placement, { raw, reading }: ReadLine, file: Omit<LineTraits, "raw">): LineParts {
  const { gap, troubles } = placement;
  const part =
    reading.type === "damaged"
      ? { lines: [gapLine(placement, reading.kind, reading.legible)], damage: [named(reading.kind, raw)] }
      : wholeLine(placement, reading, { ...file, raw });
  return {
    lines: gap ? [gapLine(gap, gap.why, { number: 0 }), ...part.lines] : part.lines,
    damage: [...troubles.map((trouble) => named(trouble, raw)), ...part.damage],
  };
}

function wholeLine(placement: Placement, reading: WholeLine, { raw, old, ours, linked }: LineTraits): LineParts {
  const upgrade = old.upgrade(reading.value, placement.id);
  const value = upgradedValue(reading.value, upgrade);
  const wrong = wrongField(value);
  const entry = entryOf(value, placement, wrong !== null);
  const misspelt = wrong ?? wrongPlace(value, linked);
  const damage: Damage[] = [];
  if (reading.blemish) damage.push(named(reading.blemish, raw));
  if (entry.type === "gap") damage.push(named("lost-entry", raw));
  if (misspelt) damage.push(named("malformed", raw, misspelt));
  if (upgrade.keepsNobody && entry.type === "compaction") damage.push(keepsNobody({ raw }));
  const text = (): string => textOf(lineText(raw.bytes, ours), entry, upgrade);
  return { lines: [{ entry, stored: value.number, text }], damage };
}

const keepsNobody = ({ raw }: Pick<ReadLine, "raw">): Damage => named("missing-first-kept", raw);

function gapLine(
  { id, parentId }: Pick<Entry, "id" | "parentId">,
  why: DamageKind,
  legible: LegiblePart,
): LineParts["lines"][number] {
  const { kind, number } = legible;
  const entry: GapEntry = { type: "gap", id, parentId, timestamp: "", why: damageNotes[why], ...(kind && { kind }) };
  return { entry, stored: number, text: () => null, isStray: legible.id === undefined && legible.kind === undefined };
}

// A timestamp that is missing or no string stays so: nothing hangs on it, and its bytes may mean something to others.
function textOf(written: string, { id, parentId }: Entry, upgrade: Upgrade): string {
  const value = JSON.parse(written) as JsonObject;
  const changes: Record<string, string> = {};
  if (value.id !== id) changes.id = JSON.stringify(id);
  if (value.parentId !== parentId) changes.parentId = JSON.stringify(parentId);
  return withMembers(upgradedText(written, upgrade), changes);
}

const NOTHING: LineParts = { lines: [], damage: [] };
