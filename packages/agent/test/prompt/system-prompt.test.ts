/** Tests the system prompt and its changes. */

import { MemoryStore, Session, type SystemMessage } from "@pith/context";
import { mergeSystemMessages } from "@pith/context/host";
import { testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import type { Tool } from "../../src/index.ts";
import { ensureSystemPrompt } from "../../src/prompt/system-prompt.ts";

const tool = (name: string): Tool => ({
  name,
  description: name,
  parameters: { type: "object" },
  isIdempotent: true,
  run: async () => ({ content: [] }),
});

const model = { api: "anthropic-messages", provider: "anthropic", model: "m" };

async function begun() {
  const ports = testRuntime();
  const session = await Session.open(MemoryStore.create(ports), ports);
  const day = { ...ports, now: () => Date.UTC(2026, 10, 15) };
  const beginning = {
    folder: "/work",
    appendedPrompt: "Be kind.",
    projectTexts: [{ path: "AGENTS.md", text: "Use tabs." }],
  };
  await ensureSystemPrompt({
    session,
    model,
    tools: [tool("read"), tool("bash")],
    runtime: day,
    systemPrompt: beginning,
    thinkingLevel: "high",
  });
  return { session, ports: day, beginning };
}

test("SYS1 the prompt has named sections, guidelines for its tools, and the date and folder after it", async () => {
  const { session } = await begun();
  const system = mergeSystemMessages(session.branch);
  expect(Object.keys(system?.sections ?? {})).toEqual(["role", "guidelines", "addition", "project"]);
  expect(system?.sections?.guidelines).toContain("Check with commands");
  expect(system?.sections?.guidelines).not.toContain("edit");
  expect(JSON.stringify(system)).not.toMatch(/2026-11-15|\/work/);
  expect(session.branch.entries.map(({ type }) => type)).toEqual([
    "message",
    "custom_message",
    "model_change",
    "thinking_level_change",
  ]);
  expect(session.branch.entries[1]).toMatchObject({ content: expect.stringMatching(/\/work.*2026-11-15/) });
});

test("SYS2 the prompt for a model without tools mentions that and declares no tools; another model gets them later (B4)", async () => {
  const { session, ports, beginning } = await begun();
  const tools = [tool("read"), tool("bash")];
  const skills = [{ name: "review", description: "Reviews.", path: "/s/SKILL.md" }];
  await ensureSystemPrompt({
    session,
    model: { ...model, takesTools: false },
    tools,
    runtime: ports,
    systemPrompt: { ...beginning, skills },
  });
  const change = session.branch.entries.at(-1);
  expect(change).toMatchObject({ message: { role: "system", toolsRemoved: [{ name: "read" }, { name: "bash" }] } });
  const without = mergeSystemMessages(session.branch);
  expect(without?.toolsAdded ?? []).toEqual([]);
  expect(without?.sections?.role).not.toContain("tools");
  expect(without?.sections?.tools).toMatch(/You have no tools.*@ and its path.*! and the command/s);
  expect(without?.sections?.tools).toMatch(
    /With another model, this session has these tools:\n\n- read: .*\n- bash: /s,
  );
  expect(without?.sections?.guidelines).not.toContain("Check with commands");
  expect(without?.sections?.skills).toBeUndefined();
  await ensureSystemPrompt({ session, model, tools, runtime: ports, systemPrompt: beginning });
  const again = mergeSystemMessages(session.branch);
  expect(again?.toolsAdded?.map(({ name }) => name)).toEqual(["read", "bash"]);
  expect(again?.sections?.tools ?? null).toBeNull();

  const fresh = await Session.open(MemoryStore.create(ports), ports);
  await ensureSystemPrompt({
    session: fresh,
    model: { ...model, takesTools: false },
    tools,
    runtime: ports,
    systemPrompt: beginning,
  });
  const sections = Object.keys(mergeSystemMessages(fresh.branch)?.sections ?? {});
  expect(sections).toEqual(["role", "tools", "guidelines", "addition", "project"]);
});

test("SYS1 an unchanged prompt appends nothing; a new day appends a line", async () => {
  const { session, ports, beginning } = await begun();
  const tools = [tool("read"), tool("bash")];
  await ensureSystemPrompt({ session, model, tools, runtime: ports, systemPrompt: beginning, thinkingLevel: "high" });
  expect(session.branch.entries).toHaveLength(4);
  await ensureSystemPrompt({
    session,
    model,
    tools,
    runtime: { ...ports, now: () => Date.UTC(2026, 10, 16) },
    systemPrompt: beginning,
  });
  expect(session.branch.entries).toHaveLength(5);
});

test("SYS1 appends only the changes of tools and sections", async () => {
  const { session, ports, beginning } = await begun();
  await ensureSystemPrompt({
    session,
    model,
    tools: [tool("read"), tool("grep")],
    runtime: ports,
    systemPrompt: { ...beginning, appendedPrompt: "" },
  });
  const last = session.branch.entries.at(-1);
  const { timestamp: _, ...change } = (last?.type === "message" ? last.message : {}) as SystemMessage;
  expect(change).toEqual({
    role: "system",
    content: "",
    sections: { guidelines: expect.any(String), addition: null },
    toolsAdded: [{ name: "grep", description: "grep", parameters: { type: "object" } }],
    toolsRemoved: [{ name: "bash" }],
  });
});

test("SYS1 a custom prompt replaces the default one, and the appended prompt stays", async () => {
  const ports = testRuntime();
  const session = await Session.open(MemoryStore.create(ports), ports);
  const beginning = { folder: "/work", customPrompt: "You are a poet.", appendedPrompt: "In rhymes." };
  await ensureSystemPrompt({ session, model, tools: [tool("read")], runtime: ports, systemPrompt: beginning });
  expect(mergeSystemMessages(session.branch)?.sections).toEqual({ role: "You are a poet.", addition: "In rhymes." });
});

test("SKL1 SYS1 lists skills after the project section if there is a read tool, and appends changes of the list", async () => {
  const { session, ports, beginning } = await begun();
  const skills = [{ name: "ship", description: "How to ship.", path: "/skills/ship/SKILL.md" }];
  const tools = [tool("read"), tool("bash")];
  await ensureSystemPrompt({ session, model, tools, runtime: ports, systemPrompt: { ...beginning, skills } });
  const [before, catalogue] = [session.branch.entries.slice(0, 4), mergeSystemMessages(session.branch)?.sections];
  expect(Object.keys(catalogue ?? {}).slice(-2)).toEqual(["project", "skills"]);
  expect(catalogue?.skills).toMatch(/\n\n- ship: How to ship\. \(\/skills\/ship\/SKILL\.md\)$/);
  expect(session.branch.entries.slice(0, 4)).toEqual(before);
  await ensureSystemPrompt({
    session,
    model,
    tools: [tool("bash")],
    runtime: ports,
    systemPrompt: { ...beginning, skills },
  });
  expect(mergeSystemMessages(session.branch)?.sections).not.toHaveProperty("skills");
});
