/** A session of ten thousand short messages in which nothing was compacted: all of them are in the context. */

import { writeFileSync } from "node:fs";

export const MESSAGES = 10_000;

/** In the format that both we and pi open. */
export function writeLongTalk(file: string, cwd: string): void {
  const start = Date.UTC(2026, 0, 1);
  const lines: unknown[] = [
    {
      type: "session",
      version: 3,
      id: "0197a000-0000-7000-8000-000000000001",
      timestamp: new Date(start).toISOString(),
      cwd,
    },
  ];
  for (let at = 0; at < MESSAGES; at += 1) {
    const timestamp = start + at * 1_000;
    const placed = {
      id: idOf(at),
      parentId: at === 0 ? null : idOf(at - 1),
      timestamp: new Date(timestamp).toISOString(),
    };
    const message = at % 2 === 0 ? { role: "user", content: `short question ${at}`, timestamp } : reply(at, timestamp);
    lines.push({ type: "message", ...placed, message });
  }
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

function idOf(at: number): string {
  return at.toString(16).padStart(8, "0");
}

function reply(at: number, timestamp: number): unknown {
  const tokens = (at + 1) * 9;
  return {
    role: "assistant",
    content: [{ type: "text", text: `short answer ${at}` }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: { input: tokens, output: 6, cacheRead: 0, cacheWrite: 0, totalTokens: tokens + 6, cost: noCost },
    stopReason: "stop",
    timestamp,
  };
}

const noCost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
