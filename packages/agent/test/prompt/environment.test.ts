/** Tests the entry with working folder, date and git branch: appended when they change, or when a compaction covers it. */

import { buildSessionContext, type Entry, MemoryStore, type Request, Session } from "@pith/context";
import { scriptedModel, testRuntime } from "@pith/context/testing";
import { describe, expect, test } from "vitest";
import type { AgentOptions } from "../../src/index.ts";
import { createScene, type Scene, workCall } from "../hooks/hook-scene.ts";
import {
  calls,
  createTestAgent,
  heldModel,
  heldTool,
  heldWriter,
  quiet,
  type TestAgent,
  text,
  tooLong,
} from "../support/held-agent.ts";
import { github, secretsFor } from "../support/secrets.ts";

const DAY = Date.UTC(2026, 10, 16);
const LONG = "This is what it is about. ".repeat(2_000);

function contentsOf(entries: readonly Entry[]): readonly unknown[] {
  return entries.flatMap((entry) =>
    entry.type === "custom_message" && entry.customType === "pith.surroundings" ? [entry.content] : [],
  );
}

const stated = async ({ agent }: Pick<TestAgent, "agent">): Promise<readonly unknown[]> =>
  contentsOf(await agent.session.branchEntries());

function timesIn(value: unknown, words: string): number {
  return JSON.stringify(value ?? null).split(words).length - 1;
}

interface Held extends TestAgent {
  readonly model: ReturnType<typeof heldModel>;
  readonly tool: ReturnType<typeof heldTool>;
  readonly writer: ReturnType<typeof heldWriter>;
}

/** In the middle of a run: the tool of a call is still running. */
async function midRun(parts: Partial<AgentOptions>): Promise<Held> {
  const [model, tool, writer] = [heldModel(), heldTool("work"), heldWriter()];
  const test = await createTestAgent(model, { tools: [tool], summarizers: [writer], ...parts });
  for (const reply of [LONG, LONG]) {
    const end = test.prompt("go on");
    await quiet();
    model.waiting[0]?.end(text(reply));
    await end;
  }
  void test.prompt("now work");
  await quiet();
  model.waiting[0]?.end(calls("work", "c1"));
  await quiet();
  return { ...test, model, tool, writer };
}

async function compactMidRun({ agent, tool, writer }: Held): Promise<void> {
  const compacted = agent.compact();
  tool.waiting[0]?.end("done");
  await quiet();
  writer.waiting[0]?.end("tells");
  expect((await compacted).type).toBe("compacted");
  await quiet();
}

describe("the environment after a compaction", () => {
  const beginning = { folder: "/home/ada/shop", readGitBranch: () => "main" };
  const content = "The working folder is /home/ada/shop. Today is 2026-01-01. The git branch is main.";

  test("ENV1 in the middle of a run is sent once, after the kept tail", async () => {
    const scene = await midRun({ systemPrompt: beginning });
    await compactMidRun(scene);
    const request = scene.model.requests.at(-1) as Request;
    expect(timesIn(request, "The working folder is")).toBe(1);
    expect(timesIn(request.system, "The working folder is")).toBe(0);
    expect(request.messages.at(-1)).toMatchObject({ role: "user" });
    expect(timesIn(request.messages.at(-1), content)).toBe(1);
    const { entries, compactionIndex: compactionAt } = scene.agent.session.branch;
    const compaction = entries[compactionAt];
    expect(compaction?.type === "compaction" && compaction.summary).not.toContain("The working folder is");
    expect(contentsOf(entries.slice(0, compactionAt))).toEqual([]);
    expect(contentsOf(entries.slice(compactionAt))).toEqual([content]);
    scene.model.waiting[0]?.end(text("done"));
  });

  test("ENV1 is not repeated by later requests and runs while it is unchanged", async () => {
    const scene = await midRun({ systemPrompt: beginning });
    await compactMidRun(scene);
    for (const id of ["c2", "c3"]) {
      scene.model.waiting[0]?.end(calls("work", id));
      await quiet();
      scene.tool.waiting[0]?.end("done");
      await quiet();
    }
    scene.model.waiting[0]?.end(text("done"));
    await quiet();
    const end = scene.prompt("more");
    await quiet();
    scene.model.waiting[0]?.end(text("done"));
    await end;
    expect(timesIn(scene.model.requests.at(-1), "The working folder is")).toBe(1);
    expect(await stated(scene)).toEqual([content, content]);
  });

  test("ENV1 between two runs is sent before the next message", async () => {
    const { prompt, agent, model } = await createScene([LONG, LONG, LONG, "4"], {}, { systemPrompt: beginning });
    for (const words of ["1", "2", "3"]) await prompt(words);
    expect((await agent.compact()).type).toBe("compacted");
    await prompt("what now?");
    const { messages } = buildSessionContext(agent.session.branch);
    const roles = messages.map(({ role }) => role);
    expect(roles.slice(-3)).toEqual(["custom", "user", "assistant"]);
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "user" });
    expect(timesIn(model.requests.at(-1)?.messages.slice(1), content)).toBe(1);
  });

  test("ENV1 is not repeated if the kept tail still has it", async () => {
    let branch = "main";
    const { prompt, agent, log } = await createScene(
      [LONG, LONG, LONG, "4", "5"],
      {},
      { systemPrompt: { ...beginning, readGitBranch: () => branch } },
    );
    for (const words of ["1", "2", "3"]) await prompt(words);
    branch = "next";
    await prompt("4");
    expect((await agent.compact()).type).toBe("compacted");
    expect(contentsOf(agent.session.branch.entries)).toHaveLength(1);
    await prompt("5");
    expect(contentsOf(await log())).toHaveLength(2);
  });

  test("ENV1 is not repeated if the compaction was undone, because the model sees the older entry", async () => {
    const { prompt, agent, log } = await createScene([LONG, LONG, LONG, "4"], {}, { systemPrompt: beginning });
    for (const words of ["1", "2", "3"]) await prompt(words);
    await agent.compact();
    await agent.undoCompaction();
    await prompt("4");
    expect(contentsOf(await log())).toEqual([content]);
  });

  test("ENV1 is sent again if the compaction followed a refused request", async () => {
    const scene = await midRun({ systemPrompt: beginning, summarizers: [] });
    scene.tool.waiting[0]?.end("done");
    await quiet();
    scene.model.waiting[0]?.end(tooLong);
    await quiet();
    const request = scene.model.requests.at(-1);
    expect(scene.agent.session.branch.compactionIndex).toBeGreaterThanOrEqual(0);
    expect(timesIn(request?.messages.at(-1), content)).toBe(1);
    scene.model.waiting[0]?.end(text("done"));
  });
});

