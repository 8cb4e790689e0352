/** How a child program tells its parent what was acknowledged: at once, so that a kill in the next moment takes nothing back. */

import { writeSync } from "node:fs";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import type { NewEntry, Session } from "../../../src/session/session.ts";
import type { AppendResult } from "../../../src/session/store.ts";
import type { Known } from "./reading.ts";

/** A message of about so many bytes. */
export function message(bytes: number): NewEntry & { readonly id: string } {
  const content = [{ type: "text" as const, text: "x".repeat(Math.max(0, bytes - ENVELOPE)) }];
  return { type: "message", id: nodeRuntime.entryId(), message: { role: "user", content, timestamp: 0 } };
}

/** Appends one batch and says it. */
export async function appendAndSay(session: Session, count: number, bytes: number): Promise<void> {
  const batch = Array.from({ length: count }, () => message(bytes));
  let parentId = session.leaf;
  const entries = batch.map(({ id }) => {
    const known = { id, parentId };
    parentId = id;
    return known;
  });
  acknowledged(await session.append(...batch));
  say(...entries.map(lineOf));
}

export async function moveAndSay(session: Session, target: string): Promise<void> {
  const leaf = acknowledged(await session.move(target));
  say(lineOf({ id: leaf ?? "", parentId: target }));
}

export function say(...lines: readonly string[]): void {
  writeSync(1, lines.map((line) => `${line}\n`).join(""));
}

/** The entries among what a child said, in order. */
export function entriesSaid(text: string): readonly Known[] {
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole.split("\n").flatMap((line) => {
    const [id, parentId] = line.split(" ");
    return id && parentId ? [{ id, parentId: parentId === NOBODY ? null : parentId }] : [];
  });
}

const NOBODY = "-";
/** What a message takes besides its text. */
const ENVELOPE = 180;

function lineOf({ id, parentId }: Known): string {
  return `${id} ${parentId ?? NOBODY}`;
}

function acknowledged(outcome: AppendResult): string | null {
  if (outcome.type !== "appended") throw new Error(`not appended: ${JSON.stringify(outcome)}`);
  return outcome.leaf;
}
