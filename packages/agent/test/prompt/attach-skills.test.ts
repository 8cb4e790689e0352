/** Tests that skills are attached once, never summarized, and re-attached after every compaction. */

import { compact, compactionLimits, type Session, textTokens } from "@pith/context";
import { SKILL_LIST_TYPE } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { scriptedModel } from "@pith/context/testing";
import { expect, test } from "vitest";
import type { Agent, SkillText } from "../../src/index.ts";
import { agentOf, ran } from "../support/served-agents.ts";

const WINDOW = 40_000;

function skill(name: string, text: string): SkillText {
  return { name, path: `/skills/${name}/SKILL.md`, hash: Buffer.from(name).toString("hex").padEnd(64, "0"), text };
}

const deploy = skill("deploy", `Say please.\n\n${"Wait for the green light.\t<now>\n".repeat(100)}`);

async function talkative(parts: Parameters<typeof agentOf>[1] = {}): Promise<Agent> {
  const model = { ...scriptedModel(...Array(200).fill("Well, well.")), contextWindow: WINDOW };
  return await agentOf(model, { summarizers: [], ...parts });
}

/** Adds so much text that a compaction covers everything before it. */
async function forget(agent: Agent, word = "tree"): Promise<void> {
  for (let part = 0; part < 12; part++) await ran(agent, `${word}${part} `.repeat(500));
  expect(await agent.compact()).toMatchObject({ type: "compacted" });
}

function listEntries({ branch: { entries } }: Session): readonly string[] {
  return entries.flatMap((entry) => (entry.type === "custom_message" ? [String(entry.content)] : []));
}

test("SKL7 a loaded skill follows each compaction verbatim, once, before the next message", async () => {
  const agent = await talkative();
  await agent.attachSkill(deploy);
  await agent.attachSkill(deploy);
  const [whole] = listEntries(agent.session);
  expect(whole).toContain(deploy.text);
  for (const word of ["tree", "moss", "fern", "pine", "rose"]) {
    await forget(agent, word);
    expect(listEntries(agent.session)).toEqual([whole]);
    const { entries, compactionIndex: compactionAt } = agent.session.branch;
    expect(entries[compactionAt + 1]).toMatchObject({ customType: "pith.skill", content: whole });
    expect(JSON.stringify(entries[compactionAt])).not.toContain("green light");
  }
});

test("SKL8 re-attaches the newest skills within a tenth of the window, each complete, and names the others", async () => {
  const agent = await talkative();
  const long = "A line of some length that says little. ";
  const sizes = { first: 20, second: 230, third: 180, fourth: 900 };
  for (const [name, lines] of Object.entries(sizes))
    await agent.attachSkill(skill(name, `${name}: ${long.repeat(lines)}`));
  await forget(agent);
  const behind = listEntries(agent.session);
  expect(behind.map((text) => text.slice(0, 20))).toEqual([
    '<skill name="first" ',
    '<skill name="third" ',
    "These skills were lo",
  ]);
  expect(behind.reduce((sum, text) => sum + textTokens(text), 0)).toBeLessThan(WINDOW / 10 + 200);
  expect(behind.at(-1)).toMatch(/- second: \/skills\/second\/SKILL\.md\n- fourth: \/skills\/fourth\/SKILL\.md$/);
  await forget(agent, "moss");
  expect(listEntries(agent.session)).toEqual(behind);
});

test("SKL9 uses the text in the log, and reports that the file has changed since", async () => {
  const files = { readHash: async (): Promise<string> => "f".repeat(64) };
  const agent = await talkative({ skillFiles: files });
  await agent.attachSkill(deploy);
  await forget(agent);
  const [body, line] = listEntries(agent.session);
  expect(body).toContain(deploy.text);
  expect(line).toMatch(/^These skills have changed since .*\n- deploy: \/skills\/deploy\/SKILL\.md$/);
});

test("SKL7 re-attaches skills before the next message after a compaction outside of an agent", async () => {
  const agent = await talkative();
  await agent.attachSkill(deploy);
  for (let part = 0; part < 12; part++) await ran(agent, `tree${part} `.repeat(500));
  const { session } = agent;
  await compact({ session, budget: agent.budget, reason: "asked", runtime: nodeRuntime });
  expect(listEntries(session)).toEqual([]);
  await ran(agent, "Go on.");
  expect(listEntries(session)).toHaveLength(1);
  await ran(agent, "And on.");
  expect(listEntries(session)).toHaveLength(1);
});

test("SKL8 re-attaches fewer skills after each overflow", async () => {
  const refusal = { failure: { kind: "overflow" as const, message: "too long" } };
  const steps = [...Array(13).fill("Well."), refusal, refusal, refusal, refusal, "Now it fits."];
  const model = { ...scriptedModel(...steps), contextWindow: WINDOW };
  const limits = { ...compactionLimits, thresholds: [] };
  const agent = await agentOf(model, { summarizers: [], limits });
  for (const name of ["one", "two", "six"]) await agent.attachSkill(skill(name, "A short line. ".repeat(280)));
  for (let part = 0; part < 13; part++) await ran(agent, `tree${part} `.repeat(300));
  expect((await ran(agent, "Go on.")).end).toEqual({ type: "done" });
  const counts = model.requests.slice(-5).map((request) => JSON.stringify(request).match(/<skill name/g)?.length ?? 0);
  expect(counts[0]).toBe(3);
  expect(counts[4]).toBeLessThan(counts[1] ?? 0);
  expect(
    agent.session.branch.entries.some(
      (entry) => entry.type === "custom_message" && entry.customType === SKILL_LIST_TYPE,
    ),
  ).toBe(true);
});
