/** What is said before the first word, and what is not said again. */

import { MemoryStore, Session, type SystemMessage } from "@pith/context";
import { mergeSystemMessages } from "@pith/context/host";
import { testRuntime } from "@pith/context/testing";
import { expect, test } from "vitest";
import type { Tool } from "../../src/index.ts";
import { establish } from "../../src/prompt/system-prompt.ts";

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
  const beginning = { folder: "/work", addition: "Be kind.", project: [{ path: "AGENTS.md", text: "Use tabs." }] };
  await establish({ session, model, tools: [tool("read"), tool("bash")], ports: day, beginning, thinking: "high" });
  return { session, ports: day, beginning };
}

test("SYS1 it has named sections, its guidelines follow the tools, and day and folder stand behind it", async () => {
  const { session } = await begun();
  const system = mergeSystemMessages(session.branch);
  expect(Object.keys(system?.sections ?? {})).toEqual(["role", "guidelines", "addition", "project"]);
  expect(system?.sections?.guidelines).toContain("Look with commands");
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

test("SYS2 a model that can call no tools is told so behind its role, and has none; another one gets them behind that (B4)", async () => {
  const { session, ports, beginning } = await begun();
  const tools = [tool("read"), tool("bash")];
  const skills = [{ name: "review", description: "Reviews.", path: "/s/SKILL.md" }];
  await establish({
    session,
    model: { ...model, takesTools: false },
    tools,
    ports,
    beginning: { ...beginning, skills },
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
  expect(without?.sections?.guidelines).not.toContain("Look with commands");
  expect(without?.sections?.skills).toBeUndefined();
  await establish({ session, model, tools, ports, beginning });
  const again = mergeSystemMessages(session.branch);
  expect(again?.toolsAdded?.map(({ name }) => name)).toEqual(["read", "bash"]);
  expect(again?.sections?.tools ?? null).toBeNull();

  const fresh = await Session.open(MemoryStore.create(ports), ports);
  await establish({ session: fresh, model: { ...model, takesTools: false }, tools, ports, beginning });
  const sections = Object.keys(mergeSystemMessages(fresh.branch)?.sections ?? {});
  expect(sections).toEqual(["role", "tools", "guidelines", "addition", "project"]);
});

test("SYS1 the same again adds nothing; a new day adds a line", async () => {
  const { session, ports, beginning } = await begun();
  const tools = [tool("read"), tool("bash")];
  await establish({ session, model, tools, ports, beginning, thinking: "high" });
  expect(session.branch.entries).toHaveLength(4);
  await establish({ session, model, tools, ports: { ...ports, now: () => Date.UTC(2026, 10, 16) }, beginning });
  expect(session.branch.entries).toHaveLength(5);
});

test("SYS1 other tools and other words are said as what has changed, behind all that was said", async () => {
  const { session, ports, beginning } = await begun();
  await establish({
    session,
    model,
    tools: [tool("read"), tool("grep")],
    ports,
    beginning: { ...beginning, addition: "" },
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

test("SYS1 a prompt of one's own stands in the place of ours, what was added stays", async () => {
  const ports = testRuntime();
  const session = await Session.open(MemoryStore.create(ports), ports);
  const beginning = { folder: "/work", replacement: "You are a poet.", addition: "In rhymes." };
  await establish({ session, model, tools: [tool("read")], ports, beginning });
  expect(mergeSystemMessages(session.branch)?.sections).toEqual({ role: "You are a poet.", addition: "In rhymes." });
});

test("SKL1 SYS1 the catalogue of skills stands behind the project, where files can be read; what changes in it is said behind all", async () => {
  const { session, ports, beginning } = await begun();
  const skills = [{ name: "ship", description: "How to ship.", path: "/skills/ship/SKILL.md" }];
  const tools = [tool("read"), tool("bash")];
  await establish({ session, model, tools, ports, beginning: { ...beginning, skills } });
  const [before, catalogue] = [session.branch.entries.slice(0, 4), mergeSystemMessages(session.branch)?.sections];
  expect(Object.keys(catalogue ?? {}).slice(-2)).toEqual(["project", "skills"]);
  expect(catalogue?.skills).toMatch(/\n\n- ship: How to ship\. \(\/skills\/ship\/SKILL\.md\)$/);
  expect(session.branch.entries.slice(0, 4)).toEqual(before);
  await establish({ session, model, tools: [tool("bash")], ports, beginning: { ...beginning, skills } });
  expect(mergeSystemMessages(session.branch)?.sections).not.toHaveProperty("skills");
});
