/** Tests random sessions of an agent at a scripted server that prepares summaries in the background: no stale summary is used, and no entry is lost. */

import {
  type CompactionEntry,
  compactionLimits,
  type Entry,
  MemoryStore,
  type Model,
  modelSummarizer,
  pinText,
  type Receipt,
  readReceipt,
  Session,
} from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { type ScriptRequest, startServer, type TestServer } from "@pith/testkit";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { Agent } from "../../src/index.ts";
import { modelOf, ran } from "../support/served-agents.ts";

const SECTIONS = [
  "## Goal\n- build the observatory",
  "## Constraints & Preferences\n- (none)",
  "## Progress\n### Done\n- [x] the dome turns\n\n### In Progress\n- [ ] the lens\n\n### Blocked\n- (none)",
  "## Key Decisions\n- (none)",
  "## Next Steps\n1. grind the lens",
  "## Critical Context\n- (none)",
  "## Original Request\n- build it",
  "## Early Progress\n- (none)",
  "## Context for Suffix\n- (none)",
];

function writeSummary({ text }: ScriptRequest): string {
  return SECTIONS.filter((section) => text.includes(section.split("\n")[0] ?? "")).join("\n\n");
}

/** About 900 tokens. */
const STONES = "Build the observatory, stone by stone. ".repeat(110);
const WINDOW = 20_000;
const LIMIT = 15_000;
const SOFT_LIMIT = 12_000;
const MAX_ROUNDS = 25;
const RUNS = isLong ? 30 : 8;

let server: TestServer;
let model: Model;
let summarizer: Model;
beforeAll(async () => {
  server = await startServer({
    script: (request) =>
      request.model === "summarizer"
        ? { parts: [{ type: "text", text: writeSummary(request) }], pace: { waitMs: 40 } }
        : "Good.",
  });
  const open = (name: string): Promise<Model> =>
    modelOf({ provider: "anthropic", model: name, path: "/v1" }, server, WINDOW);
  [model, summarizer] = [await open("claude-sonnet-4-5"), await open("summarizer")];
});
afterAll(() => server.close());

const actions = [
  "append",
  "fill to a summary",
  "fill to a compaction",
  "move",
  "abort",
  "change model",
  "compact",
  "edit",
  "pin",
  "undo",
  "crash",
] as const;
type Action = (typeof actions)[number];

class RandomPreparation {
  readonly #store: Store = Object.assign(MemoryStore.create(nodeRuntime), { preparedSummary: this.#keepText() });
  readonly used: string[] = [];
  readonly #written = new Map<string, Entry>();
  #agent: Agent | null = null;
  #session: Session | null = null;
  /** The entries written since the last preparation started, and whether the model changed since. */
  #since: Entry[] = [];
  #isModelChanged = false;
  /** Whether nothing has run since a crash. A saved summary is read only then, so setting the model it was written for drops nothing. */
  #isJustRestarted = false;
  #turnsAboveLimit = 0;
  /** Whether the context may exceed the limit: a compaction was undone, or the branch was changed to a longer one. */
  #hasUndone = false;
  /** Resolves when the preparation ends that has started. */
  #preparation = Promise.withResolvers<void>();
  /** The entries that the summarizer could see. */
  #snapshot: ReadonlySet<string> = new Set();

  get #open(): { readonly agent: Agent; readonly session: Session } {
    if (!this.#agent || !this.#session) throw new Error("not open");
    return { agent: this.#agent, session: this.#session };
  }

  async start(): Promise<void> {
    const session = await Session.open(this.#store, nodeRuntime);
    this.#session = session;
    this.#preparation.resolve();
    session.watch((entries) => {
      for (const entry of entries) {
        if (entry.type === "compaction" && readReceipt(entry)?.preparedMs !== undefined) this.#checkUse(entry, session);
        this.#since.push(entry);
        this.#written.set(entry.id, entry);
      }
    });
    this.#agent = new Agent({
      session,
      model,
      tools: [],
      runtime: nodeRuntime,
      thinkingLevel: "off",
      summarizers: [modelSummarizer(summarizer, { runtime: nodeRuntime })],
      limits: { ...compactionLimits, prepare: "during-runs" },
      onEvent: (event) => {
        if (event.type !== "compaction_preparation") return;
        if (event.state !== "started") return this.#preparation.resolve();
        this.#preparation = Promise.withResolvers();
        this.#since = [];
        this.#isModelChanged = false;
        this.#snapshot = new Set(session.branch.entries.map(({ id }) => id));
      },
    });
  }

