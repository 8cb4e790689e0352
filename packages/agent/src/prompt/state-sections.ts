/** Appends changes of the environment and of state sections before a request, and all of them again after a compaction. */

import { type CustomMessageEntry, type NewEntry, type Session, textTokens } from "@pith/context";
import { type HookHost, reportHookFailure, runGuarded, STATE_TYPE } from "@pith/context/host";
import { appendEntries } from "../append-entries.ts";
import { draftEnvironment, type EnvironmentContext } from "./environment.ts";
import type { SystemPromptOptions } from "./system-prompt.ts";

/** State beside the conversation, such as a to-do list: sent to the model when it changes, and again after a compaction. */
export interface StateSection {
  readonly name: string;
  /** Null if there is nothing to report. */
  readonly text: () => string | null;
}

/** What reading the state needs. */
export interface StateContext extends EnvironmentContext {
  readonly hooks: HookHost;
  readonly systemPrompt?: SystemPromptOptions;
  readonly stateSections?: readonly StateSection[];
}

export async function appendChangedState(run: StateContext): Promise<void> {
  const { session, stateSections = [], systemPrompt } = run;
  const environment = systemPrompt ? await draftEnvironment(systemPrompt, run) : null;
  const drafts: NewEntry[] = environment ? [environment] : [];
  for (const section of stateSections) {
    const text = await readSectionText(section, run);
    if (text !== undefined) drafts.push(...createChangedStateEntries(section, text, session));
  }
  if (drafts.length > 0) await appendEntries(session, ...drafts);
}

/** Undefined if the section fails; then its last text stays valid. */
async function readSectionText(
  section: StateSection,
  { session, hooks }: StateContext,
): Promise<string | null | undefined> {
  const result = await runGuarded((): string | null => {
    const text: unknown = section.text();
    if (text !== null && typeof text !== "string") throw new Error("its text is not a string");
    return text === null || text.trim() === "" ? null : truncateSection(session.redact(text));
  });
  if (result.type === "done") return result.value;
  const why = result.type === "failed" ? result.why : result.type;
  reportHookFailure(hooks, { event: `state ${section.name}`, why });
  return undefined;
}

function createChangedStateEntries({ name }: StateSection, text: string | null, session: Session): readonly NewEntry[] {
  const { entries, compactionIndex } = session.branch;
  const last = entries.slice(compactionIndex + 1).findLast((entry) => isStateEntry(entry, name));
  // Redacted like the entry in the log, so that the two can be compared.
  const content = session.redact(text === null ? `${name}: none.` : `${name}:\n${text}`);
  // Earlier versions wrote the second text for an empty section.
  const sameContents = text === null ? [content, session.redact(`${name}: nothing any more.`)] : [content];
  const isUnchanged =
    last?.type === "custom_message" ? sameContents.some((same) => same === last.content) : text === null;
  return isUnchanged
    ? []
    : [{ type: "custom_message", customType: STATE_TYPE, content, display: false, details: { name } }];
}

function isStateEntry(entry: { readonly type: string }, name: string): boolean {
  const { customType, details } = entry as CustomMessageEntry;
  return entry.type === "custom_message" && customType === STATE_TYPE && Object(details).name === name;
}

/** A section is part of every later request, so its size is limited. */
const MAX_SECTION_TOKENS = 2_000;

function truncateSection(text: string): string {
  if (text.length <= MAX_SECTION_TOKENS || textTokens(text) <= MAX_SECTION_TOKENS) return text;
  let length = Math.min(text.length, MAX_SECTION_TOKENS * 4);
  while (textTokens(text.slice(0, length)) > MAX_SECTION_TOKENS - TRUNCATION_NOTE_TOKENS)
    length = Math.floor(length * 0.9);
  return `${text.slice(0, length).toWellFormed()}\n${TRUNCATION_NOTE}`;
}

const TRUNCATION_NOTE = "[… the rest is not shown: it is too long …]";
const TRUNCATION_NOTE_TOKENS = 20;
