/** Creates sessions to move in from random commands, opens them again, and reads and creates their entries. */

import type { Entry } from "../../src/entry.ts";
import { decodeSession } from "../../src/format/session-file.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { type NewEntry, Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import type { Command } from "../properties/commands.ts";
import { runInMemory } from "../properties/replay.ts";

/** The session that these commands leave, as another process opens it; entries appended later are n1, n2 …. */
export async function randomSession(commands: readonly Command[]): Promise<Session> {
  return reopenSession((await runInMemory(commands)).bytes());
}

/** Opens a session from its bytes. */
export function reopenSession(bytes: Uint8Array): Promise<Session> {
  const ports = testRuntime("n");
  return Session.open(MemoryStore.open(bytes, ports), ports);
}

export function sessionBytes({ store }: Session): Uint8Array {
  return (store as MemoryStore).bytes();
}

/** All entries in file order. */
export function allEntries(session: Session): readonly Entry[] {
  return decodeSession(sessionBytes(session), testRuntime()).lines.map(({ entry }) => entry);
}

export function userEntry(content: string): NewEntry {
  return { type: "message", message: { role: "user", content, timestamp: 0 } };
}

export function branchSummaryEntry(fromId: string | null): NewEntry {
  return { type: "branch_summary", fromId: fromId ?? "root", summary: "it was tried and left" };
}
