/** A list of sessions for people and for programs. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { diskError, listSessions, type SessionItem } from "@pith/context/node";
import { ageTold, bytesTold, counted } from "../../../printing/amounts.ts";
import { clipped } from "../../../printing/clipped.ts";
import { oneLine } from "../../../printing/one-line.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { type Place, placeIn } from "../finding/session-folders.ts";
import { numberIn } from "../wording/read-amounts.ts";

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
    const code = diskError(error);
    if (code === "") throw error;
    return code === "ENOENT" ? null : `${folder} cannot be read: the disk gave ${code}; pith doctor tells more`;
  }
}

async function withoutSecrets(items: readonly SessionItem[], call: Call): Promise<readonly SessionItem[]> {
  const { redactionHere } = await import("../finding/redaction-here.ts");
  return (await redactionHere(call)).redacted(items);
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
