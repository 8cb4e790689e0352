/** Runs random sessions with many user messages and any summarizer, and checks after each step that no message is left out without a word. */

import fc from "fast-check";
import { compactionLevels, createBudget } from "../../../src/compaction/budget.ts";
import type { CompactionPlan, Summarizer, SummaryCandidate } from "../../../src/compaction/plan.ts";
import { readReceipt } from "../../../src/compaction/receipt.ts";
import { collectPart } from "../../../src/compaction/summary-message.ts";
import { redoCompaction, undoCompaction } from "../../../src/compaction/undo.ts";
import { attachText } from "../../../src/context/attachments.ts";
import { buildSessionContext } from "../../../src/context/build-context.ts";
import { readSummaryPartTexts } from "../../../src/context/read-summary-parts.ts";
import { compact, prepareSummary } from "../../../src/default-compaction.ts";
import type { CompactionEntry, Entry } from "../../../src/entry.ts";
import type { UserMessage } from "../../../src/message.ts";
import { nodeRuntime } from "../../../src/node/runtime.ts";
import { MemoryStore } from "../../../src/session/memory-store.ts";
import { Session } from "../../../src/session/session.ts";
import { compactionLimits } from "../../../src/settings.ts";
import { splitSentences } from "../../../src/summary/carried-lines.ts";
import { userMessages } from "../../../src/summary-parts/user-messages.ts";
import { textTokens } from "../../../src/tokens/estimate-tokens.ts";
import { createSummaryText } from "../../support/summary-models.ts";

export type MessageStep =
  | { readonly type: "say"; readonly kind: MessageKind; readonly count: number }
  | CompactStep
  | { readonly type: "undo" | "redo" | "restart" }
  | { readonly type: "move"; readonly place: number };

interface CompactStep {
  readonly type: "compact";
  readonly contextWindow: number;
  readonly summarizer: SummarizerKind;
  readonly isPrepared: boolean;
  /** Each attempt after a refusal starts one compaction level lower. */
  readonly attempt: number;
}

const MESSAGE_KINDS = ["rule", "rules", "short", "long", "paste", "chinese"] as const;
type MessageKind = (typeof MESSAGE_KINDS)[number];
const SUMMARIZERS = ["honest", "lazy", "junk", "cites-all", "free-text", "none"] as const;
type SummarizerKind = (typeof SUMMARIZERS)[number];
const WINDOWS = [8_000, 8_000, 24_000, 24_000, 64_000, 200_000, 1_000_000];

const say = fc.record({
  type: fc.constant("say" as const),
  kind: fc.constantFrom(...MESSAGE_KINDS),
  count: fc.integer({ min: 1, max: 25 }),
});
const compactStep = fc.record({
  type: fc.constant("compact" as const),
  contextWindow: fc.constantFrom(...WINDOWS),
  summarizer: fc.constantFrom(...SUMMARIZERS),
  isPrepared: fc.boolean(),
  attempt: fc.constantFrom(0, 0, 0, 1, 2, 3),
});
const otherStep = fc.oneof(
  fc.record({ type: fc.constantFrom("undo" as const, "redo" as const, "restart" as const) }),
  fc.record({ type: fc.constant("move" as const), place: fc.nat() }),
);

/** Steps that mostly append messages and compact. */
export const messageSteps: fc.Arbitrary<readonly MessageStep[]> = fc.array(
  fc.oneof({ weight: 4, arbitrary: say }, { weight: 4, arbitrary: compactStep }, { weight: 1, arbitrary: otherStep }),
  { minLength: 4, maxLength: 24 },
);

/** Runs the steps; throws if a message is missing after one of them. */
export async function runMessageSession(steps: readonly MessageStep[]): Promise<void> {
  let [ids, time, count] = [0, 1.7e12, 0];
  const runtime = { ...nodeRuntime, now: () => (time += 1000), entryId: () => `id-${++ids}` };
  const store = MemoryStore.create(runtime);
  let session = await Session.open(store, runtime);
  for (const step of steps) {
    switch (step.type) {
      case "say":
        for (let index = 0; index < step.count; index++) await addTurn(session, step.kind, ++count);
        break;
      case "compact":
        await runCompactStep(session, step);
        break;
      case "undo":
        await checkUndo(session);
        break;
      case "redo":
        await redoCompaction(session);
        break;
      case "restart": {
        const before = contextJson(session);
        session = await Session.open(store, runtime);
        if (contextJson(session) !== before) throw new Error("KEEP15 a restart changed the context");
        break;
      }
      case "move": {
        const entries = await session.branchEntries();
        await session.move(entries[step.place % Math.max(1, entries.length)]?.id ?? null);
      }
    }
    await checkMessages(session);
  }
}

