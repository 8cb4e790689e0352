/** Tests slow, silent and broken summarizers over HTTP with the provider packages: timeouts, and what is kept. */

import { type CompactionEntry, type Entry, type Model, modelSummarizer, type Runtime } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { openModel } from "@pith/models";
import { type ScriptRequest, type Step, startServer, type TestServer } from "@pith/testkit";
import { afterEach, describe, expect, test } from "vitest";
import type { Agent, AgentEvent } from "../../src/index.ts";
import { agentOf, ran } from "../support/served-agents.ts";

const STORY = [
  "## Goal\n- build the observatory",
  "## Constraints & Preferences\n- (none)",
  `## Progress\n### Done\n- [x] the dome turns, ${"slowly ".repeat(40).trim()}\n\n### In Progress\n- [ ] the lens\n\n### Blocked\n- (none)`,
  "## Key Decisions\n- (none)",
  "## Next Steps\n1. grind the lens",
  "## Critical Context\n- (none)",
].join("\n\n");

const TURN = ["## Original Request\n- build it", "## Early Progress\n- (none)", "## Context for Suffix\n- (none)"].join(
  "\n\n",
);

/** A good summary with the required sections. */
function summary({ text }: ScriptRequest): string {
  const sections = [text.includes("## Goal") ? STORY : "", text.includes("## Original Request") ? TURN : ""];
  return sections.filter((each) => each !== "").join("\n\n");
}

const reply = { parts: [{ type: "text", text: STORY }] } as const;
const silent: Step = { ...reply, breaks: { how: "stall" } };
const trickling: Step = { parts: [{ type: "text", text: "word ".repeat(20_000) }], pace: { everyMs: 5, chunk: 4 } };

const MINUTE = 60_000;
let scene: Scene | undefined;

afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

describe("SUM13 SUM8 a summarizer that", () => {
  const ways: readonly (readonly [string, Step, number])[] = [
    ["does not answer", silent, 2],
    ["sends headers and no more", { ...reply, breaks: { how: "stall", after: 0 } }, 2],
    ["falls silent in the middle", { ...reply, breaks: { how: "stall", after: 4 } }, 2],
    ["is cut off", { ...reply, breaks: { how: "cut", after: 4 } }, 2],
    ["sends a few letters now and then", trickling, 1],
  ];

  test.each(ways)("%s: is retried at most once, and the next summarizer is used", async (_, step, requests) => {
    scene = await compactedOnce({ first: () => step, second: summary });
    const { compaction, minutes } = await scene.compactAgain();
    expect(scene.requestsTo("first")).toBe(requests);
    expect(compaction.details).toMatchObject({ pith: { receipt: { by: "anthropic/second" } } });
    expect(minutes).toBeLessThan(30);
  });

  test.each(ways)(
    "CMP11 %s and is the only one: is replaced by a summary without a model, which keeps the previous summary",
    async (_, step) => {
      scene = await compactedOnce({ first: () => step });
      const { compaction, minutes } = await scene.compactAgain();
      expect(scene.requestsTo("first")).toBe(2);
      expect(compaction.details).toMatchObject({ pith: { receipt: { by: null, route: "model-free" } } });
      expect(minutes).toBeLessThan(32);
      expect(compaction.summary).toContain(scene.story);
      expect((await ran(scene.agent, "What is next?")).end.type).toBe("done");
      expect(JSON.stringify(scene.server.requests.at(-1)?.body)).toContain(JSON.stringify(scene.story).slice(1, -1));
    },
  );

  test("starts to reply after minutes is awaited", async () => {
    // The answer is sent in the scene's sixth minute, which is then its last: a busy machine cannot make it late.
    scene = await compactedOnce({
      first: async (request) => {
        await scene?.at(6, () => scene?.stopClock());
        return summary(request);
      },
    });
    const { compaction } = await scene.compactAgain();
    expect(scene.requestsTo("first")).toBe(1);
    expect(compaction.details).toMatchObject({ pith: { receipt: { by: "anthropic/first" } } });
    const waits = scene.events.flatMap((event) =>
      "step" in event && event.step === "awaiting-first-token" ? [event.elapsedMs / MINUTE] : [],
    );
    expect(waits.slice(0, 5)).toEqual([1, 2, 3, 4, 5]);
  });
});

test("SUM13 after thirty minutes no request is sent any more, and the summary is built without a model", async () => {
  scene = await compactedOnce({ first: () => silent, second: () => silent, third: summary });
  const { compaction, minutes } = await scene.compactAgain();
  expect(["first", "second", "third"].map(scene.requestsTo)).toEqual([2, 1, 0]);
  expect(minutes).toBeGreaterThanOrEqual(29.9);
  expect(minutes).toBeLessThan(32);
  const { receipt } = (compaction.details as { pith: { receipt: { route: string; findings: { note: string }[] } } })
    .pith;
  expect(receipt.route).toBe("model-free");
  expect(receipt.findings.slice(0, 3).map(({ note }) => note)).toEqual([
    expect.stringContaining("anthropic/first: no token arrived within 10 min"),
    expect.stringContaining("anthropic/second: the limit of 30 min for one summary was exceeded"),
    expect.stringContaining("anthropic/third was not used: the limit of 30 min for one summary was exceeded"),
  ]);
});

