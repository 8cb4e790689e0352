/** Gives every line its place in one tree: whatever the parents say, each entry hangs under a root and none under itself. */

import type { DamageKind } from "./damage.ts";

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

/** One placement per line, in file order; linear in the number of lines. */
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
