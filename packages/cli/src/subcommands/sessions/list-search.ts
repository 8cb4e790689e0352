/** Implements `pith sessions list` and `pith sessions search`. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { diskErrorCode, listSessions, type SessionItem } from "@pith/context/node";
import { type SearchResult, searchSessions } from "@pith/context/search";
import { formatAge, formatBytes, formatCount } from "@pith/host/text/format";
import { escapeLineBreaks, truncate } from "@pith/host/text/safe-text";
import {
  createProgressReporter,
  parseNumberFlag,
  parseTimeFlag,
  type SubcommandCall,
  type SubcommandResult,
} from "../../args/subcommand.ts";
import { createRedaction } from "../../sessions/entries.ts";
import { parseSessionScope, type SessionScope } from "../../sessions/find-session.ts";

type SearchHit = Extract<SearchResult, { type: "searched" }>["hits"][number];

export async function runList(call: SubcommandCall): Promise<SubcommandResult> {
  const limit = parseNumberFlag(call.flags, "limit", DEFAULT_SESSIONS);
  if (limit.type === "mistake") return limit;
  const scope = parseSessionScope(call);
  const sessions = await listSessionsInScope(scope, call.home);
  const error = sessions.length === 0 && scope.type !== "folders" ? await findSessionsReadError(call.home) : null;
  if (error !== null) return { type: "failed", message: error };
  const limitedItems = limit.value === 0 ? sessions : sessions.slice(0, limit.value);
  // Pith's own session files contain no secrets, so redaction is skipped for most lists.
  const items = scope.type === "folders" ? (await createRedaction(call)).redact(limitedItems) : limitedItems;
  const data = { total: sessions.length, sessions: items.map(toJsonItem) };
  return { type: "success", text: formatList(items, { total: sessions.length, scope }), data };
}

const DEFAULT_SESSIONS = 20;

/** Distinguishes an unreadable sessions folder from an empty one. Null if it is readable or does not exist yet. */
async function findSessionsReadError(home: string): Promise<string | null> {
  const folder = join(home, "sessions");
  try {
    await readdir(folder);
    return null;
  } catch (error) {
    const code = diskErrorCode(error);
    if (code === "") throw error;
    return code === "ENOENT" ? null : `cannot read ${folder}: ${code}; run pith doctor for details`;
  }
}

export function listSessionsInScope(scope: SessionScope, home: string): Promise<readonly SessionItem[]> {
  const env = { PITH_HOME: home };
  switch (scope.type) {
    case "all":
      return listSessions({ env });
    case "cwd":
      return listSessions({ env, cwd: scope.cwd });
    case "folders":
      return listSessions({ env, folders: scope.folders });
  }
}

function toJsonItem({ modified, ...item }: SessionItem): object {
  return { ...item, modified: new Date(modified).toISOString() };
}

function formatList(
  items: readonly SessionItem[],
  { total, scope }: { readonly total: number; readonly scope: SessionScope },
): string {
  if (total === 0)
    return scope.type === "cwd"
      ? `No sessions in ${scope.cwd} yet. To list the sessions in all folders, run: pith sessions list --all`
      : 'No sessions yet. Start one with: pith -p "what to do"';
  const now = Date.now();
  const lines = items.map((item) => formatSessionLine(item, { now, showsFolder: scope.type === "all" }));
  const moreLines =
    total > items.length ? [`… ${formatCount(total - items.length, "more session")}; --limit 0 shows all`] : [];
  return [...lines, ...moreLines].join("\n");
}

function formatSessionLine(
  item: SessionItem,
  { now, showsFolder }: { readonly now: number; readonly showsFolder: boolean },
): string {
  const age = formatAge(now - item.modified).padStart(6);
  const size = formatBytes(item.size).padStart(8);
  const folder = showsFolder && item.cwd !== "" ? `  (${escapeLineBreaks(item.cwd)})` : "";
  return `${shortId(item.id)}  ${age}  ${size}  ${describeSession(item)}${folder}`;
}

/** The first 8 characters of an id, which usually identify a session. */
export function shortId(id: string): string {
  return id.slice(0, 8).padEnd(8);
}

/** Returns the name and the beginning of the first message, in one line. */
export function describeSession({ name, firstMessage, damaged }: SessionItem): string {
  if (damaged !== undefined) return "damaged; run pith doctor for details";
  const excerpt = truncate(firstMessage, MAX_EXCERPT_WIDTH);
  if (name === undefined) return excerpt === "" ? "(empty)" : excerpt;
  return excerpt === "" ? name : `${name}: ${excerpt}`;
}

const MAX_EXCERPT_WIDTH = 80;

export async function runSearch(call: SubcommandCall): Promise<SubcommandResult> {
  const limit = parseNumberFlag(call.flags, "limit", DEFAULT_HITS);
  if (limit.type === "mistake") return limit;
  const since = parseTimeFlag(call.flags, "since", Date.now());
  if (since?.type === "mistake") return since;
  const redaction = await createRedaction(call);
  const reportProgress = createProgressReporter(call.notify);
  const result = await searchSessions(call.arguments.map(toPhrase).join(" "), {
    env: { PITH_HOME: call.home },
    ...toSearchScope(parseSessionScope({ ...call, flags: { all: true, ...call.flags } })),
    limit: Math.max(1, limit.value),
    ...(since && { since: since.value }),
    redaction,
    onProgress: ({ done, total }) =>
      reportProgress(`indexed ${formatBytes(done)} of ${formatBytes(total)}; later searches use the index`),
  });
  return createSearchResult(result, call);
}

const DEFAULT_HITS = 20;

/** An argument with spaces was quoted in the shell, so it is searched as a phrase. */
function toPhrase(word: string): string {
  return /\s/.test(word) && !word.includes('"') ? `"${word}"` : word;
}

function toSearchScope(scope: SessionScope): { readonly cwd?: string; readonly folders?: readonly string[] } {
  switch (scope.type) {
    case "all":
      return {};
    case "cwd":
      return { cwd: scope.cwd };
    case "folders":
      return { folders: scope.folders };
  }
}

function createSearchResult(result: SearchResult, { notify }: SubcommandCall): SubcommandResult {
  if (result.type === "aborted") return { type: "failed", message: "the search was cancelled" };
  if (result.type === "unavailable") return { type: "failed", message: result.why };
  const { hits, more, pending } = result;
  if (pending) notify(`pith: ${pending.why}`);
  if (more) notify("pith: these are the best of the newest 2,000 matches; add a word to find older matches");
  const text = hits.length === 0 ? "No matches." : hits.map(formatHit).join("\n");
  return { type: "success", text, data: { hits, more, pending } };
}

function formatHit({ session, entry, kind, time, snippet }: SearchHit): string {
  const title = escapeLineBreaks(session.name ?? session.cwd);
  const headerParts = [shortId(session.id), time.slice(0, 16).replace("T", " "), kind, title, entry ?? ""];
  return `${headerParts.filter((part) => part !== "").join("  ")}\n    ${snippet.text}`;
}
