/** Creates a home with session files on the real disk that is removed after the test. */

import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { sessionFolderName } from "../../src/node/sessions/paths.ts";
import type { Hit } from "../../src/search/hits.ts";
import { type SearchOptions, searchSessions } from "../../src/search/search.ts";

export interface SearchHome {
  readonly home: string;
  readonly env: { readonly PITH_HOME: string };
  /** Writes a session with these lines and returns its path. */
  session(id: string, lines: readonly object[], more?: { readonly cwd?: string; readonly format?: number }): string;
  find(query: string, parts?: SearchOptions): Promise<readonly Hit[]>;
  /** The ids of the entries that are found, sorted. */
  ids(query: string, parts?: SearchOptions): Promise<readonly (string | null)[]>;
}

export function createSearchHome(): SearchHome {
  const home = mkdtempSync(join(tmpdir(), "pith-search-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { PITH_HOME: home };
  const find = async (query: string, parts: SearchOptions = {}): Promise<readonly Hit[]> => {
    const found = await searchSessions(query, { env, ...parts });
    if (found.type !== "searched") throw new Error(JSON.stringify(found));
    return found.hits;
  };
  return {
    home,
    env,
    find,
    ids: async (query, parts) => (await find(query, parts)).map(({ entry }) => entry).sort(),
    session(id, lines, { cwd = "/code/one" } = {}) {
      const path = join(home, "sessions", sessionFolderName(cwd), `2026-01-01T00-00-00-000Z_${id}.jsonl`);
      mkdirSync(dirname(path), { recursive: true });
      const header = { type: "session", version: 3, id, timestamp: timeAtSecond(0), cwd };
      writeFileSync(path, [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join(""));
      return path;
    },
  };
}

export function appendLines(path: string, ...lines: readonly object[]): void {
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

export function userLine(id: string, text: string, at = 1): object {
  return messageLine(id, { role: "user", content: [{ type: "text", text }] }, at);
}

export function toolResultLine(id: string, text: string, at = 1): object {
  const content = [{ type: "text", text }];
  return messageLine(id, { role: "toolResult", toolCallId: "c", toolName: "read", content, isError: false }, at);
}

export function messageLine(id: string, content: object, at = 1): object {
  return { type: "message", id, parentId: null, timestamp: timeAtSecond(at), message: { ...content, timestamp: at } };
}

/** The time this many seconds after the start of the year. */
export function timeAtSecond(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
}
