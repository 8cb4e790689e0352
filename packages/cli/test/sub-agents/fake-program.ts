/** Writes a program that replaces Pith as a sub-agent, for output and exits that Pith itself never produces. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** The path of a program that runs this for each line of a command; `say` writes a line, `line` is what came. */
export function writeFakeProgram(folder: string, { name, onCommand, first = "" }: FakeProgram): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(
    path,
    PROGRAM.replace("FIRST", () => first).replace("HEARD", () => onCommand),
  );
  return path;
}

export interface FakeProgram {
  readonly name: string;
  /** JavaScript. */
  readonly onCommand: string;
  readonly first?: string;
}

const PROGRAM = `
import { createInterface } from "node:readline";
import { appendFileSync, readFileSync } from "node:fs";
const say = (line) => process.stdout.write((typeof line === "string" ? line : JSON.stringify(line)) + "\\n");
const path = process.argv[process.argv.indexOf("--session") + 1];
/** Writes a prompt and this reply to the session, as a sub-agent does. */
const kept = (text) => {
  const parentId = JSON.parse(readFileSync(path, "utf8").trim().split("\\n").at(-1)).id;
  const placed = { type: "message", timestamp: "2026-01-01T00:00:00.000Z" };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };
  const by = { api: "anthropic-messages", provider: "p", model: "m", usage, stopReason: "stop", timestamp: 0 };
  const reply = { role: "assistant", content: [{ type: "text", text }], ...by };
  const prompt = { role: "user", content: "Look.", timestamp: 0 };
  const entries = [{ ...placed, id: "aaaaaaaa", parentId, message: prompt }, { ...placed, id: "bbbbbbbb", parentId: "aaaaaaaa", message: reply }];
  appendFileSync(path, entries.map((entry) => JSON.stringify(entry) + "\\n").join(""));
};
FIRST
for await (const text of createInterface({ input: process.stdin })) {
  const line = JSON.parse(text);
  const answered = () => say({ type: "response", id: line.id, command: "prompt", success: true });
  HEARD
}
`;
