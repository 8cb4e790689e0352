/** Tests session/handoff.ts: handoff, needed files. */

import { type Entry, MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { emptyUsage, type ScriptedReply, scriptedModel, story, testRuntime } from "@pith/context/testing";
import { describe, expect, test } from "vitest";
import { Agent, type HandOffResult } from "../../src/index.ts";
import { findNeededFiles } from "../../src/session/handoff.ts";

describe("handoff", () => {
  const storyLines = [
    "user: make the login faster, but never touch the schema",
    "calls: read path=src/login.ts; write path=src/cache.ts content=x",
    "result c1: code",
    "result c2: written",
    "says: there is a cache now",
  ];

  interface Scene {
    readonly agent: Agent;
    readonly requests: () => string;
    handOff(goal: string): Promise<HandOffResult>;
  }

  async function scene(lines: readonly string[], ...replies: readonly ScriptedReply[]): Promise<Scene> {
    const store = MemoryStore.create(nodeRuntime);
    for (const entry of story(...lines)) await store.append([entry], { expectedLeaf: await store.leaf() });
    const session = await Session.open(store, nodeRuntime);
    const model = scriptedModel(...replies);
    const agent = new Agent({ session, model, tools: [], runtime: nodeRuntime });
    const isThere = async (path: string): Promise<boolean> => path !== "gone.ts";
    return {
      agent,
      requests: () => JSON.stringify(model.requests),
      handOff: (goal) => agent.handOff(goal, isThere),
    };
  }

  const paid = { ...emptyUsage, output: 7, cost: { ...emptyUsage.cost, total: 0.5 } };

  function saying(text: string): ScriptedReply {
    return { content: [{ type: "text", text }], usage: paid };
  }

  test("COM28 the message starts with the goal verbatim, and ends with the needed files that exist", async () => {
    const { handOff, requests } = await scene(
      [...storyLines, "calls: write path=gone.ts content=x; read path=src/other.ts", "result c3: x", "result c4: y"],
      saying(
        "## Background\n- the cache lies in src/cache.ts, beside src/login.ts [#2]\n\n## First steps\n1. measure it",
      ),
    );
    const outcome = await handOff("measure the cache with bench/login.ts");
    expect(outcome).toEqual({
      type: "written",
      message: [
        "measure the cache with bench/login.ts",
        "",
        "This continues earlier work in a new session. What you need to know:",
        "",
        "## Background\n- the cache lies in src/cache.ts, beside src/login.ts\n\n## First steps\n1. measure it",
        "",
        "## Files\n- src/cache.ts\n- src/login.ts",
      ].join("\n"),
      files: ["src/cache.ts", "src/login.ts"],
      repairs: [],
      cost: 0.5,
    });
    expect(requests()).toContain("[User]: [#1] make the login faster");
    expect(requests()).toContain("measure the cache with bench/login.ts");
  });

  test("COM29 marks a line about the user that the log does not confirm; the goal counts as the user's words", async () => {
    const invented =
      '## Decided\n- The user said "drop the old tables" [#1]\n- The user wants bench/new.ts measured [#6]\n\n## First steps\n1. go on';
    const { handOff } = await scene(storyLines, saying(invented));
    const outcome = await handOff("I want bench/new.ts measured");
    expect(outcome).toMatchObject({
      type: "written",
      cost: 0.5,
      repairs: expect.arrayContaining([expect.stringContaining("drop the old tables")]),
    });
    const { message } = outcome as Extract<HandOffResult, { type: "written" }>;
    expect(message).toContain('- The user said "drop the old tables" (unconfirmed)\n');
    expect(message).toContain("The user wants bench/new.ts measured");
  });

  test("COM29 uses the compacted context", async () => {
    const { handOff, requests } = await scene(
      [...storyLines, "user: now the tests", "compacts: ## Goal\n- a faster login, keeps e6", "says: writing tests"],
      saying("## Background\n- tests are under way [#2]"),
    );
    expect(await handOff("finish the tests")).toMatchObject({ type: "written" });
    expect(requests()).toContain("a faster login");
    expect(requests()).not.toContain("there is a cache now");
  });

  test("COM30 appends only the usage to the old session, also after a failure", async () => {
    const { agent, handOff } = await scene(storyLines, saying("## Background\n- a cache [#5]"), {
      failure: { kind: "refused", message: "no credit" },
    });
    await handOff("go on");
    const entries: readonly Entry[] = agent.session.branch.entries;
    expect(entries.slice(5)).toMatchObject([{ type: "usage", kind: "handoff", provider: "anthropic", usage: paid }]);
    expect(await handOff("go on")).toMatchObject({ type: "failed", why: expect.stringContaining("no credit") });
    expect(agent.session.branch.entries).toHaveLength(6);
  });

  test("COM30 does nothing in a session without messages", async () => {
    const { handOff } = await scene(["model: anthropic/claude", "system: You work."]);
    expect(await handOff("go on")).toEqual({ type: "nothing-to-do" });
  });

  test("COM28 the request to the model has exactly the expected text", async () => {
    const store = MemoryStore.create(testRuntime());
    for (const entry of story(...storyLines)) await store.append([entry], { expectedLeaf: await store.leaf() });
    const session = await Session.open(store, testRuntime("g"));
    const model = scriptedModel(saying("## Background\n- a cache [#4]"));
    const agent = new Agent({ session, model, tools: [], runtime: testRuntime("g") });
    await agent.handOff("measure the cache", async () => true);
    const [request] = model.requests;
    const requestTexts = request?.messages.map((message) => JSON.stringify(message.content).replaceAll("\\n", "\n"));
    await expect(`${requestTexts?.join("\n")}\n`).toMatchFileSnapshot("request.txt");
  });
});

describe("needed files", () => {
  const there = async (): Promise<boolean> => true;

  test("COM32 lists mentioned files first, then modified ones, and does not match a part of a longer path", async () => {
    const entries = story(
      "calls: read path=a.ts; read path=b.ts; write path=c.ts content=x",
      "result c1: x",
      "result c2: x",
      "result c3: x",
    );
    const files = (text: string): Promise<readonly string[]> =>
      findNeededFiles({ entries, tools: undefined, summary: text, fileExists: there });
    expect(await files("see `a.ts`.")).toEqual(["a.ts", "c.ts"]);
    expect(await files("see lib/a.ts, a.tsx, ba.ts and b.ts")).toEqual(["b.ts", "c.ts"]);
    expect(await files("a.ts")).toEqual(["a.ts", "c.ts"]);
  });

  test("COM32 lists at most twenty files, and none that are missing", async () => {
    const calls = Array.from({ length: 60 }, (_, at) => `write path=f${at}.ts content=x`).join("; ");
    const results = Array.from({ length: 60 }, (_, at) => `result c${at + 1}: done`);
    const entries = story(`calls: ${calls}`, ...results);
    const isThere = async (path: string): Promise<boolean> => path.length === 6;
    const files = await findNeededFiles({ entries, tools: undefined, summary: "", fileExists: isThere });
    expect(files).toHaveLength(20);
    expect(files.every((path) => path.length === 6)).toBe(true);
  });
});
