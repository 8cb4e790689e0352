/** Sessions in which nobody has said anything for long, by their own entries. What somebody cared to mark is none of them. */

import { listSessions, realFiles, type SessionItem } from "@pith/context/node";
import { counted } from "../../../printing/amounts.ts";
import { looked } from "../finding/reading.ts";

export interface Silent {
  readonly item: SessionItem;
  /** When the newest entry was written, ISO. */
  readonly newest: string;
}

/** Why a session stays although its file is old. */
export type Reason = "named" | "labelled" | "pinned" | "younger" | "undated" | "damaged";

export interface Sorted {
  readonly total: number;
  readonly silent: readonly Silent[];
  readonly stays: Readonly<Record<Reason, number>>;
}

export interface Sorting {
  /** Pith's home. */
  readonly home: string;
  /** Milliseconds since 1970: whatever is newer stays. */
  readonly before: number;
  readonly told: (line: string) => void;
}

export async function silentSessions({ home, before, told }: Sorting): Promise<Sorted> {
  const all = await listSessions({ env: { PITH_HOME: home } });
  const stays = { named: 0, labelled: 0, pinned: 0, younger: 0, undated: 0, damaged: 0 };
  const silent: Silent[] = [];
  for (const [at, item] of all.entries()) {
    told(`looked at ${at} of ${counted(all.length, "session")}`);
    // PRUNE2: the file's time only ever keeps a session, for a backup or a copy makes it any time.
    const found = item.modified > before ? "younger" : await judged(item, before);
    if (typeof found === "string") stays[found] += 1;
    else silent.push(found);
  }
  return { total: all.length, silent, stays };
}

async function judged(item: SessionItem, before: number): Promise<Silent | Reason> {
  if (item.damaged !== undefined) return "damaged";
  if (item.name) return "named";
  const seen = await looked(item.path, async (store) => {
    const window = await store.window(await store.leaf());
    const times = [store.header.timestamp, ...window.entries.map(({ timestamp }) => timestamp)].map(Date.parse);
    const marks = { isNamed: Boolean(await store.name()), isLabelled: (await store.labels()).size > 0 };
    return { type: "seen" as const, ...marks, newest: Math.max(...times), isDamaged: store.damage.length > 0 };
  });
  if (seen.type !== "seen" || seen.isDamaged) return "damaged";
  if (seen.isNamed) return "named";
  if (seen.isLabelled) return "labelled";
  if (Number.isNaN(seen.newest)) return "undated";
  if (seen.newest > before) return "younger";
  return hasPins(item.path) ? "pinned" : { item, newest: new Date(seen.newest).toISOString() };
}

/** On whatever branch, and also where it was taken away again: whoever pins something cares for the session. */
function hasPins(path: string): boolean {
  const file = realFiles.open(path, "read");
  try {
    const bytes = Buffer.allocUnsafe(PAGE + PINNED.length);
    for (let at = 0; ; at += PAGE) {
      const count = file.read(bytes, at);
      // Pages overlap by so much that none of it is parted.
      if (bytes.subarray(0, count).includes(PINNED)) return true;
      if (count < bytes.length) return false;
    }
  } finally {
    file.close();
  }
}

const PAGE = 1024 * 1024;
const PINNED = Buffer.from('"pith.pin"');
