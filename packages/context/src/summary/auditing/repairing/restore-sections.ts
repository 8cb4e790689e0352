/** Headings put right: missing ones added, doubled ones joined, all in their order. What stands below them is moved, not changed. */

import { sectionFlaws } from "../checks/sections.ts";
import { headingOf } from "../story/headings.ts";
import { placeLines } from "../story/place-lines.ts";
import { FIRST_OF_TURN, RULE, TITLE } from "../story/turn-context.ts";
import type { Mended } from "./mended.ts";

/** Nothing is done to what has too few headings to be a summary. */
export function restoreSections(texts: readonly string[], required: readonly string[]): Mended {
  const flaws = sectionFlaws(placeLines(texts), required);
  const blocks = blocksOf(withoutRule(texts), required);
  if (flaws.length === 0 || !isSummary(blocks, required)) return { texts, mended: [] };
  const bodyOf = (wanted: string | null): readonly string[] =>
    blocks.filter(({ heading }) => heading === wanted).flatMap(({ body }) => trimmed(body));
  const parts = required.map((heading, at) => [
    ...(heading === FIRST_OF_TURN && at > 0 ? RULE : []),
    heading,
    ...bodyOf(heading),
  ]);
  const all = [bodyOf(null), ...parts].filter((part) => part.length > 0);
  return { texts: all.flatMap((part, at) => (at === 0 ? part : ["", ...part])), mended: flaws };
}

interface Block {
  /** As it is required; null before the first. */
  readonly heading: string | null;
  readonly body: readonly string[];
}

/** Headings that are not required stay with what they stand below. */
function blocksOf(texts: readonly string[], required: readonly string[]): readonly Block[] {
  const byName = new Map(required.map((heading) => [headingOf(heading)?.name, heading]));
  const blocks: { readonly heading: string | null; readonly body: string[] }[] = [{ heading: null, body: [] }];
  for (const text of texts) {
    const name = headingOf(text)?.name;
    const heading = name === undefined ? undefined : byName.get(name);
    if (heading === undefined) blocks.at(-1)?.body.push(text);
    else blocks.push({ heading, body: [] });
  }
  return blocks;
}

function isSummary(blocks: readonly Block[], required: readonly string[]): boolean {
  const found = new Set(blocks.map(({ heading }) => heading));
  const count = required.filter((heading) => found.has(heading)).length;
  return count >= ENOUGH || count * 2 >= required.length;
}

const ENOUGH = 4;

function withoutRule(texts: readonly string[]): readonly string[] {
  const at = texts.findIndex((text) => text.trim() === TITLE);
  if (at < 0) return texts;
  const rule = texts.slice(0, at).findLastIndex((text) => text.trim() !== "");
  return [...texts.slice(0, texts[rule]?.trim() === "---" ? rule : at), ...texts.slice(at + 1)];
}

function trimmed(body: readonly string[]): readonly string[] {
  const isSaid = (text: string): boolean => text.trim() !== "";
  const first = body.findIndex(isSaid);
  return first < 0 ? [] : body.slice(first, body.findLastIndex(isSaid) + 1);
}
