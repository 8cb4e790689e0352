/** Compacts a recorded session at the recorded positions, and returns the recorded facts that each compaction shows. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compact, compactionLimits, createBudget, Session, type Summarizer, textTokens } from "@pith/context";
import { readSummaryPartTexts } from "@pith/context/host";
import { nodeRuntime, openStore } from "@pith/context/node";
import { appendRows } from "../played/play-pith.ts";
import {
  type RecordingName,
  readNumberedDrafts,
  readRecordedSummaries,
  readRecording,
  type SummaryDraft,
} from "../played/recording.ts";
import { findCompaction } from "../rules/compacted-request.ts";

/** What a compaction shows of the recorded facts. */
export interface ShownFacts {
  /** Each fact with the heading, block or list that contains it: `Last commits: 0a1b2c3 Fix the lock`. */
  readonly facts: readonly string[];
  /** The tokens of the text that the model reads. */
  readonly tokens: number;
  readonly text: string;
}

/** Replays a recording. The summaries are the recorded ones, because the facts get the room that a summary leaves. */
export async function replayFacts(name: RecordingName): Promise<readonly ShownFacts[]> {
  const { segments, compactions } = readRecording(name);
  const drafts = name === "played" ? readRecordedSummaries() : readNumberedDrafts();
  const folder = mkdtempSync(join(tmpdir(), "pith-facts-"));
  const path = join(folder, "session.jsonl");
  try {
    const shown: ShownFacts[] = [];
    for (const [index, rows] of segments.entries()) {
      await appendRows(path, rows, compactions);
      shown.push(await compactSession(path, drafts[index]));
    }
    return shown;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function compactSession(path: string, draft: SummaryDraft | undefined): Promise<ShownFacts> {
  const opened = await openStore(path);
  if (opened.type !== "opened") throw new Error(`${path} could not be opened: ${JSON.stringify(opened)}`);
  const session = await Session.open(opened.store, nodeRuntime);
  const outcome = await compact({
    session,
    reason: "asked",
    budget: createBudget(compactionLimits, { contextWindow: WINDOW, model: MODEL }),
    runtime: nodeRuntime,
    summarizers: [createDraftSummarizer(draft?.draft ?? "")],
  });
  if (outcome.type !== "compacted") throw new Error(`the session was not compacted: ${JSON.stringify(outcome)}`);
  const compaction = findCompaction(session.branch);
  await opened.store.close();
  const text =
    readSummaryPartTexts(compaction)
      .find(({ part }) => part.kind === "ledger")
      ?.text.trim() ?? "";
  return { facts: [...listFacts(text), ...listPiFacts(compaction.details)], tokens: textTokens(text), text };
}

const WINDOW = 24_000;
const MODEL = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet-4-5" };

function createDraftSummarizer(narrative: string): Summarizer {
  return {
    name: "recorded",
    isPaid: false,
    summarize: ({ covered }) => ({
      type: "written",
      candidate: { route: "recorded", narrative, notes: "", covers: new Set(covered.map(({ id }) => id)) },
    }),
  };
}

function listFacts(text: string): readonly string[] {
  let place = "";
  return text.split("\n").flatMap((line) => {
    const [, heading] = /^(?:#+ |<)([^,>]+)/.exec(line) ?? [];
    if (heading !== undefined) place = heading;
    return line === "" || heading !== undefined ? [] : [`${place}: ${line.replace(/^- /, "")}`];
  });
}

/** The lists beside the text, which pi shows in its own summaries. */
function listPiFacts(details: unknown): readonly string[] {
  const { readFiles, modifiedFiles } = details as Readonly<Record<"readFiles" | "modifiedFiles", readonly string[]>>;
  return [...readFiles.map((path) => `readFiles: ${path}`), ...modifiedFiles.map((path) => `modifiedFiles: ${path}`)];
}
