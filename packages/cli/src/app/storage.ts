/** Opens what is stored beside a session: in files of Pith's home, or in memory if the session is not saved. */

import { join } from "node:path";
import { createMemoryBlobs, type OpenOtherSession } from "@pith/agent";
import { originalsFolder, sessionBlobs, sessionSearch } from "@pith/agent/node";
import type { Session } from "@pith/context";
import { sessionIdToFileName } from "@pith/context/node";
import type { SessionStorage } from "@pith/host";
import { DEPTH_VARIABLE } from "../sub-agents/sub-agent-options.ts";
import type { AppOptions } from "./app-options.ts";

export interface OpenedFile {
  readonly session: Session;
  /** The session's file; null if the session is not saved. */
  readonly path: string | null;
}

export function openStorage(
  { session, path }: OpenedFile,
  { cwd, home, environment, vault }: Pick<AppOptions, "cwd" | "home" | "environment" | "vault">,
): SessionStorage {
  if (path === null) return { blobs: createMemoryBlobs() };
  const redaction = vault ?? undefined;
  // The task of a sub-agent was written by a model, so it names no session.
  const isSubAgent = environment[DEPTH_VARIABLE] !== undefined;
  const openSession: OpenOtherSession = async (reference, named) => {
    const { createSessionOpener } = await import("./other-session.ts");
    return await createSessionOpener({ cwd, home, redaction, sessionPath: path })(reference, isSubAgent ? [] : named);
  };
  return {
    blobs: sessionBlobs(path),
    originals: originalsFolder(join(home, "restore", sessionIdToFileName(session.store.header.id))),
    search: sessionSearch(path, { home, redaction }),
    openSession,
  };
}