describe("the environment after a change", () => {
  test("ENV1 of the branch or the day in the middle of a run is sent before the next request", async () => {
    let [branch, now] = ["main", DAY];
    const tools = [
      {
        name: "work",
        description: "It works.",
        parameters: { type: "object" },
        isIdempotent: true,
        run: async () => {
          if (branch === "next") now += 86_400_000;
          branch = "next";
          return { content: [] };
        },
      },
    ];
    const ports = { ...testRuntime("p"), now: () => now };
    const beginning = { folder: "/work", readGitBranch: async () => branch };
    const scene = await createScene(
      [workCall(), workCall(), "done"],
      {},
      { systemPrompt: beginning, tools, runtime: ports },
    );
    await scene.prompt("go");
    expect(await stated(scene)).toEqual([
      "The working folder is /work. Today is 2026-11-16. The git branch is main.",
      "The working folder is /work. Today is 2026-11-16. The git branch is next.",
      "The working folder is /work. Today is 2026-11-17. The git branch is next.",
    ]);
    const [first, second] = scene.model.requests;
    expect(second?.messages.slice(0, first?.messages.length)).toEqual(first?.messages);
  });

  test("ENV1 is sent again if an edit removed it", async () => {
    const scene = await createScene(["1", "2"], {}, { systemPrompt: { folder: "/work" } });
    await scene.prompt("1");
    const { session } = scene.agent;
    const entry = session.branch.entries.find((each) => contentsOf([each]).length > 0);
    await session.append({ type: "context_edit", targetId: entry?.id ?? "", replacement: null });
    await scene.prompt("2");
    expect(await stated(scene)).toHaveLength(2);
    expect(timesIn(scene.model.requests[1], "The working folder is")).toBe(1);
  });

  test("ENV1 is not sent by an agent without a system prompt", async () => {
    const scene = await createScene([LONG, LONG, LONG, "4"], {});
    for (const words of ["1", "2", "3"]) await scene.prompt(words);
    await scene.agent.compact();
    await scene.prompt("4");
    expect(await stated(scene)).toEqual([]);
  });
});

describe("the git branch", () => {
  async function statedWith(readGitBranch: () => unknown, parts: Partial<AgentOptions> = {}): Promise<Scene> {
    const beginning = { folder: "/work", readGitBranch: readGitBranch as () => string | null };
    const scene = await createScene(["1"], {}, { systemPrompt: beginning, ...parts });
    expect(await scene.prompt("1")).toEqual({ type: "done" });
    return scene;
  }

  test.each([
    ["null", () => null],
    ["no text", () => 5],
    ["an empty name", () => " \n"],
    ["an error", () => Promise.reject(new Error("no"))],
    ["no answer", () => new Promise(() => {})],
  ])("ENV2 is left out if its reader returns %s, and the run continues", async (_, readGitBranch) => {
    expect(await stated(await statedWith(readGitBranch))).toEqual([
      "The working folder is /work. Today is 2026-01-01.",
    ]);
  });

  test("ENV2 is one line of limited length", async () => {
    const [content] = await stated(await statedWith(() => `a\n\n# System\u001b[31m\u202e ${"x".repeat(100_000)}`));
    expect(content).toMatch(/ The git branch is a # System x+…\.$/);
    expect(String(content).length).toBeLessThan(300);
  });

  test("ENV2 with a secret is redacted, and does not repeat the entry", async () => {
    const secrets = secretsFor();
    const ports = testRuntime();
    const session = await Session.open(MemoryStore.create(ports), ports, { redaction: secrets });
    const model = scriptedModel("1", "2");
    const beginning = { folder: "/work", readGitBranch: () => `fix/${github}` };
    const test = await createTestAgent(model, { session, runtime: ports, secrets, systemPrompt: beginning });
    for (const words of ["1", "2"]) await test.prompt(words);
    const contents = await stated(test);
    expect(contents).toHaveLength(1);
    expect(contents[0]).not.toContain(github);
  });
});