const contextJson = ({ branch }: Session): string => JSON.stringify(buildSessionContext(branch).messages);

async function checkUndo(session: Session): Promise<void> {
  const before = contextJson(session);
  if ((await undoCompaction(session)).type !== "undone") return;
  await checkMessages(session);
  await redoCompaction(session);
  if (contextJson(session) !== before) throw new Error("KEEP15 undo and redo changed the context");
}

async function addTurn(session: Session, kind: MessageKind, index: number): Promise<void> {
  const text = createMessageText(kind, index);
  const paste = attachText({ kind: "paste", name: `paste ${index}, 90 lines` }, `pasted ${index}\n`.repeat(90));
  const content: UserMessage["content"] = kind === "paste" ? [paste, { type: "text", text }] : text;
  await session.append({ type: "message", message: { role: "user", content, timestamp: 0 } });
  const reply = `Part ${index} is written. ${"It was checked twice and works. ".repeat(8)}Shall I go on?`;
  await session.append({
    type: "message",
    message: {
      ...{ role: "assistant", api: "a", provider: "p", model: "m", stopReason: "stop", timestamp: 0 },
      content: [{ type: "text", text: reply }],
      usage: {
        ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
    },
  });
}

function createMessageText(kind: MessageKind, index: number): string {
  const rule = `Module${index} must never read folder${index} without the approval of person${index}.`;
  switch (kind) {
    case "rule":
    case "paste":
      return `Please write part ${index} now. ${rule}`;
    case "rules":
      return `${rule} Its timeout is ${index} seconds. The name of its log file is module${index}.log everywhere.`;
    case "short":
      return index % 2 === 0 ? `yes, ${index}` : `${index}`;
    case "long":
      return `${rule} ${`The specification of module${index} says that it waits for all of its parts. `.repeat(40)}`;
    case "chinese":
      return `请写第 ${index} 部分。模块${index}的日期永远写成 2026-11-${10 + (index % 20)} 这种格式。`;
  }
}

/** Plans to keep little, so that a session of any size can be compacted. */
const limits = { ...compactionLimits, tail: { tokens: 300, share: 1 }, hourly: { calls: 1e6, cost: 1e6 } };

async function runCompactStep(session: Session, step: CompactStep): Promise<void> {
  const { contextWindow, isPrepared, attempt } = step;
  const budget = createBudget(limits, { contextWindow });
  const summarizers = step.summarizer === "none" ? [] : [createSummarizer(step.summarizer)];
  const reason = attempt > 0 ? ("overflow" as const) : ("asked" as const);
  const options = { session, budget, reason, attempt, runtime: session.runtime, summarizers };
  const preparation = isPrepared && summarizers.length > 0 ? await prepareSummary(options) : null;
  if (preparation) await addTurn(session, "rule", 100_000 + session.branch.entries.length);
  const prepared = preparation?.type === "prepared" ? { prepared: preparation.summary } : {};
  const outcome = await compact({ ...options, ...prepared });
  if (outcome.type === "compacted") checkBudget(newestCompaction(session), budget.userMessages);
}

function createSummarizer(kind: Exclude<SummarizerKind, "none">): Summarizer {
  return {
    name: "host",
    isPaid: false,
    summarize: (plan) => ({ type: "written", candidate: createCandidate(plan, kind) }),
  };
}

function createCandidate(plan: CompactionPlan, kind: Exclude<SummarizerKind, "none">): SummaryCandidate {
  const covers = new Set(plan.covered.map(({ id }) => id));
  return { route: "host", narrative: createNarrative(plan, kind), notes: "", covers };
}

function createNarrative(plan: CompactionPlan, kind: Exclude<SummarizerKind, "none">): string {
  const { leaving, messages } = collectPart(userMessages, plan);
  const write = (lines: readonly string[]): string =>
    createSummaryText({ "Constraints & Preferences": fitLines(lines, plan.checkpoint * 0.7) });
  const carry = ({ reference, text }: (typeof leaving)[number]): readonly string[] =>
    splitSentences(text).map((sentence) => `- ${sentence.trim()} [${reference}]`);
  switch (kind) {
    case "honest":
      return write([...previousLines(plan), ...leaving.flatMap(carry)]);
    case "lazy": {
      const isEven = (_: unknown, index: number): boolean => index % 2 === 0;
      return write([...previousLines(plan).filter(isEven), ...leaving.filter(isEven).flatMap(carry)]);
    }
    case "junk":
      return write(["- the work goes on"]);
    case "cites-all":
      return write(messages.map(({ reference }) => `- the work goes on [${reference}]`));
    case "free-text":
      return "We went on with the work.";
  }
}

function previousLines({ previous }: CompactionPlan): readonly string[] {
  return previous.narrative.split("\n").filter((line) => /^- .*\[#\d+/.test(line));
}

function fitLines(lines: readonly string[], maxTokens: number): readonly string[] {
  let tokens = 0;
  return lines.filter((line) => {
    tokens += textTokens(line) + 1;
    return tokens < maxTokens;
  });
}

const newestCompaction = ({ branch }: Session): CompactionEntry | undefined => {
  const entry = branch.entries[branch.compactionIndex];
  return entry?.type === "compaction" ? entry : undefined;
};

function checkBudget(compaction: CompactionEntry | undefined, userMessageTokens: number): void {
  if (!compaction) return;
  const level = compactionLevels.find(({ name }) => name === readReceipt(compaction)?.rung);
  const parts = readSummaryPartTexts(compaction).filter(({ part }) => ["words", "omitted"].includes(part.kind));
  const tokens = textTokens(parts.map(({ text }) => text).join(""));
  const budget = Math.floor(userMessageTokens * (level?.summaryShare ?? 1));
  if (tokens > budget * 1.02 + 5) throw new Error(`KEEP5 ${tokens} tokens of ${budget} at level ${level?.name}`);
}

/** KEEP15: every covered message is whole, shortened, carried over, a stub or counted. */
async function checkMessages(session: Session): Promise<void> {
  const compaction = newestCompaction(session);
  if (!compaction) return;
  const entries = await session.branchEntries();
  const firstKept = entries.findIndex(({ id }) => id === compaction.firstKeptEntryId);
  const covered = entries.slice(0, firstKept === -1 ? entries.indexOf(compaction) : firstKept);
  const texts = readShownTexts(compaction);
  const uncounted = covered.filter((entry) => isTyped(entry) && !isShown(entry, texts));
  const [, count = "0", first = "0", last = first] =
    /^Not shown and not carried over: (\d+) messages?, #(\d+)(?:–#(\d+))?;/m.exec(compaction.summary) ?? [];
  for (const { number = 0 } of uncounted)
    if (number < Number(first) || number > Number(last)) throw new Error(`KEEP15 #${number} is lost`);
  if (uncounted.length > Number(count))
    throw new Error(`KEEP15 ${uncounted.length} are not shown, ${count} are counted`);
}

function isTyped(entry: Entry): boolean {
  return entry.type === "message" && entry.message.role === "user";
}

interface ShownTexts {
  /** The text of each quoted message, by number. */
  readonly quotes: ReadonlyMap<number, string>;
  readonly omitted: string;
  readonly request: string;
  /** The numbers that unmarked lines cite. */
  readonly cited: ReadonlySet<number>;
}

function readShownTexts(compaction: CompactionEntry): ShownTexts {
  const parts = readSummaryPartTexts(compaction);
  const textOf = (kind: string): string =>
    parts.flatMap(({ part, text }) => (part.kind === kind ? [text] : [])).join("");
  const quotes = textOf("words").split(/^(?=\[#\d+\])/m);
  return {
    quotes: new Map(quotes.map((quote) => [Number(/^\[#(\d+)\]/.exec(quote)?.[1]), quote])),
    omitted: textOf("omitted"),
    request: textOf("request"),
    cited: new Set(
      findLines(textOf("story")).flatMap((line) => (line.match(/#\d+/g) ?? []).map((each) => Number(each.slice(1)))),
    ),
  };
}

function isShown(entry: Entry, { quotes, omitted, request, cited }: ShownTexts): boolean {
  const { number = 0 } = entry;
  if (request.includes(`[#${number}]`) || omitted.includes(`\n[#${number}] `)) return true;
  const quote = quotes.get(number);
  if (quote === undefined) return cited.has(number);
  if (quote.includes(`#${number} opens all of it`)) return true;
  return quote.includes(lastWords(entry)) || (quote.includes("[…]") && cited.has(number));
}

/** The unmarked lines under Constraints and Key Decisions. */
function findLines(story: string): readonly string[] {
  const sections = story.split(/^## /m).filter((section) => /^(?:Constraints|Key Decisions)/.test(section));
  return sections
    .flatMap((section) => section.split("\n"))
    .filter((line) => !/\((?:unconfirmed|not from the user)\)$/.test(line));
}

function lastWords(entry: Entry): string {
  const content = entry.type === "message" && entry.message.role === "user" ? entry.message.content : "";
  const text =
    typeof content === "string" ? content : content.map((block) => ("text" in block ? block.text : "")).join("");
  return text.trim().slice(-12);
}
