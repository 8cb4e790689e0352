/** Opens another session for the `recall` tool: one of the same folder, or one that the user named with `@session:`. */

import { dirname } from "node:path";
import type { OpenOtherSession, OpenOtherSessionResult } from "@pith/agent";
import { type SessionSearchOptions, sessionSearch } from "@pith/agent/node";
import { openStore } from "@pith/context/node";
import { describeOpenFailure, findSession } from "../sessions/find-session.ts";

export interface OtherSessionOptions extends Required<SessionSearchOptions> {
  readonly cwd: string;
  /** The file of the current session. */
  readonly sessionPath: string;
}

export function createSessionOpener(options: OtherSessionOptions): OpenOtherSession {
  return async (reference, named): Promise<OpenOtherSessionResult> => {
    const found = await findSession(reference, options);
    if (found.type === "mistake") return refuse(found.message);
    const isAllowed =
      dirname(found.path) === dirname(options.sessionPath) || (await findPaths(named, options)).has(found.path);
    if (!isAllowed)
      return refuse(
        `session ${reference} belongs to another folder. Ask the user to name it in the prompt, as in @session:${reference}`,
      );
    const opened = await openStore(found.path, { mode: "follower" });
    if (opened.type !== "opened") return refuse(describeOpenFailure(opened));
    const { store } = opened;
    return {
      type: "opened",
      session: { store, search: sessionSearch(found.path, options), close: () => store.close() },
    };
  };
}

async function findPaths(references: readonly string[], options: OtherSessionOptions): Promise<ReadonlySet<string>> {
  const results = await Promise.all(references.map((reference) => findSession(reference, options)));
  return new Set(results.flatMap((result) => (result.type === "found" ? [result.path] : [])));
}

function refuse(why: string): OpenOtherSessionResult {
  return { type: "refused", why };
}
