/** What a search has found, for people and for programs. */

import { type Hit, type Searching, searchSessions } from "@pith/context/node";
import { bytesTold } from "../../../printing/amounts.ts";
import { oneLine } from "../../../printing/one-line.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { redactionHere } from "../finding/redaction-here.ts";
import { type Place, placeIn } from "../finding/session-folders.ts";
import { progress } from "../wording/progress.ts";
import { momentIn, numberIn } from "../wording/read-amounts.ts";
import { shortId } from "./listed.ts";

export async function searched(call: Call): Promise<Outcome> {
  const limit = numberIn(call.flags, "limit", USUAL);
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
    onProgress: ({ done, all }) => told(`${bytesTold(done)} of ${bytesTold(all)} read, once for all searches`),
  });
  return shown(outcome, call);
}

const USUAL = 20;

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

function shown(outcome: Searching, { note }: Call): Outcome {
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
