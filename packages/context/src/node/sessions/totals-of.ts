/** What a session's file holds and has cost, read once from end to end. Nothing of it is kept but the sums. */

import type { Entry, Header } from "../../entry.ts";
import { entryAlone } from "../../session/codec/line/entry-of.ts";
import { readRaw } from "../../session/codec/line/read-line.ts";
import { noTotals, type SessionTotals, sessionTotals } from "../../totals.ts";
import type { OpenFile } from "../files/files.ts";
import { orUnavailable, type Unavailable } from "../files/unavailable.ts";
import { forwards } from "../jsonl/lines/forwards.ts";
import { type SoundFile, soundFile } from "../jsonl/lines/sound-file.ts";
import { wholeFile } from "../jsonl/lines/whole-file.ts";
import { type HomeParts, settled } from "./home.ts";

export type TotalsOf =
  | { readonly type: "counted"; readonly header: Header | null; readonly totals: SessionTotals }
  | Unavailable;

/** Also while another process writes it: then up to where it stood. What is damaged counts nothing. */
export async function totalsOf(path: string, parts: HomeParts = {}): Promise<TotalsOf> {
  const all = settled(parts);
  return orUnavailable<TotalsOf>(`${path} cannot be read`, async () => {
    const file = all.files.open(path, "read");
    try {
      return await counted(file, all);
    } finally {
      file.close();
    }
  });
}

async function counted(file: OpenFile, { ports, limits }: Required<HomeParts>): Promise<TotalsOf> {
  const sound = soundFile(file, ports.checksum, limits);
  if (sound) return { type: "counted", header: sound.header, totals: await summed(entriesIn(sound)) };
  const { header, lines } = wholeFile(file, { checksum: ports.checksum, limits });
  return { type: "counted", header, totals: await summed(lines.map(({ entry }) => entry)) };
}

function* entriesIn({ file, rules, start, end, limits }: SoundFile): Generator<Entry> {
  for (const line of forwards(file, { start, end, limits })) {
    const reading = readRaw(line, rules);
    const entry = reading.type === "whole" ? entryAlone(reading.value) : null;
    if (entry) yield entry;
  }
}

async function summed(entries: Iterable<Entry>): Promise<SessionTotals> {
  let totals = noTotals;
  for (const entry of entries) {
    totals = sessionTotals(totals, entry);
    // A long file must not hold up whoever else works in this process.
    if (totals.entries % PAUSE === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return totals;
}

const PAUSE = 1_000;
