/** A part of the tree as lines of text: what was left is set in, the way to the leaf goes straight down. */

import { plainText } from "@pith/context";
import { type EntryLine, entryLine } from "./entry-line.ts";
import { shortId } from "./short-id.ts";
import { isMove, type TreeNode, type TreePart } from "./tree-part.ts";

export interface TreeLine {
  readonly id: string;
  readonly text: string;
  readonly kind: string;
  readonly words: string;
  readonly label?: string;
  /** Whether it is on the branch one stands on. */
  readonly isOnBranch: boolean;
  readonly isLeaf: boolean;
  /** Whether a branch begins with it that does not go straight on. */
  readonly isSide: boolean;
}

export interface TreeMarks {
  readonly labels: ReadonlyMap<string, string>;
  /** Where one stands; null before the first entry. */
  readonly leaf: string | null;
  /** How an id is written; short, unless said. */
  readonly idShown?: (id: string) => string;
}

export function drawTree({ roots, way }: TreePart, marks: TreeMarks): readonly TreeLine[] {
  const drawing: Drawing = { ...marks, way, leaves: leavesOf(roots, marks), lines: [] };
  drawAll(visible(roots, drawing), "", drawing);
  return drawing.lines;
}

interface Drawing extends TreeMarks {
  readonly way: ReadonlySet<string>;
  /** What is shown for the place where one stands: the leaf may be nothing to people. */
  readonly leaves: ReadonlySet<string>;
  readonly lines: TreeLine[];
}

interface Shown {
  readonly node: TreeNode;
  readonly line: EntryLine;
}

/** The nearest that are shown, of these and below, in their order. A stretch that is not may be long. */
function visible(nodes: readonly TreeNode[], { labels }: Drawing): readonly Shown[] {
  const shown: Shown[] = [];
  const waiting = nodes.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const line = entryLine(node.entry);
    const isShown = line.kind !== null || labels.has(node.entry.id) || node.isCut;
    if (isShown) shown.push({ node, line });
    else for (const child of node.children.toReversed()) waiting.push(child);
  }
  return shown;
}

/** All but the one that goes on are set in; the way goes on, and where it does not pass, the newest. */
function drawAll(shown: readonly Shown[], indent: string, drawing: Drawing): void {
  let rest = shown;
  while (rest.length > 0) {
    const straight = rest.find(({ node }) => drawing.way.has(node.entry.id)) ?? rest.at(-1);
    for (const each of rest) if (each !== straight) drawSide(each, indent, drawing);
    if (!straight) return;
    drawing.lines.push({ ...lineOf(straight, indent, drawing), isSide: false });
    rest = visible(straight.node.children, drawing);
  }
}

function drawSide(side: Shown, indent: string, drawing: Drawing): void {
  drawing.lines.push({ ...lineOf(side, `${indent}├─ `, drawing), isSide: true });
  drawAll(visible(side.node.children, drawing), `${indent}│  `, drawing);
}

function lineOf(
  { node, line }: Shown,
  indent: string,
  { labels, way, leaves, idShown = shortId }: Drawing,
): Omit<TreeLine, "isSide"> {
  const { id } = node.entry;
  const given = labels.get(id);
  const label = given === undefined ? undefined : plainText(given, 40);
  const isLeaf = leaves.has(id);
  const kind = line.kind ?? node.entry.type.replaceAll("_", " ");
  const marks = [
    ...(label === undefined ? [] : [`[${label}]`]),
    ...(node.isCut ? ["… more below"] : []),
    ...(isLeaf ? ["← here"] : []),
  ];
  return {
    id,
    text: `${indent}${idShown(id)} ${[`${kind}:`, line.words, ...marks].filter((part) => part !== "").join(" ")}`,
    kind,
    words: line.words,
    ...(label !== undefined && { label }),
    isOnBranch: way.has(id),
    isLeaf,
  };
}

/** The last that is shown on the way to where one stands. */
function leavesOf(roots: readonly TreeNode[], { leaf, labels }: TreeMarks): ReadonlySet<string> {
  const parents = new Map<string, TreeNode | null>();
  const waiting = roots.map((node): readonly [TreeNode, TreeNode | null] => [node, null]);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, parent] = next;
    const isShown = entryLine(node.entry).kind !== null || labels.has(node.entry.id);
    const nearest = isShown && !isMove(node.entry) ? node : parent;
    parents.set(node.entry.id, nearest);
    for (const child of node.children) waiting.push([child, nearest]);
  }
  const at = leaf === null ? undefined : parents.get(leaf);
  return new Set(at ? [at.entry.id] : []);
}
