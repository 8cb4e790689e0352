/** A line of a summary without what is not said by it: list marks, citations, emphasis, and names that were taken out. */

import { withoutCitations } from "./citations.ts";

export function bare(text: string): string {
  return withoutCitations(withoutMarker(text))
    .replaceAll(NAME_NOT_FOUND, " ")
    .replace(/\*\*|__|`/g, " ")
    .trim();
}

/** Without the mark of a list or heading. */
export function withoutMarker(text: string): string {
  return text.replace(MARKER, "");
}

/** How far a line is indented; null where it is no item of a list. */
export function itemIndent(text: string): number | null {
  const [, indent = null] = /^(\s*)(?:[-*+•·◦▪‣–]|\d{1,3}[.)])\s/.exec(text) ?? [];
  return indent === null ? null : indent.length;
}

const MARKER = /^\s*(?:>\s*)?(?:(?:[-*+•·◦▪‣–]|\d{1,3}[.)]|#{1,6})\s+)?(?:\[[ xX~-]?\]\s+)?/;

/** Stands for a name that was nowhere in what was covered. */
export const NAME_NOT_FOUND = "[name not found]";

/** Whether a line says that there is nothing, or nothing at all. */
export function saysNothing(text: string): boolean {
  const words = bare(text)
    .replace(/[\p{P}\p{S}\s]/gu, "")
    .toLowerCase();
  return words === "" || NOTHING.has(words);
}

const NOTHING: ReadonlySet<string> = new Set(
  `none na nothing nil null empty tbd unknown noneyet nonesofar nothingyet keine keiner keines nichts leer ninguno
  ninguna nada vacío aucun aucune rien néant nenhum nenhuma nenhuns nessuno нет ничего отсутствует 无 無 没有 暂无 なし 特になし
  없음 없다`.split(/\s+/),
);
