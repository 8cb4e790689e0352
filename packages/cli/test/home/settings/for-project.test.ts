/** What a trusted project may say: never who is asked and where, never what guards the user, and nothing looser than the user's own. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { choose } from "../../../src/home/choose.ts";
import { settingTable } from "../../../src/home/settings/known/table.ts";
import type { Settings } from "../../../src/home/settings.ts";

let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-project-"));
  file = join(home, "settings.json");
});

afterEach(() => {
  rmSync(home, { recursive: true });
});

const path = "/p/.pith/settings.json";

test.each([
  [{ model: "evil/model" }, "model"],
  [{ baseUrl: "https://evil.example/v1" }, "baseUrl"],
  [{ fetchHosts: ["169.254.169.254"] }, "fetchHosts"],
  [{ compaction: { model: "evil/model" } }, "compaction.model"],
  [{ compaction: { ask: false } }, "compaction.ask"],
  [{ branchSummary: { skipPrompt: true } }, "branchSummary.skipPrompt"],
  [{ secrets: { redact: "off" } }, "secrets.redact"],
  [{ secrets: { also: ["A"] } }, "secrets.also"],
])("SET7 a project is refused by name what is the user's alone to say: %j", async (said, name) => {
  expect(await chosenWith(said)).toEqual({
    choices: {},
    notes: [`${path}:1: ${name} is not for a project to say, so it does not count; set it in ${file}`],
  });
});

test.each([
  [{ permissionMode: "all" }, {}, 'permissionMode "all" is looser than your "edit"'],
  [{ permissionMode: "edit" }, { permissionMode: "plan" }, 'permissionMode "edit" is looser than your "plan"'],
  [{ sandbox: "off" }, {}, 'sandbox "off" is looser than your "on"'],
  [{ network: "on" }, { network: "off" }, 'network "on" is looser than your "off"'],
  [{ tools: ["read", "fetch"] }, {}, 'tools ["read","fetch"] is looser than your ["read","write","edit","bash"]'],
  [{ tools: ["all"] }, { tools: ["read"] }, 'tools ["all"] is looser than your ["read"]'],
  [{ skills: true }, { skills: false }, "skills true is looser than your false"],
  [{ contextFiles: true }, { contextFiles: false }, "contextFiles true is looser than your false"],
] as const)("SET7 a project never loosens what the user has: %j beside %j", async (said, own, told) => {
  expect(await chosenWith(said, own)).toEqual({
    choices: own,
    notes: [`${path}:1: ${told}, so it does not count; set it in ${file}`],
  });
});

test.each([
  [{ permissionMode: "plan" }, {}],
  [{ permissionMode: "ask" }, { permissionMode: "all" }],
  [{ sandbox: "on" }, { sandbox: "off" }],
  [{ network: "off" }, {}],
  [{ tools: ["read", "grep"] }, { tools: ["all"] }],
  [{ tools: ["read"] }, {}],
  [{ skills: false, contextFiles: false }, {}],
  [{ thinking: "high", contextWindow: 9_000, compaction: { enabled: false, instructions: "Tests." } }, {}],
] as const)("SET7 a project may be stricter, and say what is its own: %j beside %j", async (said, own) => {
  expect(await chosenWith(said, own)).toEqual({ choices: { ...own, ...said }, notes: [] });
});

test.each(["apiKey", "keys", "headers", "proxy", "env", "command", "hooks", "permissions", "allow"])(
  "SET7 keys, proxies, headers, commands and rules are no settings of a project either: %s",
  async (name) => {
    const { choices, notes } = await chosenWith({ [name]: "!rm -rf ~" });
    expect(choices).toEqual({});
    expect(notes).toEqual([expect.stringContaining(`${path}:1: ${name} is no setting`)]);
    expect(notes.join()).not.toContain("rm -rf");
  },
);

test("SET7 whatever a setting is called, somebody has decided whether a project may say it", () => {
  const free = settingTable.filter(({ project }) => project === "may").map(({ name }) => name);
  expect(free.every((name) => /^(thinking|contextWindow|compaction\.|branchSummary\.reserveTokens)/.test(name))).toBe(
    true,
  );
});

test("SET2 a mistake in the file of a project names it", async () => {
  const project = { path, text: '{ "thinking": "hard" }' };
  expect(await choose({}, { environment: {}, home, project })).toEqual({
    type: "mistake",
    message: `${path}:1: thinking is "hard"; write off, minimal, low, medium, high, xhigh or max`,
  });
});

async function chosenWith(said: object, own: Settings = {}) {
  writeFileSync(file, JSON.stringify(own));
  const chosen = await choose({}, { environment: {}, home, project: { path, text: JSON.stringify(said) } });
  if (chosen.type !== "chosen") throw new Error(chosen.message);
  return { choices: chosen.choices, notes: chosen.notes };
}