describe("SUM13 CMP3 CMP13 Esc ends the compaction at once, and logs only the cost of the stopped replies,", () => {
  test.each<[string, Step, number, number, string[]]>([
    ["during the wait for the first token", silent, 5, 1, []],
    ["during a slow reply", trickling, 5, 1, ["usage"]],
    ["during the wait of the retry", silent, 15, 2, []],
    ["during a slow reply to the retry", trickling, 20, 2, ["usage", "usage"]],
  ])("%s", async (_, step, minute, requests, added) => {
    scene = await compactedOnce({ first: () => step });
    const { agent, entries } = scene;
    const before = entries().length;
    const stopped = scene.at(minute, () => agent.abort());
    expect(await agent.compact()).toEqual({ type: "cancelled" });
    await stopped;
    expect(scene.requestsTo("first")).toBe(requests);
    expect(
      entries()
        .slice(before)
        .map(({ type }) => type),
    ).toEqual(added);
    expect((await ran(agent, "What is next?")).end.type).toBe("done");
  });
});

interface Scene {
  readonly agent: Agent;
  readonly server: TestServer;
  readonly events: readonly AgentEvent[];
  /** What a model wrote at the first compaction. */
  readonly story: string;
  readonly entries: () => readonly Entry[];
  readonly requestsTo: (model: string) => number;
  readonly compactAgain: () => Promise<{ readonly compaction: CompactionEntry; readonly minutes: number }>;
  /** Acts at this minute from now. */
  readonly at: (minute: number, act: () => unknown) => Promise<void>;
  readonly stopClock: () => void;
  readonly close: () => Promise<void>;
}

/** A session that was compacted once, and has as much to compact again. Each summarizer is a model of its own at one server. */
async function compactedOnce(
  summarizers: Readonly<Record<string, (request: ScriptRequest) => Step | Promise<Step>>>,
): Promise<Scene> {
  const events: AgentEvent[] = [];
  const clock = sceneClock();
  let isFirst = true;
  const server = await startServer({
    script: (request) => {
      const summarizer = summarizers[request.model];
      if (summarizer) return isFirst ? summary(request) : summarizer(request);
      return "Good.";
    },
  });
  const ports = { ...nodeRuntime, sleep: clock.sleep };
  const open = (name: string): Promise<Model> => opened(name, server, ports);
  const writers = await Promise.all(
    Object.keys(summarizers).map(async (name) => modelSummarizer(await open(name), { runtime: ports })),
  );
  const listen = (event: AgentEvent): void => void events.push(event);
  const agent = await agentOf(await open("claude-sonnet-4-5"), {
    runtime: ports,
    summarizers: writers,
    onEvent: listen,
  });
  const work = async (): Promise<void> => {
    for (let at = 0; at < 3; at++) await ran(agent, `${at} ${"Build the observatory, stone by stone. ".repeat(1_400)}`);
  };
  const entries = (): readonly Entry[] => agent.session.branch.entries;
  const newest = (): CompactionEntry => entries().findLast((entry) => entry.type === "compaction") as CompactionEntry;
  await work();
  await agent.compact();
  const [, story = ""] = newest().summary.split(/^# Summary .*\n|\n\n# Earlier entries$/m);
  expect(story).toContain("## Critical Context");
  await work();
  isFirst = false;
  const served = server.requests.length;
  clock.start();
  return {
    agent,
    server,
    events,
    story,
    entries,
    requestsTo: (model) => server.requests.slice(served).filter((each) => each.model === model).length,
    compactAgain: async () => {
      const begun = clock.now();
      const outcome = await agent.compact();
      expect(outcome.type).toBe("compacted");
      return { compaction: newest(), minutes: (clock.now() - begun) / MINUTE };
    },
    at: (minute, act) => clock.sleep(minute * MINUTE, {}).then(() => void act()),
    stopClock: clock.stop,
    close: async () => {
      clock.stop();
      await server.close();
    },
  };
}

async function opened(model: string, server: TestServer, ports: Runtime): Promise<Model> {
  const modelOptions = {
    provider: "anthropic",
    model,
    baseUrl: `${server.url}/v1`,
    apiKey: "any",
    contextWindow: 100_000,
  };
  // With the usual retries, which must not multiply those of a summary.
  const found = await openModel(modelOptions, { environment: {}, runtime: ports });
  if (found.type !== "opened") throw new Error(found.message);
  return found.model;
}

/** Three seconds pass in five milliseconds; in a busy process fewer, never more. Moments, in which others end their work, take longer. */
function sceneClock() {
  let time = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  let sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  const tick = (): void => {
    time += 3_000;
    for (const { until, wake } of sleepers) if (until <= time) wake();
  };
  const sleep: Runtime["sleep"] = (ms, act) => (ms <= 200 ? nodeRuntime.sleep(ms * 20, act) : asleep(ms, act));
  const asleep: Runtime["sleep"] = (ms, { signal }) =>
    new Promise((resolve) => {
      const sleeper = { until: time + ms, wake: () => wake() };
      const wake = (): void => {
        sleepers = sleepers.filter((each) => each !== sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      if (signal?.aborted) return resolve();
      signal?.addEventListener("abort", wake, { once: true });
      sleepers.push(sleeper);
    });
  return {
    sleep,
    now: () => time,
    start: () => {
      timer = setInterval(tick, 5);
    },
    stop: () => clearInterval(timer),
  };
}
