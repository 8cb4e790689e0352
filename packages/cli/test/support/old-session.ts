/** Writes a session of months ago, in which a file was read twice, so that the first result is outdated and no provider caches it. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { story } from "@pith/context/testing";
import type { TestProgram } from "./test-program.ts";

const FILE_TEXT = Array.from({ length: 400 }, (_, index) => `line${index}`).join(" ");
const READ = ["calls: read path=a.txt", `result: ${FILE_TEXT}`];

/** Returns the path of the session file. */
export function writeOldSession({ home, folder }: TestProgram): string {
  const entries = story("user: read a.txt twice", ...READ, ...READ, "says: Both are the same.");
  const header = { type: "session", version: 3, id: "old-session", timestamp: entries[0]?.timestamp, cwd: folder };
  const lines = [header, ...entries.map(({ number: _, ...line }) => line)];
  const path = join(home, "old.jsonl");
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}
