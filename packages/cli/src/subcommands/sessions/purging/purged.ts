/** Session after session without its secrets: first looked at, and written anew only where somebody says so. */

import { utimes } from "node:fs/promises";
import { purgeSession, realFiles } from "@pith/context/node";
import type { Vault } from "@pith/context/secrets";
import { counted } from "../../../printing/amounts.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { whyNot } from "../finding/reading.ts";
import { progress } from "../wording/progress.ts";
import { forgetOriginals } from "./forget-originals.ts";
import { forgetSearches } from "./forget-searches.ts";
import { type MeantSession, meantSessions } from "./meant-sessions.ts";
import { purgingVault } from "./purging-vault.ts";

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
  const outcome = await purgeSession(session.path, { redaction: vault, isDry });
  if (outcome.type !== "purged") return { ...session, why: whyNot(outcome) };
  const originals = await forgetOriginals(session, { home: call.home, redaction: vault, isDry });
  const { lines, blobs, removed } = outcome;
  // Nothing was said in it: the last session is still the last.
  if (!isDry && lines > 0 && before) await utimes(session.path, new Date(), before.modified / 1_000);
  return { ...session, lines, blobs, files: removed.length + originals };
}

function kindsIn(vault: Vault): readonly string[] {
  return [...new Set(vault.found().map(({ family }) => family))].sort();
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
