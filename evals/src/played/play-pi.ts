/** Compacts the recorded session with pi at the recorded positions, with the drafts as the replies of the model. */

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Pi, startPi } from "@pith/bench/peers/pi";
import type { ContextFront } from "./measure-front.ts";
import type { RecordedRow, RecordedSummary, Recording } from "./recording.ts";
import { removeCitations } from "./translate-draft.ts";

export interface PiCompaction extends ContextFront {
  readonly firstKeptEntryId: string;
  readonly calls: number;
}

interface PiAnswer extends Omit<PiCompaction, "text" | "summary"> {
  readonly id: string;
  readonly front: string;
}

export async function playPi(
  recording: Recording,
  summaries: readonly RecordedSummary[],
): Promise<readonly PiCompaction[]> {
  const folder = mkdtempSync(join(tmpdir(), "pith-played-pi-"));
  const pi = startPiOrFail();
  try {
    const file = join(folder, "session.jsonl");
    writeFileSync(file, `${recording.header}\n`);
    const compactions: PiCompaction[] = [];
    let leaf: string | null = null;
    for (const [index, rows] of recording.segments.entries()) {
      appendRows(
        file,
        rows.map((row) => (recording.compactions.includes(row.parentId ?? "") ? { ...row, parentId: leaf } : row)),
      );
      const [history = "", turn = ""] = removeCitations(summaries[index]?.draft ?? "").split(TURN_SEPARATOR);
      const { id, front, ...answer } = (await pi.request({
        op: "compact",
        file,
        settings: COMPACTION_SETTINGS,
        history,
        turn,
      })) as PiAnswer;
      leaf = id;
      compactions.push({ ...answer, text: front, summary: front });
    }
    return compactions;
  } finally {
    pi.stop();
    rmSync(folder, { recursive: true });
  }
}

function startPiOrFail(): Pi {
  try {
    return startPi();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : error;
    throw new Error(`pi cannot be run: ${reason}. Use --no-peers to skip it.`);
  }
}

function appendRows(file: string, rows: readonly RecordedRow[]): void {
  appendFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

const COMPACTION_SETTINGS = { enabled: true, reserveTokens: 6_000, keepRecentTokens: 4_800 };

/** Separates the summary from that of a split turn. pi writes the separator itself. */
const TURN_SEPARATOR = /\n+---\n+\*\*Turn Context \(split turn\):\*\*\n+/;
