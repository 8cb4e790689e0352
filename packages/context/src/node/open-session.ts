/** Opens or creates a session file and returns the session. */

import { dirname, resolve } from "node:path";
import { mergeSystemMessages } from "../context/build-request.ts";
import { Session, type SessionOptions } from "../session/session.ts";
import { refusalNotes } from "../session/store.ts";
import { realFiles } from "./files.ts";
import type { JsonlStore } from "./jsonl/jsonl-store.ts";
import { createStore, type OpenResult, openStore } from "./jsonl/open-store.ts";
import { nodeRuntime } from "./runtime.ts";

/** The options of `openSession`. */
export interface OpenSessionOptions extends SessionOptions {
  /** The system prompt; appended if it differs from the current one of the session. */
  readonly system?: string;
}

/** Opens or creates the session file at this path; throws if the file cannot be used or another process has it open. */
export async function openSession(path: string, { system, ...options }: OpenSessionOptions = {}): Promise<Session> {
  const file = resolve(path);
  const exists = realFiles.stat(file) !== null;
  const store = requireStore(file, exists ? await openStore(file) : await createStore(file, { cwd: dirname(file) }));
  const session = await Session.open(store, nodeRuntime, options);
  if (system !== undefined) await setSystemPrompt(session, system);
  return session;
}

function requireStore(path: string, result: OpenResult): JsonlStore {
  switch (result.type) {
    case "opened":
      return result.store;
    case "held":
      throw new Error(`Another process (${result.owner.pid}) writes ${path}. Close it there, or fork the session.`);
    case "unavailable":
      throw new Error(`The session was not opened: ${result.why}.`);
  }
}

/** The prompt is stored as a section, because a section can be replaced and system message content is only extended (CTX13). */
async function setSystemPrompt(session: Session, system: string): Promise<void> {
  const current = mergeSystemMessages(session.branch)?.sections?.[SECTION];
  if (current === system) return;
  const timestamp = session.runtime.now();
  const message = { role: "system", content: "", sections: { [SECTION]: system }, timestamp } as const;
  const result = await session.append({ type: "message", message });
  if (result.type === "appended") return;
  await session.close();
  const why = result.type === "refused" ? refusalNotes[result.why] : "another program has written to this session";
  throw new Error(`The system prompt was not written: ${why}.`);
}

const SECTION = "prompt";
