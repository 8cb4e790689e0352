/** Writes the first message of a new session: a model summarizes what the goal needs, Pith checks it and adds the files. */

import {
  type BranchSummaryOutcome,
  collectEntriesForBranchSummary,
  type Entry,
  generateBranchSummary,
  type OldBranch,
  type Session,
} from "@pith/context";
import { collectFileLists, removeCitations, type ToolRoles } from "@pith/context/host";
import { appendEntries } from "../append-entries.ts";
import type { RunContext } from "../run-context.ts";
import { HANDOFF_FILES, HANDOFF_MESSAGE, HANDOFF_PROMPT } from "./handoff-prompt.ts";

/** Whether a file of the workspace exists. */
export type FileExists = (path: string) => Promise<boolean>;

/** The result of a handoff to a new session. */
export type HandOffResult =
  | {
      readonly type: "written";
      /** The first message of the new session. */
      readonly message: string;
      readonly files: readonly string[];
      /** What the check of the summary repaired. */
      readonly repairs: readonly string[];
      /** In US dollars. */
      readonly cost: number;
    }
  /** The session has no messages to hand over. */
  | { readonly type: "nothing-to-do" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: string };

type HandOffContext = Pick<RunContext, "session" | "model" | "runtime" | "signal" | "getBudget">;

/** Appends only usage entries to this session, also if the hand-off fails. */
export async function handOff(goalText: string, run: HandOffContext, fileExists: FileExists): Promise<HandOffResult> {
  const { session } = run;
  await session.loadState();
  const goal = session.redact(goalText);
  const branch = await collectEntriesForBranchSummary(session.store, session.leaf, null);
  if (!branch.entries.some(isConversation)) return { type: "nothing-to-do" };
  const outcome = await summarizeForGoal(goal, branch, run);
  const cost = outcome.calls.reduce((sum, { usage }) => sum + usage.cost.total, 0);
  await recordUsage(outcome, session);
  if (outcome.type === "cancelled") return outcome;
  if (outcome.type === "failed") return { type: "failed", why: outcome.failures.map(({ note }) => note).join("; ") };
  const summary = removeEntryNumbers(outcome.summary.narrative);
  const { tools } = run.getBudget();
  const files = await findNeededFiles({ entries: branch.entries, tools, summary: `${goal}\n${summary}`, fileExists });
  const message = fillTemplate(HANDOFF_MESSAGE, { goal, story: summary, files: formatFiles(files) });
  return { type: "written", message, files, repairs: outcome.flaws.map(({ note }) => note), cost };
}

function isConversation(entry: Entry): boolean {
  return entry.type === "compaction" || (entry.type === "message" && entry.message.role !== "system");
}

/** The goal is added as a user message, so that the summary is also checked against it. */
function summarizeForGoal(goal: string, branch: OldBranch, run: HandOffContext): Promise<BranchSummaryOutcome> {
  const { entries, edits } = branch;
  const { model, runtime, signal } = run;
  const budget = run.getBudget();
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
    runtime,
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

/** Below the real ratio, because a longer summary is cut. */
const WORDS_PER_TOKEN = 0.4;

async function recordUsage({ calls }: BranchSummaryOutcome, session: Session): Promise<void> {
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

/** Entry numbers refer to this session; the new one does not have these entries. */
function removeEntryNumbers(summary: string): string {
  return removeCitations(summary).trim();
}

export interface NeededFilesOptions {
  /** The branch. Its compactions list the files of the entries they cover. */
  readonly entries: readonly Entry[];
  readonly tools: ToolRoles | undefined;
  readonly summary: string;
  readonly fileExists: FileExists;
}

/** Files that the summary mentions come first, then modified files. Files that no longer exist are left out. */
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

/** Whether the text has the whole path, not only as a part of a longer one. */
function isMentioned(path: string, text: string): boolean {
  for (let index = text.indexOf(path); index >= 0; index = text.indexOf(path, index + 1)) {
    const [before, after] = [text[index - 1] ?? " ", text[index + path.length] ?? " "];
    if (!/[\p{L}\p{N}_./-]/u.test(before) && !/[\p{L}\p{N}_/-]/u.test(after)) return true;
  }
  return false;
}

const MAX_FILES = 20;
/** In a long session, most files may be gone. */
const MAX_CANDIDATES = 200;

function formatFiles(files: readonly string[]): string {
  return files.length === 0 ? "" : fillTemplate(HANDOFF_FILES, { paths: files.map((path) => `- ${path}`).join("\n") });
}

function fillTemplate(text: string, slots: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) =>
    Object.hasOwn(slots, name) ? (slots[name] ?? slot) : slot,
  );
}
