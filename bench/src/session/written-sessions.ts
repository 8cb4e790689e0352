/** Session files of any length as our store leaves them: sealed lines, and compactions that carry the state at their place. */

import { closeSync, openSync, writeSync } from "node:fs";
import { encodeSession } from "@pith/context";
import { machine } from "@pith/context/node";
import { madeUpSession, type SessionShape } from "../made-up-session.ts";

export function writeOurSession(file: string, shape: SessionShape): void {
  const descriptor = openSync(file, "w", 0o600);
  const waiting: string[] = [];
  const flush = (): void => void writeSync(descriptor, encodeSession(waiting.splice(0), machine.checksum));
  for (const line of madeUpSession(shape)) if (waiting.push(asOurs(line)) >= 1000) flush();
  flush();
  closeSync(descriptor);
}

function asOurs(line: string): string {
  if (line.startsWith('{"type":"session"')) return JSON.stringify({ ...JSON.parse(line), pith: { format: 1 } });
  if (!line.startsWith('{"type":"compaction"')) return line;
  const entry = JSON.parse(line) as { details: object };
  return JSON.stringify({ ...entry, details: { ...entry.details, pith: { carried } } });
}

const carried = {
  model: { provider: "anthropic", modelId: "claude-sonnet-4-5" },
  thinkingLevel: "off",
  activeTools: null,
};
