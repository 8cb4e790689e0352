/** Writes the first message of a new session: a model summarises what the goal needs, code checks it and adds the files. */

import {
  type BranchSummaryOutcome,
  collectEntriesForBranchSummary,
  type Entry,
  generateBranchSummary,
  type OldBranch,
} from "@pith/context";
import { collectFileLists, removeCitations, type ToolRoles } from "@pith/context/host";
import { appended } from "../append.ts";
import { budgetOf, type RunParts } from "../loop/run-context.ts";
import { FILES, MESSAGE, TASK } from "./handoff-prompt.ts";

/** Whether a file is there. */
export type IsThere = (path: string) => Promise<boolean>;

export interface NeededFiles {
  /** The branch; a compaction on it knows of those before it. */
  readonly entries: readonly Entry[];
  readonly tools: ToolRoles | undefined;
  /** What the work was told to be. */
  readonly story: string;
  readonly isThere: IsThere;
}

/** Named ones first, then what was changed; no more than a new session can look at. */
export async function neededFiles({ entries, tools, story, isThere }: NeededFiles): Promise<readonly string[]> {
  const { read, modified } = collectFileLists(entries, tools);
  const named = [...modified, ...read].filter((path) => isNamed(path, story));
  const wanted = [...new Set([...named, ...modified])].slice(0, MOST_TRIED);
  const found: string[] = [];
  for (const path of wanted) {
    if (found.length === MOST) break;
    if (await isThere(path)) found.push(path);
  }
  return found;
}

/** As a whole, not as the end of another name. */
function isNamed(path: string, story: string): boolean {
  for (let at = story.indexOf(path); at >= 0; at = story.indexOf(path, at + 1)) {
    const [before, after] = [story[at - 1] ?? " ", story[at + path.length] ?? " "];
    if (!/[\p{L}\p{N}_./-]/u.test(before) && !/[\p{L}\p{N}_/-]/u.test(after)) return true;
  }
  return false;
}

const MOST = 20;
/** Of a long session's files most may be gone. */
const MOST_TRIED = 200;

export interface HandOffParts extends RunParts {
  readonly isThere: IsThere;
}

export type HandedOff =
  | {
      readonly type: "written";
      /** What to say first in the new session. */
      readonly message: string;
      readonly files: readonly string[];
      /** What code had to mend in it. */
      readonly mended: readonly string[];
      /** Dollars. */
      readonly cost: number;
    }
  /** Nothing was said yet that could be handed over. */
  | { readonly type: "nothing-to-do" }
  | { readonly type: "cancelled" }
  | { readonly type: "failed"; readonly why: string };

/** What it costs stands in this session, whatever comes of it; nothing else is written here. */
export async function handOff(wish: string, parts: HandOffParts): Promise<HandedOff> {
  const { session, isThere } = parts;
  await session.loadState();
  const goal = session.redact(wish);
  const left = await collectEntriesForBranchSummary(session.store, session.leaf, null);
  if (!left.entries.some(isWork)) return { type: "nothing-to-do" };
  const told = await toldFor(goal, left, parts);
  const cost = told.calls.reduce((sum, { usage }) => sum + usage.cost.total, 0);
  await pay(told, parts);
  if (told.type === "cancelled") return told;
  if (told.type === "failed") return { type: "failed", why: told.failures.map(({ note }) => note).join("; ") };
  const story = withoutNumbers(told.summary.narrative);
  const { tools } = budgetOf(parts);
  const files = await neededFiles({ entries: left.entries, tools, story: `${goal}\n${story}`, isThere });
  const message = filled(MESSAGE, { goal, story, files: filesText(files) });
  return { type: "written", message, files, mended: told.flaws.map(({ note }) => note), cost };
}

function isWork(entry: Entry): boolean {
  return entry.type === "compaction" || (entry.type === "message" && entry.message.role !== "system");
}

/** The goal is the user's word like any other: what is made of it is held against it, too. */
function toldFor(goal: string, { entries, edits }: OldBranch, parts: HandOffParts): Promise<BranchSummaryOutcome> {
  const { model, ports, signal } = parts;
  const budget = budgetOf(parts);
  const said: Entry = {
    type: "message",
    id: ports.entryId(),
    parentId: entries.at(-1)?.id ?? null,
    timestamp: new Date(ports.now()).toISOString(),
    number: (entries.at(-1)?.number ?? 0) + 1,
    message: { role: "user", content: [{ type: "text", text: goal }], timestamp: ports.now() },
  };
  return generateBranchSummary({
    models: [model],
    runtime: ports,
    oldBranch: { entries: [...entries, said], edits },
    instructions: filled(TASK, { goal, words: String(Math.floor(budget.checkpoint * WORDS_PER_TOKEN)) }),
    replaceInstructions: true,
    tokens: budget.checkpoint,
    ...(budget.tools && { tools: budget.tools }),
    time: budget.limits.summaryTime,
    signal,
  });
}

/** With room for a few more, since what is longer than it may be is cut. */
const WORDS_PER_TOKEN = 0.4;

async function pay({ calls }: BranchSummaryOutcome, { session }: HandOffParts): Promise<void> {
  if (calls.length === 0) return;
  const usages = calls.map(({ by, usage }) => ({
    type: "usage" as const,
    kind: "handoff",
    provider: by.provider,
    model: by.model,
    usage,
  }));
  await appended(session, ...usages);
}

/** They name entries of this session, which the new one does not have. */
function withoutNumbers(story: string): string {
  return removeCitations(story).trim();
}

function filesText(files: readonly string[]): string {
  return files.length === 0 ? "" : filled(FILES, { paths: files.map((path) => `- ${path}`).join("\n") });
}

function filled(text: string, slots: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (slot, name: string) =>
    Object.hasOwn(slots, name) ? (slots[name] ?? slot) : slot,
  );
}
