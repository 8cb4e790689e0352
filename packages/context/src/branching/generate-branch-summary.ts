/** The summary of a branch that was left: by the first model that writes one which holds, with what code keeps of the work behind it. */

import type { Entry } from "../entry.ts";
import { type CarriedFront, carriedFront, carriedNarrative, nothingBefore } from "../keeping/front.ts";
import { isUsersRequest, requestIn } from "../keeping/latest-request.ts";
import { ledgerOf } from "../keeping/ledger/ledger-of.ts";
import { ledgerText } from "../keeping/ledger/ledger-text.ts";
import type { ThinkingLevel } from "../message.ts";
import type { Model } from "../model.ts";
import type { Ports } from "../ports.ts";
import { textTokens } from "../reading/tokens/text-tokens.ts";
import type { ToolRoles } from "../reading/tools/tool-roles.ts";
import { touchedFiles } from "../reading/touched-files.ts";
import type { ModelName } from "../request.ts";
import type { Allowance, Call } from "../summary/asking/ask.ts";
import { type Evidence, evidenceOf } from "../summary/auditing/evidence.ts";
import type { Flaw } from "../summary/auditing/flaw.ts";
import { generateSummary, type SummaryFailure } from "../summary/generate-summary.ts";
import type { TellProgress } from "../summary/progress.ts";
import type { LeftBranch } from "./collect-entries.ts";
import { prepareBranchEntries } from "./prepare-entries.ts";

export interface BranchSummaryParts {
  /** In order of preference, each with its own window. */
  readonly models: readonly Model[];
  readonly ports: Pick<Ports, "sleep" | "nonce">;
  readonly left: Pick<LeftBranch, "entries" | "edits">;
  /** What was told of its beginning when it was left before, and the entries that came since. */
  readonly before?: { readonly story: string; readonly since: readonly Entry[] };
  readonly instructions?: string;
  readonly replaceInstructions?: boolean;
  /** Of the branch that is told, newest first; without it all of it, in parts where one question has no room. */
  readonly room?: number;
  /** Of story and ledger together. */
  readonly tokens: number;
  readonly thinking?: ThinkingLevel;
  readonly tools?: ToolRoles;
  /** What may be spent on it. */
  readonly allowance?: Allowance;
  /** Told what is being done, for whoever waits. */
  readonly progress?: TellProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type BranchSummarised =
  | {
      readonly type: "summarised";
      readonly told: ToldBranch;
      readonly by: ModelName;
      readonly mended: readonly Flaw[];
      readonly calls: readonly Call[];
    }
  | { readonly type: "failed"; readonly failures: readonly SummaryFailure[]; readonly calls: readonly Call[] }
  | { readonly type: "cancelled"; readonly calls: readonly Call[] };

/** What a branch summary holds. */
export interface ToldBranch {
  readonly summary: string;
  /** What a model or a hook wrote; the summary begins with it. */
  readonly story: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Has a left branch told by the first model that can, with what code knows of files, commands and errors behind it. */
export async function generateBranchSummary(parts: BranchSummaryParts): Promise<BranchSummarised> {
  const calls: Call[] = [];
  const failures: SummaryFailure[] = [];
  for (const model of parts.models) {
    const outcome = await generateSummary({ model, ...storyParts(parts) });
    calls.push(...outcome.calls);
    if (outcome.type === "cancelled") return { type: "cancelled", calls };
    if (outcome.type === "failed") {
      failures.push({ ...outcome.failure, note: `${model.provider}/${model.model}: ${outcome.failure.note}` });
      continue;
    }
    const { api, provider, model: name } = model;
    const told = toldBranch(outcome.story, parts);
    return { type: "summarised", told, by: { api, provider, model: name }, mended: outcome.mended, calls };
  }
  return { type: "failed", failures, calls };
}

// BR3: what tools gave is told as it is of a compaction; a summary on the way tells what lies before it.
function storyParts({ left, before, room = Number.POSITIVE_INFINITY, ...parts }: BranchSummaryParts) {
  const {
    ports,
    instructions = "",
    replaceInstructions = false,
    thinking = "off",
    signal,
    tokens,
    allowance,
    progress,
  } = parts;
  const { edits } = left;
  const carried = carriedBefore(left);
  return {
    ports,
    entries: prepareBranchEntries({ entries: before?.since ?? left.entries, edits }, { tokens: room }).entries,
    edits,
    previous: before?.story ?? [carriedNarrative(carried), carried.request].filter((text) => text !== "").join("\n\n"),
    isChecked: before !== undefined || carried.isChecked,
    format: "branch" as const,
    instructions,
    replaceInstructions,
    tokens: Math.floor(tokens * STORY),
    thinking,
    evidence: branchEvidence(left, before?.story),
    progress,
    signal,
    ...(allowance && { allowance }),
  };
}

// A compaction on the way tells what lies before it.
function carriedBefore({ entries: [first] }: Pick<LeftBranch, "entries">): CarriedFront {
  return first?.type === "compaction" ? carriedFront(first) : nothingBefore;
}

/** What such a story is held against: the branch, what was told of it before, and what a compaction on the way has kept. */
export function branchEvidence(left: Pick<LeftBranch, "entries" | "edits">, story?: string): Evidence {
  const carried = carriedBefore(left);
  const { id, words } = requestIn(isUsersRequest(carried.request) ? carried.request : "");
  const kept = carried.words.map(({ text }) => text).join("");
  return evidenceOf({
    covered: left.entries,
    edits: left.edits,
    previous: story ?? carriedNarrative(carried),
    isOurs: story !== undefined || carried.isChecked,
    words: words === "" ? kept : `${kept}\n[entry:${id}]\n${words}\n`,
    pins: [],
    ledger: "",
    request: null,
  });
}

/** The story, and behind it files, commands and errors as code knows them: no summariser need be believed for those. */
export function toldBranch(
  story: string,
  { left, tools, tokens }: Pick<BranchSummaryParts, "left" | "tools" | "tokens">,
): ToldBranch {
  const ledger = ledgerOf([...left.entries, ...left.edits], tools);
  const { read, modified } = touchedFiles(left.entries, tools);
  const text = ledgerText(ledger, { tokens: tokens - textTokens(story) });
  return {
    summary: text === "" ? story : `${story}\n\n${text}`,
    story,
    details: { readFiles: read, modifiedFiles: modified, pith: { ledger } },
  };
}

/** Of the room: what the story may have at most; the ledger has the rest. */
const STORY = 0.75;
