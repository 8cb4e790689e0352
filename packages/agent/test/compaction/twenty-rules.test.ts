/** Tests that twenty rules survive ten compactions with a useless summarizer. */

import { buildRequest, buildSessionContext, type Model, modelSummarizer, pinText } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { scriptedModel } from "@pith/context/testing";
import { expect, test } from "vitest";
import { Agent } from "../../src/index.ts";
import { agentOf, ran } from "../support/served-agents.ts";

const rule = (kind: string, number: number): string =>
  `${kind} rule ${number}: never <touch> file-${kind}-${number}.ts,\tuse "tabs".`;
const rules = (kind: string): readonly string[] => [1, 2, 3, 4, 5].map((number) => rule(kind, number));

test("TXT9 rules from AGENTS.md, a system prompt, the chat and pins survive ten compactions word for word", async () => {
  const model: Model = { ...scriptedModel(...Array(100).fill("Moss and fern. ".repeat(700))), contextWindow: 30_000 };
  const summarizer = modelSummarizer(scriptedModel(...Array(40).fill("ok")), { runtime: nodeRuntime });
  const { session } = await agentOf(model);
  const beginning = {
    folder: "/work",
    customPrompt: rules("prompt").join("\n"),
    projectTexts: [{ path: "AGENTS.md", text: rules("house").join("\n") }],
  };
  const agent = new Agent({
    session,
    model,
    tools: [],
    runtime: nodeRuntime,
    systemPrompt: beginning,
    summarizers: [summarizer],
  });
  await ran(agent, rules("chat").join("\n"));
  for (const text of rules("pinned")) await pinText(session, text);
  for (let round = 0; round < 10; round++) {
    for (let part = 0; part < 3; part++) await ran(agent, "Go on.");
    expect(await agent.compact()).toMatchObject({ type: "compacted" });
    const { system, messages } = buildRequest(buildSessionContext(session.branch), { model });
    const sent = texts([system, messages]).join("\n");
    for (const kind of ["house", "prompt", "chat", "pinned"])
      for (const text of rules(kind)) expect(sent).toContain(text);
  }
});

function texts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return value && typeof value === "object" ? Object.values(value).flatMap(texts) : [];
}
