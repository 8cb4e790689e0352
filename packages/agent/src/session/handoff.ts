/** Writes the first message of a new session: a model summarises what the goal needs, code checks it and adds the files. */

import {
  type BranchSummaryOutcome,
  collectEntriesForBranchSummary,
  type Entry,
  generateBranchSummary,
  type OldBranch,
} from "@pith/context";
import { collectFileLists, removeCitations, type ToolRoles } from "@pith/context/host";
import { appendEntries } from "../append-entries.ts";
import { createModelBudget, type RunContext } from "../loop/run-context.ts";
import { HANDOFF_FILES, HANDOFF_MESSAGE, HANDOFF_PROMPT } from "./handoff-prompt.ts";

/** Whether a file is there. */
export type FileExists = (path: string) => Promise<boolean>;

export interface NeededFilesOptions {
  /** The branch; a compaction on it knows of those before it. */
  readonly entries: readonly Entry[];
  readonly tools: ToolRoles | undefined;
  /** What the work was told to be. */
  readonly summary: string;
  readonly fileExists: FileExists;
}

/** Named ones first, then what was changed; no more than a new session can look at. */
export async function findNeededFiles({
  entries,
  tools,
  summary,
  fileExists,
}: NeededFilesOptions): Promise<readonly string[]> {
  const { read, modified } = collectFileLists(entries, tools);
  const mentioned = [...modified, ...read].filter((path) => isMentioned(path, summary));
  const candidates = [...new Set([...mentioned, ...modified])].slice(0, MAX_CANDIDATES);
  const existing: string[] = [];
  for (const path of candidates) {
    if (existing.length === MAX_FILES) break;
    if (await fileExists(path)) existing.push(path);
  }
  return existing;
}

/** As a whole, not as the end of another name. */
function isMentioned(path: string, text: string): boolean {
  for (let index = text.indexOf(path); index >= 0; index = text.indexOf(path, index + 1)) {
    const [before, after] = [text[index - 1] ?? " ", text[index + path.length] ?? " "];
    if (!/[\p{L}\p{N}_./-]/u.test(before) && !/[\p{L}\p{N}_/-]/u.test(after)) return true;
  }
  return false;
}

const MAX_FILES = 20;
/** Of a long session's files most may be gone. */
const MAX_CANDIDATES = 200;

export interface HandOffContext extends RunContext {
  readonly fileExists: FileExists;
}

export type HandOffResult =
  | {
      readonly type: "written";
      /** What to say first in the new session. */
      readonly message: string;
      readonly files: readonly string[];
      /** What code had to mend in it. */
      readonly repairs: readonly string[];
      /** Dollars. */
      readonly cost: number;
    }
  /** Nothing was said yet that could be handed over. */
  | { readonly type: "nothing-to-do" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: string };

/** What it costs stands in this session, whatever comes of it; nothing else is written here. */
export async function handOff(requestedGoal: string, run: HandOffContext): Promise<HandOffResult> {
  const { session, fileExists } = run;
  await session.loadState();
  const goal = session.redact(requestedGoal);
  const branch = await collectEntriesForBranchSummary(session.store, session.leaf, null);
  if (!branch.entries.some(isConversation)) return { type: "nothing-to-do" };
  const outcome = await summarizeForGoal(goal, branch, run);
  const cost = outcome.calls.reduce((sum, { usage }) => sum + usage.cost.total, 0);
  await recordUsage(outcome, run);
  if (outcome.type === "cancelled") return outcome;
  if (outcome.type === "failed") return { type: "failed", why: outcome.failures.map(({ note }) => note).join("; ") };
  const summary = removeEntryNumbers(outcome.summary.narrative);
  const { tools } = createModelBudget(run);
  const files = await findNeededFiles({ entries: branch.entries, tools, summary: `${goal}\n${summary}`, fileExists });
  const message = fillTemplate(HANDOFF_MESSAGE, { goal, story: summary, files: formatFiles(files) });
  return { type: "written", message, files, repairs: outcome.flaws.map(({ note }) => note), cost };
}

function isConversation(entry: Entry): boolean {
  return entry.type === "compaction" || (entry.type === "message" && entry.message.role !== "system");
}

/** The goal is the user's word like any other: what is made of it is held against it, too. */
function summarizeForGoal(
  goal: string,
  { entries, edits }: OldBranch,
  run: HandOffContext,
): Promise<BranchSummaryOutcome> {
  const { model, runtime, signal } = run;
  const budget = createModelBudget(run);
  const goalEntry: Entry = {
    type: "message",
    id: runtime.entryId(),
    parentId: entries.at(-1)?.id ?? null,
    timestamp: new Date(runtime.now()).toISOString(),
    number: (entries.at(-1)?.number ?? 0) + 1,
    message: { role: "user", content: [{ type: "text", text: goal }], timestamp: runtime.now() },
  };
  return generateBranchSummary({
    models: [model],
    runtime: runtime,
    oldBranch: { entries: [...entries, goalEntry], edits },
    instructions: fillTemplate(HANDOFF_PROMPT, {
      goal,
      words: String(Math.floor(budget.checkpoint * WORDS_PER_TOKEN)),
    }),
    replaceInstructions: true,
    tokens: budget.checkpoint,
    ...(budget.tools && { tools: budget.tools }),
    time: budget.limits.summaryTime,
    signal,
  });
}

/** With room for a few more, since what is longer than it may be is cut. */
const WORDS_PER_TOKEN = 0.4;

async function recordUsage({ calls }: BranchSummaryOutcome, { session }: HandOffContext): Promise<void> {
  if (calls.length === 0) return;
  const usages = calls.map(({ by: modelName, usage }) => ({
    type: "usage" as const,
    kind: "handoff",
    provider: modelName.provider,
    model: modelName.model,
    usage,
  }));
  await appendEntries(session, ...usages);
}

/** They name entries of this session, which the new one does not have. */
function removeEntryNumbers(summary: string): string {
  return removeCitations(summary).trim();
}

function formatFiles(files: readonly string[]): string {
  return files.length === 0 ? "" : fillTemplate(HANDOFF_FILES, { paths: files.map((path) => `- ${path}`).join("\n") });
}

function fillTemplate(text: string, slots: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) =>
    Object.hasOwn(slots, name) ? (slots[name] ?? slot) : slot,
  );
}
