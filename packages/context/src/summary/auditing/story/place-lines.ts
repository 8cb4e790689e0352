/** A summary line by line, each with its place: under which heading it stands, and whether what it says passes for the user's word. */

import { attributes } from "../wording/attribution.ts";
import { bare, itemIndent } from "./bare.ts";
import { isForgery } from "./forgery.ts";
import { type Heading, headingOf, isOfUser, isOfWork, TITLE_LEVEL, titleOf, underlined } from "./headings.ts";
import { TITLE } from "./turn-context.ts";

export interface StoryLine {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  readonly heading: Heading | null;
  /** The name of the nearest heading, its own for a heading; empty before the first. */
  readonly section: string;
  /** Why it passes for the user's word whatever it says: it stands in a section of the user's, or below a line that says so. */
  readonly passes: "by-section" | "by-lead" | null;
  /** It passes for what code alone writes, or stands right below a line that does. */
  readonly isForged: boolean;
}

/** What the lines before a line say of it. */
export interface Place {
  readonly section: string;
  /** Of the heading that lets the user speak; 0 where none does. */
  readonly userLevel: number;
  readonly lead: Lead | null;
  /** The line right before it; empty for none. */
  readonly above: string;
  /** Whether that one is forged. */
  readonly isBelowForgery: boolean;
}

/** A line that attributes what follows it: `The user asked for:`. */
interface Lead {
  /** What is indented further belongs to it; -1 where it is no item of a list, so that every item does. */
  readonly indent: number;
  /** Its sentence goes on in the next line. */
  readonly isOpen: boolean;
}

export const beforeAll: Place = { section: "", userLevel: 0, lead: null, above: "", isBelowForgery: false };

export function placeLines(texts: readonly string[]): readonly StoryLine[] {
  let place = beforeAll;
  return texts.map((text, at) => {
    const line = lineAt(place, { text, number: at + 1 });
    place = placeAfter(place, line);
    return line;
  });
}

export function lineAt(place: Place, { text, number }: Pick<StoryLine, "text" | "number">): StoryLine {
  const { section, userLevel, lead, isBelowForgery } = place;
  const heading = headingOf(text);
  const isForged = isForgery(text) || (isBelowForgery && !heading && text.trim() !== "");
  if (heading) return { text, number, heading, section: heading.name, passes: null, isForged };
  if (isRule(text) || isWorkTitle(text, userLevel)) return { text, number, heading, section, passes: null, isForged };
  const passes = userLevel > 0 ? "by-section" : lead && belongs(text, lead) ? "by-lead" : null;
  return { text, number, heading, section, passes, isForged };
}

// A title of the work ends what a title began, but not what a heading did.
function isWorkTitle(text: string, userLevel: number): boolean {
  return userLevel === TITLE_LEVEL && isOfWork(titleOf(text)?.name ?? "");
}

/** Only lines that stay may be asked for what comes after them. */
export function placeAfter(before: Place, line: StoryLine): Place {
  const { text, heading } = line;
  const after = { ...afterForgery(before, line), above: text };
  if (heading)
    return { ...after, section: heading.name, userLevel: userLevel(heading, before), lead: leadOf(text, -1) };
  if (text.trim() === "") return { ...after, lead: before.lead && { ...before.lead, isOpen: false } };
  const title = isUnderline(text) ? underlined(before.above) : titleOf(text);
  const level = title && mayTitle(title, before) ? userLevel(title, before) : before.userLevel;
  if (isRule(text)) return { ...after, userLevel: level, lead: null };
  const lead = leadOf(text, itemIndent(text) ?? -1);
  return {
    ...after,
    userLevel: level,
    lead: lead ?? (before.lead && belongs(text, before.lead) ? before.lead : null),
  };
}

/** What a line leaves behind also where it goes: what is forged does not end before a blank line. */
export function afterForgery(before: Place, { text, isForged }: StoryLine): Place {
  return { ...before, isBelowForgery: isForged && text.trim() !== "" };
}

const isUnderline = (text: string): boolean => /^ {0,3}(?:=+|-+)\s*$/.test(text);

const mayTitle = ({ name }: Heading, { userLevel }: Place): boolean =>
  userLevel === 0 ? isOfUser(name) : userLevel === TITLE_LEVEL && isOfWork(name);

/** What parts a text as a heading does. */
const isRule = (text: string): boolean => /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(text) || text.trim() === TITLE;

function userLevel({ name, level }: Heading, before: Place): number {
  if (isOfWork(name)) return 0;
  if (isOfUser(name)) return level;
  return before.userLevel > 0 && level > before.userLevel ? before.userLevel : 0;
}

function belongs(text: string, { indent, isOpen }: Lead): boolean {
  const item = itemIndent(text);
  if (item !== null) return item > indent;
  return isOpen || indentOf(text) > Math.max(0, indent);
}

const indentOf = (text: string): number => text.length - text.trimStart().length;

function leadOf(text: string, indent: number): Lead | null {
  const words = bare(text);
  const isTitle = /[:：]$/u.test(words) || /^\s*(?:[-*+•]\s+)?\*\*[^*]+\*\*\s*$/u.test(text);
  if (isTitle && (attributes(words) || isOfUser(words.toLowerCase()))) return { indent, isOpen: true };
  const goesOn = !/[.!?…。！？)\]]$/u.test(text.trimEnd());
  return goesOn && attributes(words) ? { indent, isOpen: true } : null;
}
