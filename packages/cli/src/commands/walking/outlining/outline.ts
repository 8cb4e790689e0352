/** A session's tree as far as it was read: who follows whom, and what each is in a few words. It only ever grows. */

import type { Sketch } from "./sketch.ts";

export interface Outline {
  readonly nodes: ReadonlyMap<string, Twig>;
  /** What is read begins with it, as long as the roots are not. */
  readonly top: string | null;
  /** Where one stands; null before the first entry. */
  readonly leaf: string | null;
  readonly labels: ReadonlyMap<string, string>;
  /** Whether all of the session is in it, more is coming, or it is too long for that. */
  readonly reach: "whole" | "growing" | "cut";
}

/** An entry where it hangs. */
export interface Twig extends Pick<Sketch, "id" | "parentId" | "kind" | "time"> {
  /** In the order in which they came, from 0: a list by these numbers needs no names. */
  readonly number: number;
  /** What is shown of it in one line; of a tool's result its call, as soon as that was read. */
  readonly words: string;
  /** The same as a search looks at it: with every letter typed all of them are looked through. */
  readonly sought: string;
  readonly isFailed: boolean;
  /** In the order in which they were written. */
  readonly children: readonly Twig[];
  /** Whether it lies between the first that was read and where one stands. */
  readonly isOnWay: boolean;
}

/** Entries that follow one another: what was known of its children makes room. */
export interface Family {
  readonly parentId: string | null;
  readonly children: readonly Sketch[];
}

export interface Growth extends Pick<Outline, "top" | "reach"> {
  readonly families: readonly Family[];
  /** Where they were read just now. */
  readonly labels?: Outline["labels"];
}

export function emptyOutline(leaf: string | null): Outline {
  const registers: Registers = { nodes: new Map(), calls: new Map(), results: new Map(), adrift: new Map() };
  const outline: Kept = { ...registers, top: null, leaf, labels: new Map(), reach: "growing" };
  return outline;
}

type Draft = { -readonly [Field in keyof Twig]: Twig[Field] };

/** What an outline is kept in. */
interface Registers {
  readonly nodes: Map<string, Draft>;
  /** Calls in a few words, by their ids. */
  readonly calls: Map<string, string>;
  /** Results whose call was not read yet, by its id. */
  readonly results: Map<string, Draft>;
  /** Children whose parent was not read yet; those of null are the roots. */
  readonly adrift: Map<string | null, readonly Draft[]>;
}

type Kept = Omit<Outline, keyof Registers> & Registers;

/** The next outline has the registers of the one before, with more in them: a copy of a hundred thousand would be felt. */
export function grown(outline: Outline, { families, ...told }: Growth): Outline {
  const registers = outline as Kept;
  const { nodes, adrift } = registers;
  for (const { parentId, children } of families) {
    const twigs = children.map((sketch) => nodes.get(sketch.id) ?? added(sketch, registers));
    const parent = parentId === null ? undefined : nodes.get(parentId);
    if (parent) parent.children = twigs;
    else adrift.set(parentId, twigs);
  }
  const known = outline.top === null ? outline.leaf : nodes.get(outline.top)?.parentId;
  for (let twig = nodes.get(known ?? ""); twig && !twig.isOnWay; twig = nodes.get(twig.parentId ?? ""))
    twig.isOnWay = true;
  return { ...outline, ...told };
}

/** Every field is always there: what is gone through so often has one shape. */
function added(sketch: Sketch, registers: Registers): Draft {
  const { nodes, adrift } = registers;
  const { id, parentId, kind, time, words, isFailed = false } = sketch;
  const place = { number: nodes.size, children: adrift.get(id) ?? NONE, isOnWay: false };
  const twig: Draft = { id, parentId, kind, time, words, sought: words.toLowerCase(), isFailed, ...place };
  adrift.delete(id);
  nodes.set(id, twig);
  paired(sketch, twig, registers);
  return twig;
}

/** A result is told by its call, whichever of them is read first. */
function paired({ callId, calls: called = [] }: Sketch, twig: Draft, { calls, results }: Registers): void {
  for (const [id, words] of called) {
    calls.set(id, words);
    const result = results.get(id);
    if (result) tellCall(result, words);
    results.delete(id);
  }
  if (callId === undefined) return;
  const words = calls.get(callId);
  if (words === undefined) results.set(callId, twig);
  else tellCall(twig, words);
}

function tellCall(result: Draft, call: string): void {
  result.words = result.isFailed ? `${call}: ${result.words.slice(result.words.indexOf(" ") + 1)}` : call;
  result.sought = result.words.toLowerCase();
}

/** One for all, since many have none. */
const NONE: readonly Draft[] = [];

/** Those that what is read begins with. */
export function rootsOf(outline: Outline): readonly Twig[] {
  const { adrift, nodes, top } = outline as Kept;
  const first = nodes.get(top ?? "");
  return adrift.get(null) ?? (first ? [first] : []);
}

/** With another name for an entry; an empty one takes it away. */
export function relabelled(outline: Outline, id: string, label: string): Outline {
  const labels = new Map(outline.labels);
  if (label === "") labels.delete(id);
  else labels.set(id, label);
  return { ...outline, labels };
}
