/** Whether the sessions can be read: what is damaged, and blobs whose session is gone. Nothing is mended here. */

import { dirname, join } from "node:path";
import { listSessions, realFiles, type SessionItem, sessionsFolder } from "@pith/context/node";
import { bytesTold, counted } from "../../printing/amounts.ts";
import { looked } from "../sessions/finding/reading.ts";
import { progress } from "../sessions/wording/progress.ts";
import type { Call } from "../subcommand.ts";
import { type Check, ok, warning } from "./check.ts";

export async function sessionChecks(call: Call): Promise<readonly Check[]> {
  const all = await listSessions({ env: { PITH_HOME: call.home } });
  return [await damageCheck(all, call), orphanCheck(call.home), indexCheck(call.home)];
}

interface Damaged {
  readonly item: SessionItem;
  readonly why: string;
}

async function damageCheck(all: readonly SessionItem[], { flags, note }: Call): Promise<Check> {
  const told = progress(note);
  const until = flags.deep === true ? Number.POSITIVE_INFINITY : Date.now() + PATIENCE;
  const damaged: Damaged[] = [];
  let seen = 0;
  for (const item of all) {
    if (Date.now() > until) break;
    told(`looked at ${seen++} of ${counted(all.length, "session")}`);
    const why = item.damaged ?? (await damageIn(item.path));
    if (why !== null) damaged.push({ item, why });
  }
  const rest =
    seen < all.length && Date.now() > until ? `, the newest ${seen} looked at line by line; --deep looks at all` : "";
  const [first] = damaged;
  if (!first) return ok("sessions", `${counted(all.length, "session")}${rest}`);
  const says = `${counted(damaged.length, "session")} of ${all.length} not whole, e.g. ${first.item.path}: ${first.why}${rest}`;
  return warning(
    "sessions",
    says,
    "what can be read is read all the same; pith sessions show shows it, rm puts it away",
  );
}

async function damageIn(path: string): Promise<string | null> {
  const found = await looked(path, async (store) => ({ type: "looked" as const, damage: await store.check() }));
  if (found.type === "failed") return found.message;
  const [first] = found.damage;
  return first ? `line ${first.line}: ${first.note}` : null;
}

/** Milliseconds for looking at lines, newest sessions first. */
const PATIENCE = 3_000;

/** What lies beside a session that is gone; what is in the trash took its own along. */
function orphanCheck(home: string): Check {
  const all = sessionsFolder({ PITH_HOME: home });
  const beside = realFiles.list(all).flatMap((folder) => {
    const side = join(all, folder, ".pith");
    return realFiles.list(side).map((name) => join(side, name));
  });
  const orphans = beside.filter((path) => !sessionOf(path) && realFiles.list(join(path, "blobs")).length > 0);
  const [first] = orphans;
  if (first === undefined) return ok("blobs", "each belongs to a session");
  const says = `${counted(orphans.length, "folder")} of blobs without a session, e.g. ${first}`;
  return warning("blobs", says, "if the session will not come back, remove that folder");
}

function sessionOf(side: string): boolean {
  return realFiles.stat(join(dirname(dirname(side)), side.slice(dirname(side).length + 1))) !== null;
}

function indexCheck(home: string): Check {
  const stat = realFiles.stat(join(home, "search.db"));
  if (!stat) return ok("search index", "none yet; the first pith sessions search makes it");
  if (stat.kind !== "file") return warning("search index", `${join(home, "search.db")} is no plain file`, "remove it");
  return ok("search index", `${bytesTold(stat.size)}; it can be deleted at any time`);
}
