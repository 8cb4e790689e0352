/** Implements `pith sessions purge`: removes secrets from sessions, their blobs, stored originals and the search index. */

import { readdir, readFile, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Redaction } from "@pith/context";
import { listSessions, listTrash, purgeSession, realFiles } from "@pith/context/node";
import type { Vault } from "@pith/context/secrets";
import type { HostContext } from "@pith/host/host-context";
import { buildVault } from "@pith/host/settings/secrets";
import { formatCount } from "@pith/host/text/format";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { createProgressReporter, type SubcommandCall, type SubcommandResult } from "../../args/subcommand.ts";
import { readStdin } from "../../resources/read-stdin.ts";
import {
  addSessionId,
  describeOpenFailure,
  type FailedOutcome,
  findWritableSession,
} from "../../sessions/find-session.ts";
import { listOriginalsFolders } from "../../sessions/trash.ts";
import { loadSettings } from "../../settings/resolve.ts";

export interface PurgeOriginalsOptions extends Pick<HostContext, "home"> {
  readonly redaction: Redaction;
  readonly isDryRun: boolean;
}

/** Originals are stored unredacted. Deletes those that contain a secret, which can then not be restored any more, and returns their number. */
async function purgeOriginals(session: SelectedSession, options: PurgeOriginalsOptions): Promise<number> {
  let count = 0;
  for (const folder of listOriginalsFolders(session, options.home)) count += await purgeFolder(folder, options);
  return count;
}

async function purgeFolder(folder: string, { redaction, isDryRun }: PurgeOriginalsOptions): Promise<number> {
  // Without a folder, no original was ever stored.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let count = 0;
  for (const file of entries.filter((entry) => entry.isFile())) {
    const path = join(folder, file.name);
    const text = await readFile(path, "utf8");
    if (redaction.redact(text) === text) continue;
    count += 1;
    if (!isDryRun) await rm(path);
  }
  return count;
}

/** Deletes the index, because it may contain purged text. The next search rebuilds it. */
async function deleteSearchIndex(home: string): Promise<void> {
  // The database file comes last: a leftover WAL file would be applied to the next database.
  for (const suffix of ["-shm", "-wal", ""]) await rm(join(home, `search.db${suffix}`), { force: true });
}

export interface SelectedSession {
  readonly path: string;
  readonly id: string;
}

export type SessionSelection =
  | { readonly type: "selected"; readonly sessions: readonly SelectedSession[] }
  | UsageError
  | FailedOutcome;

async function selectSessions(call: SubcommandCall): Promise<SessionSelection> {
  if (call.flags.all === true) {
    const env = { PITH_HOME: call.home };
    const items = [...(await listSessions({ env })), ...(await listTrash({ env }))];
    return { type: "selected", sessions: items.map(({ path, id }) => ({ path, id })) };
  }
  if (call.arguments.length === 0)
    return usageError("specify the sessions, e.g. pith sessions purge last, or use --all");
  const sessions: SelectedSession[] = [];
  for (const sessionRef of call.arguments) {
    const match = await addSessionId(await findWritableSession(sessionRef, call));
    if (match.type !== "found") return match;
    sessions.push({ path: match.path, id: match.id });
  }
  return { type: "selected", sessions };
}

export type PurgeVaultResult = { readonly type: "vault"; readonly vault: Vault } | UsageError;

/**
 * Creates a vault of the known secrets and those from stdin; as arguments they would stay in the shell history. The setting that
 * turns redaction off is ignored.
 */
async function createPurgeVault({ home, environment, flags, notify }: SubcommandCall): Promise<PurgeVaultResult> {
  const resolved = await loadSettings({}, { home, environment });
  if (resolved.type === "mistake") return resolved;
  const input = flags.stdin === true ? await readStdin(notify) : ({ type: "text", text: "" } as const);
  if (input.type === "mistake") return input;
  const values = input.text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (flags.stdin === true && values.length === 0)
    return usageError("no secrets on stdin; pipe in one secret per line");
  const shortValue = values.find((value) => value.length < MIN_SECRET_CHARS);
  if (shortValue !== undefined)
    return usageError(
      `line ${values.indexOf(shortValue) + 1} has fewer than ${MIN_SECRET_CHARS} characters, which is too short to tell apart from ordinary text`,
    );
  const givenSecrets = values.map((value, index): [string, string] => [`${GIVEN_NAME_PREFIX} ${index + 1}`, value]);
  const { secrets, ...settings } = resolved.settings;
  const vault = await buildVault({
    home,
    environment: { ...environment, ...Object.fromEntries(givenSecrets) },
    settings: { ...settings, secrets: { also: [...(secrets?.also ?? []), ...givenSecrets.map(([name]) => name)] } },
  });
  return { type: "vault", vault };
}

