/** Renders the message a model sees first after a compaction, least changing parts first, and reads what the next one carries on. */

import { type FrontKind, type FrontPart, frontTexts } from "../context/summary-parts.ts";
import type { CompactionEntry } from "../entry.ts";
import { lowerHeadings } from "../summary/repair.ts";
import { splitLines } from "../summary/summary-lines.ts";
import { textTokens } from "../tokens/estimate-tokens.ts";
import { type OpenQuestion, parseRequest, type WordsBlock } from "./user-messages.ts";

export interface Front {
  readonly text: string;
  readonly parts: readonly FrontPart[];
}

export interface FrontTexts {
  readonly pins: string;
  readonly words: readonly WordsBlock[];
  /** The summary a model wrote; it is carried on where code goes on alone. */
  readonly story: string;
  /** What code has to say of the turns since. */
  readonly notes: string;
  readonly ledger: string;
  readonly recall: string;
  /** What the user asked for last, where it is not in the tail. */
  readonly request: string;
}

export function renderFront({ pins, words, story, notes, ledger, recall, request }: FrontTexts): Front {
  const last = request === "" ? recall.trimEnd() : ended(recall);
  const rendered = [
    ...part("pins", pins),
    ...words.map(({ text, tokens }) => ({ text, part: { kind: "words" as const, length: text.length, tokens } })),
    ...part("story", ended(story === "" ? "" : `${STORY_TITLE}${story}`)),
    ...part("notes", ended(notes)),
    ...part("ledger", ended(ledger)),
    ...part("recall", last),
    ...part("request", request),
  ];
  return { text: rendered.map(({ text }) => text).join(""), parts: rendered.map(({ part }) => part) };
}

const STORY_TITLE = "# Summary (a report, not the user's words)\n";

/** What the next compaction takes over from this one. A summary that is not ours is a story as a whole. */
export interface CarriedFront {
  readonly words: readonly WordsBlock[];
  readonly story: string;
  /** What code had to say behind it. */
  readonly notes: string;
  /** The user's latest request, where it is older than the window. */
  readonly request: string;
  /** Whether the story was held against the log when it was written. */
  readonly isChecked: boolean;
  /** What the first message that it kept answers. */
  readonly question: OpenQuestion | null;
}

/** The user's messages that the summary message before has, the latest request included, each below a line that names it. */
export function carriedUserMessages({ words, request }: CarriedFront): string {
  const last = parseRequest(request);
  const blocks = words.map(({ text }) => text).join("");
  return last?.isPerson ? `${blocks}\n[${last.reference}]\n${last.text}\n${last.attached ?? ""}\n` : blocks;
}

/** What was told before, by whomever. */
export function carriedNarrative({ story, notes }: CarriedFront): string {
  return [story, notes].filter((text) => text !== "").join("\n\n");
}

export const nothingBefore: CarriedFront = {
  words: [],
  story: "",
  notes: "",
  request: "",
  isChecked: false,
  question: null,
};

export function carriedFront(compaction: CompactionEntry): CarriedFront {
  const texts = frontTexts(compaction);
  // What another program wrote must not pass for a part that only code writes.
  if (texts.length === 0)
    return { ...nothingBefore, story: lowerHeadings(splitLines(compaction.summary.trim())).join("\n") };
  const textOf = (wanted: FrontKind): string => texts.find(({ part: { kind } }) => kind === wanted)?.text ?? "";
  return {
    words: texts.flatMap(({ part: { kind, tokens }, text }) => (kind === "words" ? [{ text, tokens }] : [])),
    story: textOf("story").replace(STORY_TITLE, "").trim(),
    notes: textOf("notes").trim(),
    request: textOf("request"),
    isChecked: isChecked(compaction),
    question: questionIn(compaction),
  };
}

// A story that others wrote may be carried on by ours; that makes it no truer.
function isChecked({ details }: CompactionEntry): boolean {
  return (details as { readonly pith?: { readonly checked?: unknown } } | null | undefined)?.pith?.checked === true;
}

// It comes from a file.
function questionIn({ details }: CompactionEntry): OpenQuestion | null {
  const { question } = Object(Object(details).pith) as { readonly question?: unknown };
  const { reference, text } = Object(question) as Partial<OpenQuestion>;
  return typeof reference === "string" && typeof text === "string" ? { reference, text: text.slice(0, 1_000) } : null;
}

function part(kind: FrontKind, text: string): readonly { readonly text: string; readonly part: FrontPart }[] {
  return text === "" ? [] : [{ text, part: { kind, length: text.length, tokens: textTokens(text) } }];
}

const ended = (text: string): string => (text === "" ? "" : `${text}\n\n`);
