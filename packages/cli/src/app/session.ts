/** Opens or creates the requested session with what is stored beside it, and builds the resume hint. */

import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createMemoryBlobs, type OpenOtherSession } from "@pith/agent";
import { originalsFolder, sessionBlobs, sessionSearch } from "@pith/agent/node";
import { MemoryStore, type Session } from "@pith/context";
import { createSession, listSessions, nodeRuntime, openStore, sessionIdToFileName } from "@pith/context/node";
import type { Vault } from "@pith/context/secrets";
import type { Damage } from "@pith/context/store";
import type { HostContext } from "@pith/host/host-context";
import { listOutsideSessionPaths } from "@pith/host/settings/home-files";
import type { SessionStorage } from "@pith/host/storage";
import type { CliArgs, SessionTarget } from "../args/args.ts";
import { isSubAgentSession } from "../sessions/sub-agent-ids.ts";
import { DEPTH_VARIABLE } from "../sub-agents/sub-agent-options.ts";

export type OpenSessionResult =
  | {
      readonly type: "opened";
      readonly storage: SessionStorage;
      /** The damage found in the file when it was opened. */
      readonly damage: readonly Damage[];
      readonly close: () => Promise<void>;
    }
  | StartFailure;

export interface StartFailure {
  readonly type: "failed";
  readonly message: string;
  /** The exit code if the cause is not a usage error, such as a full disk or another writer. Absent if it is one. */
  readonly code?: 1;
}

export interface OpenSessionOptions extends Pick<HostContext, "cwd" | "home" | "environment"> {
  /** Applied to what is searched. Null: secrets are not redacted. */
  readonly vault: Vault | null;
}

export async function openSession(target: SessionTarget, options: OpenSessionOptions): Promise<OpenSessionResult> {
  const { cwd, home } = options;
  switch (target.type) {
    case "none":
      return {
        type: "opened",
        storage: { store: MemoryStore.create(nodeRuntime, { cwd }), blobs: createMemoryBlobs() },
        damage: [],
        close: async () => {},
      };
    case "new":
      return deleteWhenEmpty(await toOpenSessionResult(await createSession({ cwd }), options));
    case "last": {
      // Skips sessions without a message, and sessions of sub-agents.
      const latest = (await listSessions({ cwd })).find(
        ({ firstMessage, id }) => firstMessage && !isSubAgentSession(id),
      );
      return latest
        ? toOpenSessionResult(await openStore(latest.path), options)
        : createFailure("this folder has no sessions yet; start one without -c");
    }
    case "choose":
      return createFailure("specify a session with --session ID");
    case "named": {
      const { findSession, requireSessionFile } = await import("../sessions/find-session.ts");
      const fileResult = await requireSessionFile(await findSession(target.name, { cwd, home }), home);
      return fileResult.type === "found"
        ? toOpenSessionResult(await openStore(fileResult.path), options)
        : createFailure(fileResult.message);
    }
  }
}

type OpenedStore = Extract<Awaited<ReturnType<typeof openStore>>, { type: "opened" }>["store"];

async function toOpenSessionResult(
  outcome: Awaited<ReturnType<typeof openStore>>,
  options: OpenSessionOptions,
): Promise<OpenSessionResult> {
  if (outcome.type === "held")
    return {
      ...createFailure(`process ${outcome.owner.pid} is writing to this session; stop it or start another session`),
      code: 1,
    };
  if (outcome.type !== "opened") return { ...createFailure(outcome.why), code: 1 };
  const { store } = outcome;
  const damage = await store.damageOnOpen();
  const close = async (): Promise<void> => void (await store.close());
  return { type: "opened", storage: openStorage(store, options), damage, close };
}

function openStorage(store: OpenedStore, { cwd, home, environment, vault }: OpenSessionOptions): SessionStorage {
  const { path, header } = store;
  const redaction = vault ?? undefined;
  // The task of a sub-agent was written by a model, so it names no session.
  const isSubAgent = environment[DEPTH_VARIABLE] !== undefined;
  const openOther: OpenOtherSession = async (reference, named) => {
    const { createSessionOpener } = await import("./other-session.ts");
    return await createSessionOpener({ cwd, home, redaction, sessionPath: path })(reference, isSubAgent ? [] : named);
  };
  // The session's file, and that of the session that it was forked from or that started it.
  const files = [path, header.parentSession].filter((file) => typeof file === "string");
  return {
    store,
    file: path,
    blobs: sessionBlobs(path),
    originals: originalsFolder(join(home, "restore", sessionIdToFileName(header.id))),
    search: sessionSearch(path, { home, redaction }),
    openSession: openOther,
    privatePaths: listOutsideSessionPaths(files, home),
  };
}

/** Deletes the file of a new session on close if nothing was written to it, as after `/help`: empty sessions would fill the list. */
function deleteWhenEmpty(outcome: OpenSessionResult): OpenSessionResult {
  if (outcome.type !== "opened") return outcome;
  const { storage, close } = outcome;
  const { store, file: path } = storage;
  if (path === undefined) return outcome;
  const closeAndDelete = async (): Promise<void> => {
    const isEmpty = (await store.leaf()) === null;
    // The file is deleted before `close` releases the lock, so that no other process can write to it in between.
    if (isEmpty) await rm(path, { force: true });
    await close();
    if (isEmpty) await rm(join(dirname(path), ".pith", basename(path)), { recursive: true, force: true });
  };
  return { ...outcome, close: closeAndDelete };
}

function createFailure(message: string): StartFailure {
  return { type: "failed", message };
}

export interface ResumeHint {
  /** Tells the user how to continue the session; null if the session is not saved. */
  readonly resumeHint: string | null;
  /** Flags that the user must repeat to continue the session. */
  readonly resumeFlags: string;
}

export function buildResumeHint({ session, overrides: { baseUrl } }: CliArgs, { store }: Session): ResumeHint {
  // The base URL is never saved in a session: a session file may come from an untrusted source. The user must repeat the flag.
  const flags = baseUrl === undefined ? "" : ` --base-url ${baseUrl}`;
  if (session.type === "none") return { resumeHint: null, resumeFlags: flags };
  const { id } = store.header;
  // AGT14: `-c` never continues a sub-agent's session.
  const sessionFlag = isSubAgentSession(id) ? `--session ${id.slice(0, 8)}` : "-c";
  return { resumeHint: `session ${id.slice(0, 8)}; continue with: pith -p ${sessionFlag}${flags}`, resumeFlags: flags };
}
