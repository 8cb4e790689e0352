/** Tells the model before a request what has changed of its environment and of extension state, and all of it again after a compaction. */

import { type CustomMessageEntry, type NewEntry, type Session, textTokens } from "@pith/context";
import { reportHookFailure, runGuarded, STATE_TYPE } from "@pith/context/host";
import type { StateSection } from "../agent-options.ts";
import { appended } from "../append.ts";
import type { RunParts } from "../loop/run-context.ts";
import { draftEnvironment } from "./environment.ts";

export async function tellStates(parts: RunParts): Promise<void> {
  const { session, states = [], beginning } = parts;
  const environment = beginning ? await draftEnvironment(beginning, parts) : null;
  const drafts: NewEntry[] = environment ? [environment] : [];
  for (const section of states) {
    const text = await textOf(section, parts);
    if (text !== undefined) drafts.push(...changed(section, text, session));
  }
  if (drafts.length > 0) await appended(session, ...drafts);
}

/** Undefined where it cannot be had: then what was said last still holds. */
async function textOf(section: StateSection, { session, hooks }: RunParts): Promise<string | null | undefined> {
  const told = await runGuarded((): string | null => {
    const text: unknown = section.text();
    if (text !== null && typeof text !== "string") throw new Error("it is no text");
    return text === null || text.trim() === "" ? null : bounded(session.redact(text));
  });
  if (told.type === "done") return told.value;
  const why = told.type === "failed" ? told.why : told.type;
  reportHookFailure(hooks, { event: `state ${section.name}`, why });
  return undefined;
}

function changed({ name }: StateSection, text: string | null, session: Session): readonly NewEntry[] {
  const { entries, compactionIndex: compactionAt } = session.branch;
  const last = entries.slice(compactionAt + 1).findLast((entry) => isStateOf(entry, name));
  // As it will be written, name and all: else it would never be what was written last.
  const content = session.redact(text === null ? `${name}: nothing any more.` : `${name}:\n${text}`);
  const isSaid = last?.type === "custom_message" ? last.content === content : text === null;
  return isSaid ? [] : [{ type: "custom_message", customType: STATE_TYPE, content, display: false, details: { name } }];
}

function isStateOf(entry: { readonly type: string }, name: string): boolean {
  const { customType, details } = entry as CustomMessageEntry;
  return entry.type === "custom_message" && customType === STATE_TYPE && Object(details).name === name;
}

/** What a section may weigh in every request from here on. */
const MOST_TOKENS = 2_000;

function bounded(text: string): string {
  if (text.length <= MOST_TOKENS || textTokens(text) <= MOST_TOKENS) return text;
  let letters = Math.min(text.length, MOST_TOKENS * 4);
  while (textTokens(text.slice(0, letters)) > MOST_TOKENS - NOTE_TOKENS) letters = Math.floor(letters * 0.9);
  return `${text.slice(0, letters).toWellFormed()}\n${NOTE}`;
}

const NOTE = "[… the rest is not shown: it is too long …]";
const NOTE_TOKENS = 20;
