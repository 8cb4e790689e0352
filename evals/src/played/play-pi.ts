/** Has pi compact the recorded session at the recorded places, with the drafts as the replies of its model. */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Pi, startPi } from "@pith/bench/peers/pi";
import type { Front } from "./measure-front.ts";
import type { Recording, Row, Summary } from "./recording.ts";
import { withoutCitations } from "./translate-draft.ts";

export interface PiCompaction extends Front {
  readonly firstKeptEntryId: string;
  readonly calls: number;
}

interface Answer extends Omit<PiCompaction, "text" | "summary"> {
  readonly id: string;
  readonly front: string;
}

export async function playPi(recording: Recording, summaries: readonly Summary[]): Promise<readonly PiCompaction[]> {
  const folder = mkdtempSync(join(tmpdir(), "pith-played-pi-"));
  const pi = start();
  try {
    const file = join(folder, "session.jsonl");
    writeFileSync(file, `${recording.header}\n`);
    const compactions: PiCompaction[] = [];
    let leaf: string | null = null;
    for (const [at, rows] of recording.stretches.entries()) {
      append(
        file,
        rows.map((row) => (recording.compactions.includes(row.parentId ?? "") ? { ...row, parentId: leaf } : row)),
      );
      const [history = "", turn = ""] = withoutCitations(summaries[at]?.draft ?? "").split(TURN);
      const { id, front, ...answer } = (await pi.ask({
        op: "compact",
        file,
        settings: SETTINGS,
        history,
        turn,
      })) as Answer;
      leaf = id;
      compactions.push({ ...answer, text: front, summary: front });
    }
    return compactions;
  } finally {
    pi.end();
    rmSync(folder, { recursive: true });
  }
}

function start(): Pi {
  try {
    return startPi();
  } catch (error) {
    const why = error instanceof Error ? error.message.split("\n")[0] : error;
    throw new Error(`pi cannot be run beside our program: ${why}; with --no-peers it is left out`);
  }
}

function append(file: string, rows: readonly Row[]): void {
  appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

export const SETTINGS = { enabled: true, reserveTokens: 6_000, keepRecentTokens: 4_800 };

/** What stands between the record and the beginning of a turn that was cut; pi writes it itself. */
const TURN = /\n+---\n+\*\*Turn Context \(split turn\):\*\*\n+/;
