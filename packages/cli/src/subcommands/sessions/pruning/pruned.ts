/** Pruning: what would go and what stays, and why; done only for whoever said so with an age of their own. */

import { counted } from "../../../printing/amounts.ts";
import type { Call, Outcome } from "../../subcommand.ts";
import { intoTrash } from "../trashing/trashed.ts";
import { progress } from "../wording/progress.ts";
import { emptied, GRACE_DAYS, type OldTrash, oldTrash } from "./old-trash.ts";
import { pruneWish } from "./prune-wish.ts";
import { reportOf } from "./report.ts";
import { type Silent, silentSessions } from "./silent-sessions.ts";

export async function pruned(call: Call): Promise<Outcome> {
  const wish = pruneWish(call.flags);
  if (wish.type === "mistake") return wish;
  const now = Date.now();
  const found = await silentSessions({ home: call.home, before: now - wish.age, told: progress(call.note) });
  const trash = wish.emptiesTrash ? await oldTrash(call.home, now) : [];
  if (!wish.isMeant) return { type: "shown", ...reportOf({ ...found, trash, wish, now }) };
  const { moved, faults } = await movedAway(found.silent, call);
  const away = await emptied(trash, call.home);
  const all = [...faults, ...away.faults];
  for (const fault of all) call.note(`pith: ${fault}`);
  const lines = [
    `${counted(moved.length, "session")} moved into the trash; pith sessions restore brings one back`,
    ...(wish.emptiesTrash
      ? [`${counted(away.gone.length, "session")} removed for good, after ${GRACE_DAYS} days in the trash`]
      : []),
  ];
  const data = { isDone: true, trashed: moved, removed: away.gone.map(idOf) };
  return { type: "shown", text: lines.join("\n"), data, ...(all.length > 0 && { code: 1 }) };
}

interface Moved {
  readonly id: string;
  readonly path: string;
  readonly folder: string;
}

/** One that is in use, or cannot be moved, is no reason to leave the others. */
async function movedAway(
  silent: readonly Silent[],
  { home, note }: Call,
): Promise<{ readonly moved: readonly Moved[]; readonly faults: readonly string[] }> {
  const moved: Moved[] = [];
  const faults: string[] = [];
  const told = progress(note);
  for (const { item } of silent) {
    told(`${moved.length} of ${counted(silent.length, "session")}`);
    const gone = await intoTrash(item.path, { home, by: "prune" });
    if (gone.type === "gone") moved.push({ id: gone.id, path: item.path, folder: gone.folder });
    else faults.push(`${item.path}: ${gone.message}`);
  }
  return { moved, faults };
}

function idOf({ id, folder }: OldTrash): object {
  return { id, folder };
}
