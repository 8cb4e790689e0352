/** Who writes summaries: those whom the user named, opened when they are needed, then who speaks, then code. */

import { Agent } from "@pith/agent";
import { MemoryStore, type Model, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { emptyUsage, type ScriptedReply, scriptedModel } from "@pith/context/testing";
import { expect, test } from "vitest";
import type { ChooseModelResult } from "../../src/models/open-model.ts";
import { createCompactionSummarizers } from "../../src/models/summary-models.ts";

const STORY = [
  "## Goal\n- mend the parser",
  "## Constraints & Preferences\n- (none)",
  "## Progress\n### Done\n- (none)\n\n### In Progress\n- [ ] the parser\n\n### Blocked\n- (none)",
  "## Key Decisions\n- (none)",
  "## Next Steps\n1. mend the parser",
  "## Critical Context\n- (none)",
].join("\n\n");

test("SET9 summary models are opened only for a compaction; the first that works writes the summary and is reused (B42)", async () => {
  const opened: string[] = [];
  const cheap = named("cheap/small", ...Array.from({ length: 6 }, () => STORY));
  const open = async (name: string): Promise<ChooseModelResult> => {
    opened.push(name);
    if (name === "none/missing") return { type: "mistake", message: "none needs an API key: set NONE_API_KEY" };
    return openedAs(name === "cheap/small" ? cheap : named(name));
  };
  const agent = await agentWith(["none/missing", "cheap/small", "dear/large"], { open });
  expect(opened).toEqual([]);
  const first = await agent.compact();
  expect(first).toMatchObject({
    type: "compacted",
    receipt: {
      by: "cheap/small",
      findings: expect.arrayContaining([finding("none/missing: none needs an API key: set NONE_API_KEY")]),
    },
  });
  await fillSession(agent.session);
  expect(await agent.compact()).toMatchObject({ receipt: { by: "cheap/small" } });
  expect(opened).toEqual(["none/missing", "cheap/small", "none/missing"]);
});

test("SET9 when every summary model fails, the current model of the session writes the summary (B42)", async () => {
  const speaker = named("new/speaker", STORY);
  const open = async (name: string): Promise<ChooseModelResult> => openedAs(named(name, { failure }));
  const agent = await agentWith(["broken/one"], { open, speaker: named("old/speaker") });
  await agent.setModel(speaker);
  expect(await agent.compact()).toMatchObject({ type: "compacted", receipt: { by: "new/speaker" } });
});

test("SET9 the session's model is not tried twice if it is also a summary model; then the summary is built without a model (B42)", async () => {
  const speaker = named("only/one", { failure });
  const agent = await agentWith(["only/one"], { open: async () => openedAs(speaker), speaker });
  expect(await agent.compact()).toMatchObject({ type: "compacted", receipt: { by: null, route: "model-free" } });
  expect(speaker.requests.length).toBe(1);
});

const failure = { kind: "refused", message: "no credit left" } as const;

function named(name: string, ...replies: readonly ScriptedReply[]) {
  const [provider = "", model = ""] = name.split("/");
  return { ...scriptedModel(...replies), provider, model, contextWindow: 20_000 };
}

function openedAs(model: Model): ChooseModelResult {
  return { type: "opened", model, notes: () => [] } as unknown as ChooseModelResult;
}

function finding(note: string): object {
  return { code: "summarizer-failed", note };
}

interface Cast {
  readonly open: (name: string) => Promise<ChooseModelResult>;
  readonly speaker?: Model;
}

async function agentWith(names: readonly string[], { open, speaker = named("main/speaker") }: Cast): Promise<Agent> {
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  await fillSession(session);
  const writers = createCompactionSummarizers({
    setting: names,
    openModel: open,
    currentModel: () => agent.model,
    runtime: nodeRuntime,
  });
  const agent: Agent = new Agent({ session, model: speaker, tools: [], runtime: nodeRuntime, summarizers: writers });
  return agent;
}

async function fillSession(session: Session): Promise<void> {
  const { api, provider, model } = named("main/speaker");
  const content = [{ type: "text", text: "looking at the parser ".repeat(150) }] as const;
  const reply = { role: "assistant", content, api, provider, model, usage: emptyUsage, stopReason: "stop" } as const;
  for (let turn = 0; turn < 12; turn += 1)
    await session.append(
      { type: "message", message: { role: "user", content: "mend the parser", timestamp: 0 } },
      { type: "message", message: { ...reply, timestamp: 0 } },
    );
}
