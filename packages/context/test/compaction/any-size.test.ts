/** Proves that a compaction ends in a context that fits, for any history in any window, or says why it cannot. */

import { describe, expect, test } from "vitest";
import { findBreaker } from "../../src/compaction/breaker.ts";
import { type Budget, createBudget } from "../../src/compaction/budget.ts";
import { compactionDue } from "../../src/compaction/should-compact.ts";
import { contextSize } from "../../src/context/context-size.ts";
import { compact } from "../../src/default-compaction.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { type NewEntry, Session } from "../../src/session/session.ts";
import { compactionLimits } from "../../src/settings.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { isLong } from "../support/test-length.ts";

const to = { api: "anthropic-messages", provider: "anthropic", model: "any" };
const windows = isLong ? [8_000, 16_000, 32_000, 128_000, 200_000, 1_000_000] : [8_000, 32_000, 200_000];
const sizes = [0.1, 0.5, 1, 2, 5, 20];

describe.each(windows)("CMP10 INV13 in a window of %i tokens", (contextWindow) => {
  const budget = createBudget(compactionLimits, { contextWindow, model: to });

  test.each(sizes)("a history of %d windows fits after at most one compaction", async (size) => {
    const session = await sessionWith(turns(contextWindow, size));
    const isTooMuch = contextSize(session.branch, budget).tokens > budget.limit;
    const outcome = await compact({ session, budget, reason: isTooMuch ? "due" : "asked", runtime: testRuntime("n") });
    if (isTooMuch) expect(outcome.type).toBe("compacted");
    expect(compactionDue(session.branch, budget)).toMatchObject({ type: "not-due", why: "fits" });
    if (outcome.type === "compacted") expect(lastRequestIsThere(session)).toBe(true);
  });

  // In the largest window each would be 17 MB of text, and one shows what all would.
  const kinds = contextWindow > 200_000 ? ["result"] : ["result", "paste", "call", "shell line", "reply"];
  test.each(kinds)("a single %s of five windows fits after a compaction", async (kind) => {
    const session = await sessionWith([...turns(contextWindow, 0.3), ...huge(kind, contextWindow * 5)]);
    const outcome = await compact({ session, budget, reason: "due", runtime: testRuntime("n") });
    expect(outcome.type).toBe("compacted");
    expect(compactionDue(session.branch, budget)).toMatchObject({ type: "not-due", why: "fits" });
  });
});

describe.each([0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2])("GUARD1 INV19 a prompt that takes %d of the window", (share) => {
  test.each([8_000, 32_000, 200_000])(
    "of %i tokens: the session stops after at most two useless compactions in a row",
    async (contextWindow) => {
      const budget = createBudget(compactionLimits, {
        contextWindow,
        model: to,
        fixed: Math.floor(contextWindow * share),
      });
      const { useless, stopped, paid } = await worked(120, budget);
      expect(useless).toBeLessThanOrEqual(2);
      if (share * contextWindow >= budget.limit) expect({ stopped, paid }).toEqual({ stopped: "fixed", paid: 0 });
    },
  );
});

/** So many steps of an agent that compacts whenever it is due, until the breaker opens; twenty fill the window. */
async function worked(steps: number, budget: Budget) {
  const session = await sessionWith([user("begin")]);
  const ports = testRuntime("n");
  let [useless, most, paid] = [0, 0, 0];
  const writer = {
    name: "paid",
    isPaid: true,
    summarize: () => {
      paid++;
      return { type: "failed" as const, why: "no" };
    },
  };
  for (let step = 0; step < steps; step++) {
    await session.append(...exchange("bash", { command: `step ${step}` }, text(budget.contextWindow / 40)));
    if (compactionDue(session.branch, budget).type !== "due") continue;
    const outcome = await compact({ session, budget, reason: "due", runtime: ports, summarizers: [writer] });
    if (outcome.type === "failed" && outcome.why === "cannot-fit") {
      expect(findBreaker(session.branch)).toEqual(outcome.breaker);
      expect(compactionDue(session.branch, budget)).toMatchObject({ type: "not-due", why: "breaker" });
      return { useless: most, stopped: outcome.breaker.fills, paid };
    }
    if (outcome.type !== "compacted") throw new Error(JSON.stringify(outcome));
    useless = outcome.receipt.withoutProgress > 0 ? useless + 1 : 0;
    most = Math.max(most, useless);
  }
  return { useless: most, stopped: null, paid };
}

async function sessionWith(drafts: readonly NewEntry[]): Promise<Session> {
  const ports = testRuntime();
  const session = await Session.open(MemoryStore.create(ports), ports);
  await session.append(...drafts);
  return session;
}

/** Turns of a coding agent: a request, four exchanges, an answer. */
function turns(contextWindow: number, size: number): readonly NewEntry[] {
  const part = contextWindow / 25;
  const count = Math.max(1, Math.round((size * contextWindow) / (part * 5.2)));
  return Array.from({ length: count }, (_, at) => [
    user(`request ${at}: ${text(part / 10)}`),
    ...[1, 2, 3, 4].flatMap((call) => exchange("bash", { command: `make part${at}-${call}` }, text(part))),
    reply(text(part)),
  ]).flat();
}

function huge(kind: string, tokens: number): readonly NewEntry[] {
  switch (kind) {
    case "result":
      return [user("look"), ...exchange("bash", { command: "cat all" }, text(tokens))];
    case "paste":
      return [user(text(tokens))];
    case "call":
      return [user("write"), ...exchange("write", { path: "all.txt", content: text(tokens) }, "ok")];
    case "shell line":
      return [
        {
          type: "message",
          message: {
            role: "bashExecution",
            command: "cat all",
            output: text(tokens),
            exitCode: 0,
            cancelled: false,
            truncated: false,
            timestamp: 1,
          },
        },
      ];
    default:
      return [user("tell"), reply(text(tokens))];
  }
}

let calls = 0;
function exchange(name: string, args: Readonly<Record<string, unknown>>, output: string): readonly NewEntry[] {
  const id = `call_${++calls}`;
  return [
    reply("", [{ type: "toolCall", id, name, arguments: args }]),
    {
      type: "message",
      message: {
        role: "toolResult",
        toolCallId: id,
        toolName: name,
        content: [{ type: "text", text: output }],
        isError: false,
        timestamp: 1,
      },
    },
  ];
}

type Reply = Extract<Extract<NewEntry, { type: "message" }>["message"], { role: "assistant" }>;

function reply(text: string, more: Reply["content"] = []): NewEntry {
  const content = [...(text ? [{ type: "text" as const, text: text }] : []), ...more];
  return {
    type: "message",
    message: {
      role: "assistant",
      ...to,
      content,
      usage: emptyUsage,
      stopReason: more.length > 0 ? "toolUse" : "stop",
      timestamp: 1,
    },
  };
}

function user(content: string): NewEntry {
  return { type: "message", message: { role: "user", content, timestamp: 1 } };
}

/** About so many tokens of output. */
function text(tokens: number): string {
  const line = "src/parts/thing.ts:42: expected one of 3 values, got undefined\n";
  return line.repeat(Math.ceil((tokens * 3.4) / line.length));
}

function lastRequestIsThere(session: Session): boolean {
  const typed = session.branch.entries.findLast((entry) => entry.type === "message" && entry.message.role === "user");
  const compaction = session.branch.entries[session.branch.compactionIndex];
  return typed !== undefined || (compaction?.type === "compaction" && compaction.summary.includes("request "));
}