const MIN_SECRET_CHARS = 6;
/** The space prevents a conflict with a real variable name. */
const GIVEN_NAME_PREFIX = "given line";

/** Only searches for secrets unless `--yes` is given. */
export async function runPurge(call: SubcommandCall): Promise<SubcommandResult> {
  const selection = await selectSessions(call);
  if (selection.type !== "selected") return selection;
  const vaultResult = await createPurgeVault(call);
  if (vaultResult.type === "mistake") return vaultResult;
  const purgedSessions: PurgedSession[] = [];
  const failures: FailedSession[] = [];
  const reportProgress = createProgressReporter(call.notify);
  for (const [index, session] of selection.sessions.entries()) {
    reportProgress(`searched ${index} of ${formatCount(selection.sessions.length, "session")}`);
    const result = await purgeOne(session, { ...vaultResult, call });
    // A session in use must not stop the purge of the others.
    if ("why" in result) failures.push(result);
    else if (result.lines + result.blobs + result.files > 0) purgedSessions.push(result);
  }
  // Even if nothing was found: an earlier purge may have been interrupted before this step.
  if (call.flags.yes === true) await deleteSearchIndex(call.home);
  for (const { path, why } of failures) call.notify(`pith: ${path}: ${why}`);
  return createPurgeResult(
    { purgedSessions, failures, searchedCount: selection.sessions.length, kinds: listSecretKinds(vaultResult.vault) },
    call,
  );
}

interface PurgedSession extends SelectedSession {
  readonly lines: number;
  readonly blobs: number;
  /** Deleted files next to the session, and deleted originals. */
  readonly files: number;
}

interface FailedSession extends SelectedSession {
  readonly why: string;
}

async function purgeOne(
  session: SelectedSession,
  { vault, call }: { readonly vault: Vault; readonly call: SubcommandCall },
): Promise<PurgedSession | FailedSession> {
  const isDryRun = call.flags.yes !== true;
  const statBefore = realFiles.stat(session.path);
  const result = await purgeSession(session.path, { redaction: vault, isDryRun });
  if (result.type !== "purged") return { ...session, why: describeOpenFailure(result) };
  const originalCount = await purgeOriginals(session, { home: call.home, redaction: vault, isDryRun });
  const { lines, blobs, removed } = result;
  // Restores the modification time, so that the purge does not change which session is the last one.
  if (!isDryRun && lines > 0 && statBefore) await utimes(session.path, new Date(), statBefore.modified / 1_000);
  return { ...session, lines, blobs, files: removed.length + originalCount };
}

function listSecretKinds(vault: Vault): readonly string[] {
  return [...new Set(vault.takeFindings().map(({ family }) => family))].sort();
}

interface PurgeReport {
  readonly purgedSessions: readonly PurgedSession[];
  readonly failures: readonly FailedSession[];
  readonly searchedCount: number;
  readonly kinds: readonly string[];
}

function createPurgeResult(
  { purgedSessions, failures, searchedCount, kinds }: PurgeReport,
  { flags }: SubcommandCall,
): SubcommandResult {
  const isPurged = flags.yes === true;
  const data = { purged: isPurged, searched: searchedCount, kinds, sessions: purgedSessions, failed: failures };
  const exitCode = failures.length > 0 ? { code: 1 } : {};
  if (purgedSessions.length === 0)
    return {
      type: "success",
      text: `No secrets found in ${formatCount(searchedCount - failures.length, "session")}.`,
      data,
      ...exitCode,
    };
  const nextStep = isPurged
    ? "The secrets were removed from these sessions. If they were sent anywhere, rotate them."
    : "Nothing was changed. To remove the secrets permanently, run the command again with --yes.";
  return {
    type: "success",
    text: [`Found: ${kinds.join(", ")}`, ...purgedSessions.map(formatPurgedSession), nextStep].join("\n"),
    data,
    ...exitCode,
  };
}

function formatPurgedSession({ id, path, lines, blobs, files }: PurgedSession): string {
  const counts = [
    formatCount(lines, "entry", "entries"),
    formatCount(blobs, "stored output"),
    formatCount(files, "other file"),
  ];
  return `${id.slice(0, 8) || path}  ${counts.join(", ")}`;
}
