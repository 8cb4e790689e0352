/** Runs `pnpm eval outdated`: how many tokens of tool results are outdated at the end of recorded sessions, and how many a removal frees. */

import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Figures, Suite, SuiteOptions } from "@pith/bench/suite";
import {
  compactionLimits,
  createBudget,
  type Entry,
  type LoadedBranch,
  messageTokens,
  textTokens,
} from "@pith/context";
import { planOutdatedRemoval } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { branchEntries, buildTree, decodeSession, loadBranch } from "@pith/context/store";
import { listSessionFiles } from "./read-sessions.ts";
import { contentText } from "./session-entries.ts";

export const outdatedSuite: Suite = {
  name: "outdated",
  description: "removes outdated tool results from recorded sessions: the tokens that this frees, by reason",
  run: runOutdated,
};

const FIXTURES_FOLDER = resolve(import.meta.dirname, "../../../shared/fixtures");
const RECORDED_FILES = [
  "played/session.jsonl",
  "pi-sessions/before-compaction.jsonl",
  "pi-sessions/large-session.jsonl",
];

async function runOutdated({ corpus, log }: SuiteOptions): Promise<Figures> {
  const folder = corpus ?? FIXTURES_FOLDER;
  if (!existsSync(folder)) throw new Error(`${folder} does not exist; give a folder with sessions: --corpus DIR`);
  const files = corpus === undefined ? RECORDED_FILES : listSessionFiles(corpus);
  const figures: Record<string, number> = {};
  for (const file of files) {
    const measured = measureSession(readFileSync(join(folder, file)));
    const name = basename(file, ".jsonl").replaceAll("-", "_");
    for (const [key, value] of Object.entries(measured)) figures[`${name}_${key}`] = value;
    log(
      `${file}: ${measured.removed} of ${measured.results} tool results are outdated; ${measured.tokens_saved} of ${measured.result_tokens} tokens (${Math.round(measured.saved_share * 100)}%)`,
    );
  }
  return figures;
}

export interface OutdatedFigures extends Readonly<Record<string, number>> {
  /** Tool results on the branch, and their tokens. */
  readonly results: number;
  readonly result_tokens: number;
  readonly removed: number;
  readonly tokens_saved: number;
  readonly saved_share: number;
}

/** Measures the branch at the end of a session as if it had never been compacted. */
function measureSession(bytes: Uint8Array): OutdatedFigures {
  const entries = decodeSession(bytes, nodeRuntime).lines.map(({ entry }) => entry);
  const leaf = entries.at(-1)?.id ?? null;
  const branch = loadBranch(branchEntries(buildTree(entries), leaf).filter(({ type }) => type !== "compaction"));
  const tokens = branch.entries.flatMap(resultTokens);
  const resultTotal = tokens.reduce((sum, each) => sum + each, 0);
  const plan = planOutdatedRemoval(branch, createBudget(compactionLimits, { contextWindow: CONTEXT_WINDOW }));
  const reasons = countReasons(plan, branch);
  const saved = Object.values(reasons).reduce((sum, each) => sum + each, 0);
  return {
    results: tokens.length,
    result_tokens: resultTotal,
    removed: plan?.count ?? 0,
    tokens_saved: saved,
    saved_share: Number((saved / Math.max(1, resultTotal)).toFixed(3)),
    ...reasons,
  };
}

const CONTEXT_WINDOW = 200_000;

function resultTokens(entry: Entry): readonly number[] {
  return entry.type === "message" && entry.message.role === "toolResult" ? [messageTokens(entry.message)] : [];
}

/** The tokens that the removal frees, by reason, in the same uncalibrated tokens as the results. */
function countReasons(
  plan: ReturnType<typeof planOutdatedRemoval>,
  { entries }: LoadedBranch,
): Readonly<Record<string, number>> {
  const totals: Record<string, number> = {};
  for (const entry of plan?.newEntries ?? []) {
    if (entry.type !== "context_edit") continue;
    const target = entries.find(({ id }) => id === entry.targetId);
    const before = target ? (resultTokens(target)[0] ?? 0) : 0;
    const after = textTokens(contentText({ content: entry.replacement?.content ?? [] }));
    const key = `saved_${(entry.pith?.outdated ?? "").replaceAll("-", "_")}`;
    totals[key] = (totals[key] ?? 0) + before - after;
  }
  return totals;
}
