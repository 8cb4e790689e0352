/** What the tools for files are asked for: which file, which lines of it, what to put there. Models send lists as JSON inside a string. */

import { type Argument, type Asked, right, wholeNumberOf, wrong } from "../arguments.ts";
import { asHandle } from "./reading/handle.ts";

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
}

export function pathOf({ path }: Asked): Argument<string> {
  if (typeof path === "string" && path.trim() !== "") return right(path);
  return wrong("path is missing: say which file");
}

/** The path of something that is to be written. */
export function writablePathOf(asked: Asked): Argument<string> {
  const path = pathOf(asked);
  if (path.type === "wrong" || asHandle(path.value) === null) return path;
  return wrong(`${path.value} is a handle: it can be read, not written`);
}

export function contentOf({ content }: Asked): Argument<string> {
  if (typeof content !== "string") return wrong("content is missing: say what the file shall have, as text");
  return content.isWellFormed() ? right(content) : wrong("content has half a character (a lone surrogate)");
}

export interface PageLines {
  /** The first line, counted from 1. */
  readonly offset: number;
  readonly limit?: number;
}

export function pageLines(asked: Asked): Argument<PageLines> {
  const offset = wholeNumberOf(asked, "offset", 1);
  if (offset.type === "wrong") return offset;
  const limit = wholeNumberOf(asked, "limit", 1);
  if (limit.type === "wrong") return limit;
  return right({ offset: offset.value ?? 1, ...(limit.value !== null && { limit: limit.value }) });
}

/** The replacements of an edit; a single one may stand beside the path. */
export function replacementsOf(asked: Asked): Argument<readonly Replacement[]> {
  const listed = parsed(asked.edits) ?? (asked.oldText === undefined ? [] : [asked]);
  const edits = Array.isArray(listed) ? listed : [listed];
  if (edits.length === 0) return wrong("edits is empty: give at least one { oldText, newText }");
  if (edits.length > MOST_EDITS) return wrong(`edits has ${edits.length}: give ${MOST_EDITS} at most in one call`);
  const bad = edits.findIndex((edit) => !isReplacement(edit));
  if (bad >= 0) return wrong(`edits[${bad}] must be { oldText, newText }, both text`);
  return right(edits.filter(isReplacement).map(({ oldText, newText }) => ({ oldText, newText })));
}

const MOST_EDITS = 100;

function parsed(edits: unknown): unknown {
  if (typeof edits !== "string") return edits;
  try {
    return JSON.parse(edits);
  } catch {
    // Whatever it is, it is no replacement, and is named as such.
    return edits;
  }
}

function isReplacement(edit: unknown): edit is Replacement {
  if (typeof edit !== "object" || edit === null || !("oldText" in edit) || !("newText" in edit)) return false;
  return typeof edit.oldText === "string" && typeof edit.newText === "string";
}
