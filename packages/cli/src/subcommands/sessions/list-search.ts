/** Implements `pith sessions list` and `pith sessions search`. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { diskErrorCode, listSessions, type SessionItem } from "@pith/context/node";
import { type SearchResult, searchSessions } from "@pith/context/search";
import { type Call, momentIn, numberIn, type Outcome, progress } from "../../args/subcommand.ts";
import { redactionHere } from "../../sessions/entries.ts";
import { type Place, placeIn } from "../../sessions/find-session.ts";
import { ageTold, bytesTold, counted } from "../../text/format.ts";
import { clipped, oneLine } from "../../text/safe-text.ts";

type Hit = Extract<SearchResult, { type: "searched" }>["hits"][number];

export async function listed(call: Call): Promise<Outcome> {
  const limit = numberIn(call.flags, "limit", USUAL);
  if (limit.type === "mistake") return limit;
  const place = placeIn(call);
  const all = await sessionsIn(place, call.home);
  const fault = all.length === 0 && place.type !== "folders" ? await closedSessions(call.home) : null;
  if (fault !== null) return { type: "failed", message: fault };
  const first = limit.value === 0 ? all : all.slice(0, limit.value);
  // What Pith itself wrote holds no secret, and most lists are of that.
  const shown = place.type === "folders" ? await withoutSecrets(first, call) : first;
  const data = { total: all.length, sessions: shown.map(asData) };
  return { type: "shown", text: textOf(shown, { total: all.length, place }), data };
}

const USUAL = 20;

/** A folder that cannot be read is not an empty one; null where it is, or is not there yet. */
async function closedSessions(home: string): Promise<string | null> {
  const folder = join(home, "sessions");
  try {
    await readdir(folder);
    return null;
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "") throw error;
    return code === "ENOENT" ? null : `${folder} cannot be read: the disk gave ${code}; pith doctor tells more`;
  }
}

async function withoutSecrets(items: readonly SessionItem[], call: Call): Promise<readonly SessionItem[]> {
  return (await redactionHere(call)).redact(items);
}

export function sessionsIn(place: Place, home: string): Promise<readonly SessionItem[]> {
  const env = { PITH_HOME: home };
  switch (place.type) {
    case "all":
      return listSessions({ env });
    case "cwd":
      return listSessions({ env, cwd: place.cwd });
    case "folders":
      return listSessions({ env, folders: place.folders });
  }
}

function asData({ modified, ...item }: SessionItem): object {
  return { ...item, modified: new Date(modified).toISOString() };
}

interface Shown {
  readonly total: number;
  readonly place: Place;
}

function textOf(shown: readonly SessionItem[], { total, place }: Shown): string {
  if (total === 0)
    return place.type === "cwd"
      ? `no session of ${place.cwd} yet; pith sessions list --all shows those of all folders`
      : 'no session yet; begin one with: pith -p "what to do"';
  const now = Date.now();
  const lines = shown.map((item) => lineOf(item, { now, withFolder: place.type === "all" }));
  const rest = total > shown.length ? [`… ${counted(total - shown.length, "more session")}; --limit 0 shows all`] : [];
  return [...lines, ...rest].join("\n");
}

interface LineParts {
  readonly now: number;
  readonly withFolder: boolean;
}

function lineOf(item: SessionItem, { now, withFolder }: LineParts): string {
  const age = ageTold(now - item.modified).padStart(6);
  const size = bytesTold(item.size).padStart(8);
  const folder = withFolder && item.cwd !== "" ? `  (${oneLine(item.cwd)})` : "";
  return `${shortId(item.id)}  ${age}  ${size}  ${wordsOf(item)}${folder}`;
}

/** Enough of an id to name it by. */
export function shortId(id: string): string {
  return id.slice(0, 8).padEnd(8);
}

/** What a session is about, in one line. */
export function wordsOf({ name, firstMessage, damaged }: SessionItem): string {
  if (damaged !== undefined) return "damaged; pith doctor tells more";
  const words = clipped(firstMessage, WIDTH);
  if (name === undefined) return words === "" ? "(nothing was said)" : words;
  return words === "" ? name : `${name}: ${words}`;
}

const WIDTH = 80;

export async function searched(call: Call): Promise<Outcome> {
  const limit = numberIn(call.flags, "limit", DEFAULT_HITS);
  if (limit.type === "mistake") return limit;
  const since = momentIn(call.flags, "since", Date.now());
  if (since?.type === "mistake") return since;
  const redaction = await redactionHere(call);
  const told = progress(call.note);
  const outcome = await searchSessions(call.arguments.map(asPhrase).join(" "), {
    env: { PITH_HOME: call.home },
    ...within(placeIn({ ...call, flags: { all: true, ...call.flags } })),
    limit: Math.max(1, limit.value),
    ...(since && { since: since.value }),
    redaction,
    onProgress: ({ done, total: all }) => told(`${bytesTold(done)} of ${bytesTold(all)} read, once for all searches`),
  });
  return shown(outcome, call);
}

const DEFAULT_HITS = 20;

/** What the shell has kept together was meant together. */
function asPhrase(word: string): string {
  return /\s/.test(word) && !word.includes('"') ? `"${word}"` : word;
}

function within(place: Place): { readonly cwd?: string; readonly folders?: readonly string[] } {
  switch (place.type) {
    case "all":
      return {};
    case "cwd":
      return { cwd: place.cwd };
    case "folders":
      return { folders: place.folders };
  }
}

function shown(outcome: SearchResult, { note }: Call): Outcome {
  if (outcome.type === "aborted") return { type: "failed", message: "the search was stopped" };
  if (outcome.type === "unavailable") return { type: "failed", message: outcome.why };
  const { hits, more, pending } = outcome;
  if (pending) note(`pith: ${pending.why}`);
  if (more) note("pith: these are the best of the newest 2,000 hits; one more word finds what is older");
  const text = hits.length === 0 ? "nothing was found" : hits.map(paragraph).join("\n");
  return { type: "shown", text, data: { hits, more, pending } };
}

function paragraph({ session, entry, kind, time, snippet }: Hit): string {
  const about = oneLine(session.name ?? session.cwd);
  const head = [shortId(session.id), time.slice(0, 16).replace("T", " "), kind, about, entry ?? ""];
  return `${head.filter((part) => part !== "").join("  ")}\n    ${snippet.text}`;
}