  async act(action: Action, choice: number): Promise<void> {
    const { agent, session } = this.#open;
    const { entries, compactionIndex } = session.branch;
    if (action !== "change model") this.#isJustRestarted = false;
    const messages = entries.filter((entry) => entry.type === "message" && entry.message.role === "user");
    const chosen = messages[choice % Math.max(1, messages.length)];
    switch (action) {
      case "append":
        await this.#append();
        break;
      case "fill to a summary":
        for (let at = 0; at < MAX_ROUNDS && !this.#open.agent.isSummaryReady; at++) {
          if (agent.contextUsage().tokens < SOFT_LIMIT) await this.#append();
          else await ran(agent, "Go on.");
          await this.#preparation.promise;
        }
        break;
      case "fill to a compaction":
        for (let at = 0; at < MAX_ROUNDS && session.branch.compactionIndex === compactionIndex; at++)
          await this.#append();
        break;
      case "move":
        await agent.navigateTree(chosen?.id ?? null);
        this.#hasUndone = true;
        break;
      case "abort": {
        const run = ran(agent, "Go on.");
        await agent.abort();
        await run;
        break;
      }
      case "change model":
        await agent.setModel(model);
        this.#isModelChanged ||= !this.#isJustRestarted;
        break;
      case "compact":
        await agent.compact();
        break;
      case "edit":
        if (chosen)
          await agent.appendToSession((open) =>
            open.append({ type: "context_edit", targetId: chosen.id, replacement: null }),
          );
        break;
      case "pin":
        await agent.appendToSession((open) => pinText(open, `pin ${choice}`));
        break;
      case "undo":
        await agent.undoCompaction();
        this.#hasUndone = true;
        break;
      case "crash":
        // Nothing is closed: what exists only in memory is lost. A saved summary is used again.
        await agent.abort();
        await this.start();
        this.#isJustRestarted = true;
    }
  }

  #keepText(): Required<Store>["preparedSummary"] {
    let saved: string | null = null;
    return {
      read: async () => saved,
      write: async (text) => {
        saved = text;
      },
      remove: async () => {
        saved = null;
      },
    };
  }

  async #append(): Promise<void> {
    const { agent } = this.#open;
    expect((await ran(agent, STONES)).end.type).toBe("done");
    // After an undo above the limit, one more turn passes before the next compaction. By how much it exceeds the limit depends on the turns undone.
    this.#turnsAboveLimit = agent.contextUsage().tokens > LIMIT ? this.#turnsAboveLimit + 1 : 0;
    expect(this.#turnsAboveLimit).toBeLessThanOrEqual(this.#hasUndone ? 1 : 0);
    if (this.#turnsAboveLimit === 0) this.#hasUndone = false;
  }

  /** The laws of a prepared summary, from the entries alone. */
  #checkUse(compaction: CompactionEntry, session: Session): void {
    const { covered } = readReceipt(compaction) as Receipt;
    const between = this.#since;
    expect(this.#isModelChanged).toBe(false);
    expect(between.filter(({ type }) => type === "compaction" || type === "branch_summary")).toEqual([]);
    const coveredIds = new Set<string>();
    const path: Entry[] = [];
    let entry = this.#written.get(compaction.parentId ?? "");
    for (; entry; entry = this.#written.get(entry.parentId ?? "")) path.unshift(entry);
    const last = path.findIndex(({ id }) => id === covered.last);
    expect(last).toBeGreaterThanOrEqual(0);
    // No hole: the first kept entry follows the last covered one.
    expect(path[last + 1]?.id ?? compaction.id).toBe(compaction.firstKeptEntryId);
    for (const each of path.slice(0, last + 1)) coveredIds.add(each.id);
    const first = path.findIndex(({ id }) => id === covered.first);
    const previous = path.findLast((each): each is CompactionEntry => each.type === "compaction");
    expect(path[first]?.id).toBe(previous ? previous.firstKeptEntryId : path[0]?.id);
    expect(path.slice(first, last + 1).filter(({ id }) => !this.#snapshot.has(id))).toEqual([]);
    const edits = between.filter((each) => each.type === "context_edit" && coveredIds.has(each.targetId));
    expect(edits).toEqual([]);
    for (const { text } of session.branch.state.pins) expect(compaction.summary).toContain(text);
    this.used.push(compaction.id);
  }

  async end(): Promise<void> {
    await this.#agent?.close();
  }
}

/** The model is set again before the saved summary is read, which therefore still applies. */
const RESTARTED_WITH_SAME_MODEL: readonly (readonly [Action, number])[] = [
  ["fill to a summary", 0],
  ["crash", 0],
  ["change model", 0],
  ["fill to a compaction", 0],
];

test("PREP2 PREP4 in any random session a prepared summary is used only while it applies, and every entry is summarized or kept", async () => {
  let used = 0;
  // Between a summary that is ready and the compaction that would use it, anything may happen.
  const anything = fc.array(fc.tuple(fc.constantFrom(...actions), fc.nat(200)), { minLength: 1, maxLength: 2 });
  const block = anything.map((steps): readonly (readonly [Action, number])[] => [
    ["fill to a summary", 0],
    ...steps,
    ["fill to a compaction", 0],
  ]);
  await fc.assert(
    fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 2 }), async (blocks) => {
      const run = new RandomPreparation();
      await run.start();
      for (const [action, choice] of blocks.flat()) await run.act(action, choice);
      await run.end();
      used += run.used.length;
    }),
    { numRuns: RUNS, endOnFailure: true, examples: [[[RESTARTED_WITH_SAME_MODEL]]] },
  );
  expect(used).toBeGreaterThan(RUNS / 4);
});
