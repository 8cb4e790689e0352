/** Reports from a child program to its parent what was acknowledged, immediately, so that a kill right after it loses no report. */

import { writeSync } from "node:fs";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import type { NewEntry, Session } from "../../../src/session/session.ts";
import type { AppendResult } from "../../../src/session/store.ts";
import type { EntryPlace } from "./file-contents.ts";

/** Creates a message of about this many bytes. */
export function message(bytes: number): NewEntry & { readonly id: string } {
  const content = [{ type: "text" as const, text: "x".repeat(Math.max(0, bytes - ENVELOPE)) }];
  return { type: "message", id: nodeRuntime.entryId(), message: { role: "user", content, timestamp: 0 } };
}

/** Appends one batch and reports it. */
export async function appendAndReport(session: Session, count: number, bytes: number): Promise<void> {
  const batch = Array.from({ length: count }, () => message(bytes));
  let parentId = session.leaf;
  const entries = batch.map(({ id }) => {
    const known = { id, parentId };
    parentId = id;
    return known;
  });
  requireAppended(await session.append(...batch));
  report(...entries.map(reportLine));
}

export async function moveAndReport(session: Session, target: string): Promise<void> {
  const leaf = requireAppended(await session.move(target));
  report(reportLine({ id: leaf ?? "", parentId: target }));
}

export function report(...lines: readonly string[]): void {
  writeSync(1, lines.map((line) => `${line}\n`).join(""));
}

/** Parses the entries in the output of a child, in order. */
export function parseReport(text: string): readonly EntryPlace[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole.split("\n").flatMap((line) => {
    const [id, parentId] = line.split(" ");
    return id && parentId ? [{ id, parentId: parentId === NO_PARENT ? null : parentId }] : [];
  });
}

const NO_PARENT = "-";
/** The bytes of a message besides its text. */
const ENVELOPE = 180;

function reportLine({ id, parentId }: EntryPlace): string {
  return `${id} ${parentId ?? NO_PARENT}`;
}

function requireAppended(outcome: AppendResult): string | null {
  if (outcome.type !== "appended") throw new Error(`not appended: ${JSON.stringify(outcome)}`);
  return outcome.leaf;
}
