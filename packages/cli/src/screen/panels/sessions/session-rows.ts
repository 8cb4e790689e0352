/** Which sessions are shown, in which order: those whose name or first words are meant first, then those in which it was said. Pure. */

import type { SessionItem, Snippet } from "@pith/context/node";
import type { SessionsState } from "./sessions-state.ts";

export interface SessionRow {
  readonly item: SessionItem;
  /** Where the words stand that were searched for; null where they stand in its name or its first words. */
  readonly snippet: Snippet | null;
}

export function sessionRows({ items, scope, input, found }: SessionsState, cwd: string): readonly SessionRow[] {
  const there = scope === "all" ? items : items.filter((item) => item.cwd === cwd);
  const query = queryOf(input.text);
  if (query === "") return there.filter(isTold).map((item) => ({ item, snippet: null }));
  const words = query.toLowerCase().split(/\s+/);
  const named = there.filter((item) => isMeant(item, words));
  const paths = new Set(named.map(({ path }) => path));
  const byPath = new Map(there.map((item) => [item.path, item]));
  // What was found for fewer letters is shown until what is found for more of them is known.
  const hits = found && query.startsWith(found.query) ? found.hits : [];
  const said = hits.flatMap(({ path, snippet }) => {
    const item = byPath.get(path);
    return item && !paths.has(path) ? [{ item, snippet }] : [];
  });
  return [...named.map((item) => ({ item, snippet: null })), ...said];
}

/** What is searched for, as it was typed. */
export function queryOf(text: string): string {
  return text.trim();
}

/** One that was stopped before a word was said is nothing to go on with. */
function isTold({ firstMessage, name, damaged }: SessionItem): boolean {
  return firstMessage !== "" || name !== undefined || damaged !== undefined;
}

function isMeant(item: SessionItem, words: readonly string[]): boolean {
  const text = textOf(item);
  return words.every((word) => text.includes(word) || item.id.startsWith(word));
}

function textOf(item: SessionItem): string {
  const known = TEXTS.get(item);
  if (known !== undefined) return known;
  const text = `${item.name ?? ""}\n${item.firstMessage}`.toLowerCase();
  TEXTS.set(item, text);
  return text;
}

// Only a shortcut: thousands of texts are looked through with every letter.
const TEXTS = new WeakMap<SessionItem, string>();
