/** Implements `pith sessions purge`: removes secrets from sessions, their blobs, stored originals and the search index. */

import { readdir, readFile, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Redaction } from "@pith/context";
import { listSessions, listTrash, purgeSession, realFiles } from "@pith/context/node";
import { Vault } from "@pith/context/secrets";
import { type Call, type Outcome, progress } from "../../args/subcommand.ts";
import { piped } from "../../resources/attachments.ts";
import { type Failed, meantToWrite, whyNot, withId } from "../../sessions/find-session.ts";
import { keptFolders } from "../../sessions/trash.ts";
import { choose } from "../../settings/resolve.ts";
import { keyedDigest } from "../../settings/secrets.ts";
import { counted } from "../../text/format.ts";
import { type Mistake, mistake } from "../../text/usage-error.ts";

export interface Forgetting {
  /** Pith's home. */
  readonly home: string;
  readonly redaction: Redaction;
  readonly isDry: boolean;
}

/** Originals are stored unredacted. Those that hold a secret are deleted, and cannot be restored any more; returns how many. */
export async function forgetOriginals(session: MeantSession, forgetting: Forgetting): Promise<number> {
  let count = 0;
  for (const folder of keptFolders(session, forgetting.home)) count += await forgottenIn(folder, forgetting);
  return count;
}

async function forgottenIn(folder: string, { redaction, isDry }: Forgetting): Promise<number> {
  // No folder: nothing was ever changed there.
  const found = await readdir(folder, { withFileTypes: true }).catch(() => []);
  let count = 0;
  for (const each of found.filter((one) => one.isFile())) {
    const path = join(folder, each.name);
    const text = await readFile(path, "utf8");
    if (redaction.redact(text) === text) continue;
    count += 1;
    if (!isDry) await rm(path);
  }
  return count;
}

/** The index may hold purged words. It is a copy: the next search rebuilds it. */
export async function forgetSearches(home: string): Promise<void> {
  // What else belongs to it goes first: left behind, it would be taken for a part of the next one.
  for (const ending of ["-shm", "-wal", ""]) await rm(join(home, `search.db${ending}`), { force: true });
}

export interface MeantSession {
  readonly path: string;
  readonly id: string;
}

export type MeantSessions = { readonly type: "meant"; readonly sessions: readonly MeantSession[] } | Mistake | Failed;

export async function meantSessions(call: Call): Promise<MeantSessions> {
  if (call.flags.all === true) {
    const env = { PITH_HOME: call.home };
    const all = [...(await listSessions({ env })), ...(await listTrash({ env }))];
    return { type: "meant", sessions: all.map(({ path, id }) => ({ path, id })) };
  }
  if (call.arguments.length === 0) return mistake("say which sessions: pith sessions purge last, or --all");
  const sessions: MeantSession[] = [];
  for (const word of call.arguments) {
    const found = await withId(await meantToWrite(word, call));
    if (found.type !== "found") return found;
    sessions.push({ path: found.path, id: found.id });
  }
  return { type: "meant", sessions };
}

export type PurgingVault = { readonly type: "vault"; readonly vault: Vault } | Mistake;

/** Reads more secrets from stdin: an argument would stay in the shell's history. Works even where redaction is switched off. */
export async function purgingVault({ home, environment, flags, note }: Call): Promise<PurgingVault> {
  const chosen = await choose({}, { home, environment });
  if (chosen.type === "mistake") return chosen;
  const arrived = flags.stdin === true ? await piped(note) : ({ type: "arrived", text: "" } as const);
  if (arrived.type === "mistake") return arrived;
  const values = arrived.text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (flags.stdin === true && values.length === 0) return mistake("nothing was piped in; write one secret a line");
  const short = values.find((value) => value.length < LEAST);
  if (short !== undefined)
    return mistake(`line ${values.indexOf(short) + 1} has fewer than ${LEAST} letters: too few to be told from a word`);
  const given = values.map((value, at): [string, string] => [`${GIVEN} ${at + 1}`, value]);
  const names = [...(chosen.choices.secrets?.also ?? []), ...given.map(([name]) => name)];
  const vault = new Vault({
    digest: keyedDigest(home),
    environment: { ...environment, ...Object.fromEntries(given) },
    variableNames: names,
  });
  return { type: "vault", vault };
}

