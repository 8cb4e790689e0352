/** What stands below each heading of a summary, and what to do where that is nothing, or more is to stand there. */

import { saysNothing } from "../story/bare.ts";
import { type Heading, headingOf } from "../story/headings.ts";
import { TITLE } from "../story/turn-context.ts";

export interface Body {
  readonly heading: Heading;
  /** Where it begins, behind its heading, and where it ends. */
  readonly from: number;
  readonly to: number;
}

export function bodies(texts: readonly string[]): readonly Body[] {
  const headings = texts.flatMap((text, at) => {
    const heading = headingOf(text);
    return heading ? [{ heading, at }] : [];
  });
  return headings.map(({ heading, at }, index) => {
    const next = headings[index + 1]?.at ?? texts.length;
    return { heading, from: at + 1, to: beforeRule(texts, { from: at + 1, to: next }) };
  });
}

// The rule between a summary and its turn belongs to neither.
function beforeRule(texts: readonly string[], { from, to }: Omit<Body, "heading">): number {
  const title = texts.slice(from, to).findIndex((text) => text.trim() === TITLE);
  if (title < 0) return to;
  const rule = texts.slice(from, from + title).findLastIndex((text) => text.trim() !== "");
  return texts[from + rule]?.trim() === "---" ? from + rule : from + title;
}

export interface Addition {
  /** Of the heading below which it goes. */
  readonly name: string;
  readonly added: readonly string[];
}

/** At the end of the section; nowhere, where there is none. */
export function intoSection(texts: readonly string[], { name, added }: Addition): readonly string[] {
  const body = bodies(texts).find(({ heading }) => heading.name === name);
  if (!body || added.length === 0) return texts;
  const said = texts.slice(body.from, body.to);
  const last = said.findLastIndex((text) => !saysNothing(text));
  const blank = said.findLastIndex((text) => text.trim() !== "");
  return [
    ...texts.slice(0, body.from),
    ...said.slice(0, last + 1),
    ...added,
    ...said.slice(blank + 1),
    ...texts.slice(body.to),
  ];
}

/** A section in which nothing is left says so. */
export function sayNothing(texts: readonly string[]): readonly string[] {
  const all = bodies(texts);
  const places = all.flatMap(({ heading, from, to }, at) => {
    const isParent = (all[at + 1]?.heading.level ?? 0) > heading.level;
    const isBare = texts.slice(from, to).every((text) => text.trim() === "");
    return isBare && !isParent ? [from] : [];
  });
  const here = new Set(places);
  return texts.flatMap((text, at) => (here.has(at + 1) ? [text, NOTHING] : [text]));
}

const NOTHING = "- (none)";
