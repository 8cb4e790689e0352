/** Tables: those that hold figures become tables, those that only lay out a page do not. */

import { lineOf, type Place } from "./inline.ts";
import type { Element, Node } from "./tree.ts";

/** Several rows and columns, and nothing in a cell that needs lines of its own. */
export function isTable(table: Element): boolean {
  const rows = rowsOf(table);
  return rows.length > 1 && rows.some((row) => cellsOf(row).length > 1) && !table.children.some(holdsLayout);
}

export function tableText(table: Element, place: Place): string {
  const [head = "", ...rest] = rowsOf(table).map((row) => `| ${cellTexts(row, place).join(" | ")} |`);
  const columns = cellsOf(rowsOf(table)[0]).length;
  return [head, `|${" --- |".repeat(columns)}`, ...rest].join("\n");
}

/** A row of a layout whose cells are mere words. */
export function isPlainRow(row: Element): boolean {
  const cells = cellsOf(row);
  return cells.length > 0 && cells.every(({ holdsBlocks }) => !holdsBlocks);
}

export function rowText(row: Element, place: Place): string {
  return cellTexts(row, place)
    .filter((text) => text !== "")
    .join(" | ");
}

function cellTexts(row: Element, place: Place): readonly string[] {
  return cellsOf(row).map(({ children }) => lineOf(children, place).replaceAll("\n", " ").replaceAll("|", "\\|"));
}

function rowsOf(table: Element): readonly Element[] {
  return elements(table.children).flatMap((child) => {
    if (child.tag === "tr") return [child];
    return SECTIONS.has(child.tag) ? elements(child.children).filter(({ tag }) => tag === "tr") : [];
  });
}

function cellsOf(row: Element | undefined): readonly Element[] {
  return elements(row?.children ?? []).filter(({ tag }) => tag === "td" || tag === "th");
}

function holdsLayout(node: Node): boolean {
  if (typeof node === "string") return false;
  return LAYOUT.has(node.tag) || (node.holdsBlocks && node.children.some(holdsLayout));
}

function elements(nodes: readonly Node[]): readonly Element[] {
  return nodes.filter((node) => typeof node !== "string");
}

const SECTIONS: ReadonlySet<string> = new Set(["thead", "tbody", "tfoot"]);
const LAYOUT: ReadonlySet<string> = new Set(
  "table ul ol dl pre blockquote h1 h2 h3 h4 h5 h6 section article".split(" "),
);