const LEAST = 6;
/** No variable has a space in its name. */
const GIVEN = "given line";

/** Only looks for secrets, unless `--yes` is given. */
export async function purged(call: Call): Promise<Outcome> {
  const meant = await meantSessions(call);
  if (meant.type !== "meant") return meant;
  const vault = await purgingVault(call);
  if (vault.type === "mistake") return vault;
  const done: Done[] = [];
  const failed: NotDone[] = [];
  const told = progress(call.note);
  for (const [at, session] of meant.sessions.entries()) {
    told(`${at} of ${counted(meant.sessions.length, "session")} looked through`);
    const one = await purgedOne(session, { ...vault, call });
    // One that is in use is no reason to leave a secret in all others.
    if ("why" in one) failed.push(one);
    else if (one.lines + one.blobs + one.files > 0) done.push(one);
  }
  // Also where nothing is left to be found: somebody may have been stopped before this.
  if (call.flags.yes === true) await forgetSearches(call.home);
  for (const { path, why } of failed) call.note(`pith: ${path}: ${why}`);
  return outcomeOf({ done, failed, looked: meant.sessions.length, kinds: kindsIn(vault.vault) }, call);
}

interface Done extends MeantSession {
  readonly lines: number;
  readonly blobs: number;
  /** Beside the session, and what was kept to put files back. */
  readonly files: number;
}

interface NotDone extends MeantSession {
  readonly why: string;
}

interface Purging {
  readonly vault: Vault;
  readonly call: Call;
}

async function purgedOne(session: MeantSession, { vault, call }: Purging): Promise<Done | NotDone> {
  const isDry = call.flags.yes !== true;
  const before = realFiles.stat(session.path);
  const outcome = await purgeSession(session.path, { redaction: vault, isDryRun: isDry });
  if (outcome.type !== "purged") return { ...session, why: whyNot(outcome) };
  const originals = await forgetOriginals(session, { home: call.home, redaction: vault, isDry });
  const { lines, blobs, removed } = outcome;
  // Nothing was said in it: the last session is still the last.
  if (!isDry && lines > 0 && before) await utimes(session.path, new Date(), before.modified / 1_000);
  return { ...session, lines, blobs, files: removed.length + originals };
}

function kindsIn(vault: Vault): readonly string[] {
  return [...new Set(vault.takeFindings().map(({ family }) => family))].sort();
}

interface Found {
  readonly done: readonly Done[];
  readonly failed: readonly NotDone[];
  readonly looked: number;
  readonly kinds: readonly string[];
}

function outcomeOf({ done, failed, looked, kinds }: Found, { flags }: Call): Outcome {
  const purged = flags.yes === true;
  const data = { purged, looked, kinds, sessions: done, failed };
  const code = failed.length > 0 ? { code: 1 } : {};
  if (done.length === 0)
    return { type: "shown", text: `nothing was found in ${counted(looked - failed.length, "session")}`, data, ...code };
  const end = purged
    ? "they are gone from here; wherever they were sent, change them there"
    : "nothing was changed; to take them out for good, say it again with --yes";
  return { type: "shown", text: [`found: ${kinds.join(", ")}`, ...done.map(lineOf), end].join("\n"), data, ...code };
}

function lineOf({ id, path, lines, blobs, files }: Done): string {
  const held = [counted(lines, "entry", "entries"), counted(blobs, "kept output"), counted(files, "other file")];
  return `${id.slice(0, 8) || path}  ${held.join(", ")}`;
}
