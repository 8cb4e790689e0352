/** Drafts the entry with the working folder, the date and the git branch. It follows the conversation and is never in the system prompt. */

import type { Entry, LoadedBranch, NewEntry, Runtime, Session } from "@pith/context";
import { ENVIRONMENT_TYPE, runGuarded, sanitizeLine } from "@pith/context/host";

export interface Environment {
  /** Where the agent works. */
  readonly folder: string;
  /**
   * The git branch of the folder, null outside a repository. It is called before every request, so it must be cheap. A call that
   * throws or takes longer than a second counts as null.
   */
  readonly readGitBranch?: () => string | null | Promise<string | null>;
}

export interface EnvironmentContext {
  readonly session: Session;
  readonly runtime: Pick<Runtime, "now" | "sleep">;
}

/** Null if the newest such entry that the model sees has the same content. An entry that a compaction covers is not seen. */
export async function draftEnvironment(
  environment: Environment,
  context: EnvironmentContext,
): Promise<NewEntry | null> {
  const { session, runtime } = context;
  const branch = await readBranch(environment, context);
  const date = new Date(runtime.now()).toISOString().slice(0, 10);
  const facts = [
    `The working folder is ${session.redact(environment.folder)}.`,
    `Today is ${date}.`,
    ...(branch === null ? [] : [`The git branch is ${branch}.`]),
  ];
  const content = session.redact(facts.join(" "));
  if (visibleEnvironment(session.branch) === content) return null;
  return { type: "custom_message", customType: ENVIRONMENT_TYPE, content, display: false };
}

/** The name is untrusted text, so it is cut to one line of limited length without control characters and secrets. */
async function readBranch(
  { readGitBranch }: Environment,
  { session, runtime: { sleep } }: EnvironmentContext,
): Promise<string | null> {
  if (!readGitBranch) return null;
  const result = await runGuarded(readGitBranch, { timeout: { ms: TIMEOUT_MS, sleep } });
  const name: unknown = result.type === "done" ? result.value : null;
  if (typeof name !== "string") return null;
  return sanitizeLine(session.redact(name), MAX_BRANCH_CHARS) || null;
}

const TIMEOUT_MS = 1_000;
const MAX_BRANCH_CHARS = 200;

// The loaded branch has only entries that the newest compaction keeps and later ones. An edit may have changed the text of an entry.
function visibleEnvironment({ entries, edits }: LoadedBranch): unknown {
  const entry = entries.findLast(isEnvironment);
  if (!entry || edits.some(({ targetId }) => targetId === entry.id)) return null;
  return entry.content;
}

function isEnvironment(entry: Entry): entry is Extract<Entry, { type: "custom_message" }> {
  return entry.type === "custom_message" && entry.customType === ENVIRONMENT_TYPE;
}
