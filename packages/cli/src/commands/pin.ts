/** Implements `/pin` and `/unpin`: texts that every compaction keeps verbatim. */

import type { Agent } from "@pith/agent";
import { type AppendResult, type Entry, pinEntry, pinText, type Session, unpin as unpinEntry } from "@pith/context";
import { entryText, type Pin, sanitizeLine, splitContent } from "@pith/context/host";
import { usageError } from "@pith/host/text/usage-error";
import { findEntry, findReferencedEntry, matchesId, shortId } from "../sessions/entries.ts";
import { type Command, type CommandResult, success, successInTranscript, toCommandResult } from "./command.ts";

function listPins(session: Session): CommandResult {
  const { pins } = session.branch.state;
  if (pins.length === 0)
    return success("There are no pins. /pin <text> keeps text in the context through every compaction.", []);
  return success(pins.map(formatPin).join("\n"), pins);
}

function formatPin({ id, text }: Pin, index: number): string {
  return `${String(index + 1).padStart(2)}  ${shortId(id)}  ${sanitizeLine(text, MAX_PIN_CHARS)}`;
}

const MAX_PIN_CHARS = 100;

export const pinCommand: Command = {
  name: "pin",
  argumentHint: "[text|entry]",
  description:
    "keep text, or an entry's text, in the context through every compaction; without an argument, list the pins",
  examples: ["/pin Never push to main.", "/pin 3f2a9c11", "/pin"],
  async run(args, { agent }) {
    if (args === "") return listPins(agent.session);
    const entryId = await findEntryId(args, agent.session);
    return entryId === null ? await addTextPin(args, agent) : await addEntryPin(entryId, agent);
  },
};

/** The id of the entry if the text is a single word that names one. Null if the text itself is to be pinned. */
async function findEntryId(text: string, session: Session): Promise<string | null> {
  if (/\s/.test(text)) return null;
  const result = await findEntry(text, session);
  return result.type === "found" ? result.entry.id : null;
}

async function addTextPin(text: string, agent: Agent): Promise<CommandResult> {
  const result = await agent.appendToSession((session) => pinText(session, text));
  return toCommandResult(result, () => reportPin(text, agent));
}

async function addEntryPin(entryId: string, agent: Agent): Promise<CommandResult> {
  const { store, branch } = agent.session;
  const entry = await store.entry(entryId);
  const text = entry ? entryText(entry, branch.edits) : "";
  if (text.trim() === "") return usageError(`${shortId(entryId)} has no text to pin`);
  const result = await agent.appendToSession((session) => pinEntry(session, entryId));
  return toCommandResult(result, () => reportPin(text, agent));
}

export interface PinRequest {
  readonly text: string;
  /** The message to pin instead of the text, such as `#5`. */
  readonly reference?: string | undefined;
}

/** Pins a text or one of the user's messages, unless it is already pinned. Files attached to a message may be long, so they are not pinned. */
export async function pinOnce({ text, reference }: PinRequest, agent: Agent): Promise<CommandResult> {
  const entry = reference === undefined ? null : await findReferencedEntry(reference, agent.session.store);
  if (entry === undefined) return usageError(`${reference} is not in this session`);
  const target = entry ? readPinTarget(entry, agent.session) : { text };
  if (target.text.trim() === "") return usageError(`${reference} has no typed text; /pin ${reference} pins all of it`);
  const isSame = ({ text: pinned, entryId }: Pin): boolean =>
    pinned === agent.session.redact(target.text) || (entryId !== undefined && entryId === target.entryId);
  let isPinned = false;
  const appended = await agent.appendToSession(async (session) => {
    isPinned = session.branch.state.pins.some(isSame);
    if (isPinned) return { type: "appended", leaf: session.leaf };
    return target.entryId === undefined ? await pinText(session, target.text) : await pinEntry(session, target.entryId);
  });
  return toCommandResult(appended, () =>
    isPinned ? success(`Already pinned: ${sanitizeLine(target.text)}`, null) : reportPin(target.text, agent),
  );
}

interface PinTarget {
  readonly text: string;
  /** Set if the whole entry is pinned. */
  readonly entryId?: string;
}

function readPinTarget(entry: Entry, { branch }: Session): PinTarget {
  const text = entryText(entry, branch.edits);
  if (entry.type !== "message" || entry.message.role !== "user") return { text, entryId: entry.id };
  const { typed, attachments } = splitContent(entry.message.content);
  return attachments.length > 0 ? { text: typed } : { text, entryId: entry.id };
}

function reportPin(text: string, { session }: Agent): CommandResult {
  return successInTranscript(`Pinned: ${sanitizeLine(text)}`, session.branch.state.pins);
}

export const unpinCommand: Command = {
  name: "unpin",
  argumentHint: "[pin]",
  description: "remove a pin by its number or id; without an argument, list the pins",
  examples: ["/unpin 1"],
  async run(args, { agent }) {
    if (args === "") return listPins(agent.session);
    const { pins } = agent.session.branch.state;
    const [match, otherMatch] = findPins(args, pins);
    if (!match) return usageError(`no pin "${sanitizeLine(args, 40)}"; /pin lists the pins`);
    if (otherMatch) return usageError(`several pins start with "${sanitizeLine(args, 40)}"; type more of the id`);
    const result = await agent.appendToSession((session) => removePin(match, session));
    return toCommandResult(result, () =>
      success(`Unpinned: ${sanitizeLine(match.text)}`, agent.session.branch.state.pins),
    );
  },
};

/** During a run, `/unpin` waits for the next append. A second `/unpin` for the same pin then finds it already removed. */
async function removePin({ id }: Pin, session: Session): Promise<AppendResult> {
  const isPinned = session.branch.state.pins.some((pin) => pin.id === id);
  return isPinned ? await unpinEntry(session, id) : { type: "appended", leaf: session.leaf };
}

/** Finds pins by their position in the list, by their id or its beginning, or by the id of the pinned entry. */
function findPins(text: string, pins: readonly Pin[]): readonly Pin[] {
  if (/^\d{1,3}$/.test(text)) return pins.slice(Number(text) - 1, Number(text));
  const isMatch = (id: string): boolean => id === text || (text.length >= MIN_ID_CHARS && matchesId(text, id));
  return pins.filter(({ id, entryId = id }) => isMatch(id) || isMatch(entryId));
}

/** A shorter beginning would match too many ids. */
const MIN_ID_CHARS = 4;
