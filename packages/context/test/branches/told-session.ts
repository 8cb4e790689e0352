/** Sessions to move about in: a told one, and any that a random life leaves. */

import type { Entry } from "../../src/entry.ts";
import { decodeSession } from "../../src/format/session-file.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { type NewEntry, Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { story } from "../../src/testing/story.ts";
import type { Command } from "../properties/commands.ts";
import { lived } from "../properties/play.ts";

/** Its entries are e1, e2 …; what is appended later is n1, n2 …. */
export async function told(...lines: readonly string[]): Promise<Session> {
  const ports = testRuntime("n");
  const store = MemoryStore.create(ports, { cwd: "/project" });
  for (const entry of story(...lines)) await store.append([entry], { expectedLeaf: await store.leaf() });
  return Session.open(store, ports);
}

/** What a life leaves, as another process finds it; what is appended later is n1, n2 …. */
export async function livedThrough(life: readonly Command[]): Promise<Session> {
  return againOf((await lived(life)).bytes());
}

/** The session of these bytes, as often as one likes. */
export function againOf(bytes: Uint8Array): Promise<Session> {
  const ports = testRuntime("n");
  return Session.open(MemoryStore.open(bytes, ports), ports);
}

export function bytesOf({ store }: Session): Uint8Array {
  return (store as MemoryStore).bytes();
}

/** All entries of it, in file order. */
export function allOf(session: Session): readonly Entry[] {
  return decodeSession(bytesOf(session), testRuntime()).lines.map(({ entry }) => entry);
}

export function user(content: string): NewEntry {
  return { type: "message", message: { role: "user", content, timestamp: 0 } };
}

export function leftSummary(fromId: string | null): NewEntry {
  return { type: "branch_summary", fromId: fromId ?? "root", summary: "it was tried and left" };
}
