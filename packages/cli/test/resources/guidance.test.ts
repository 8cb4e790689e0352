/** Tests the instructions for the model before the first message: when they are read, and what differs when they are read again. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SystemPromptOptions } from "@pith/agent";
import { noRedaction } from "@pith/context/host";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createGuidanceActions, loadGuidance } from "../../../host/src/resources/guidance.ts";
import { resolveSettings } from "../../src/settings/resolve.ts";
import { trustShownFiles } from "../../src/subcommands/trust.ts";
import { checkTrust } from "../../src/trust/trust.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pith-guidance-")));
  place({
    "repo/.git/HEAD": "",
    "repo/AGENTS.md": "Tabs.",
    "home/skills/ship/SKILL.md": "---\nname: ship\ndescription: How.\n---\n",
  });
});

afterEach(() => rmSync(root, { recursive: true }));

function place(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function parts(choices: Parameters<typeof loadGuidance>[0]["settings"] = {}) {
  const folders = { cwd: join(root, "repo"), home: join(root, "home"), userHome: join(root, "user") };
  return {
    ...folders,
    settings: choices,
    readSettings: () => resolveSettings({ overrides: {}, trustsProject: false }, { ...folders, environment: {} }),
    mayRead: async () => true,
    trustedFolder: undefined,
    commandNames: async () => ["help"],
    notify: () => {},
  };
}

test("TXT4 SKL1 context files and skills are loaded unless a setting turns them off", async () => {
  const all = (await loadGuidance(parts())).state.guidance;
  expect([all.project.length, all.skills.length, all.catalogue.length]).toEqual([1, 1, 1]);
  const none = (await loadGuidance(parts({ contextFiles: false, skills: false }))).state.guidance;
  expect([none.project.length, none.skills.length, none.catalogue.length]).toEqual([0, 0, 0]);
});

test("SKL11 a reload replaces the context files and skills and lists what changed; a broken settings file changes nothing", async () => {
  const began = parts();
  const guides = await loadGuidance(began);
  const systemPrompts: SystemPromptOptions[] = [];
  const agent = {
    setSystemPrompt: (each: SystemPromptOptions) => void systemPrompts.push(each),
  } as unknown as Parameters<typeof createGuidanceActions>[0];
  const beginning = ({ project, catalogue: skills }: typeof guides.state.guidance): SystemPromptOptions => ({
    folder: began.cwd,
    projectTexts: project,
    skills,
  });
  const { reload } = createGuidanceActions(agent, guides, { ...began, buildSystemPrompt: beginning });
  expect(await reload()).toEqual([]);
  place({
    "repo/AGENTS.md": "Spaces.",
    "home/AGENTS.md": "Mine.",
    "home/skills/ship/SKILL.md": "---\nname: ship\ndescription: How else.\n---\n",
    "home/skills/sink/SKILL.md": "---\nname: sink\ndescription: Do not.\n---\n",
    "home/settings.json": '{ "compaction": { "enabled": false }, "thinking": "high" }',
  });
  expect((await reload()).map((line) => line.replaceAll(`${root}/`, ""))).toEqual([
    'Setting "compaction" changed: thresholds and token limits apply now, other compaction settings after a restart.',
    'Setting "thinking" changed; restart Pith to apply it.',
    "home/AGENTS.md was added",
    "repo/AGENTS.md changed",
    "The skill sink was added",
    "The skill ship changed",
  ]);
  expect(systemPrompts.at(-1)).toMatchObject({
    projectTexts: [{ text: "Mine." }, { text: "Spaces." }],
    skills: [{ description: "How else." }, { name: "sink" }],
  });
  expect(guides.limits({ api: "", provider: "", model: "" }).enabled).toBe(false);
  rmSync(join(root, "home/skills/sink"), { recursive: true });
  expect(await reload()).toEqual(["The skill sink was removed"]);
  place({ "home/settings.json": '{ "thinking": "hard" }' });
  expect((await reload())[0]).toMatch(/^Nothing was changed: .*settings\.json.*hard/s);
  expect(guides.limits({ api: "", provider: "", model: "" }).enabled).toBe(false);
});

test("SKL11 TRU8 a reload reports why a skill of a changed project is no longer used", async () => {
  place({ "repo/.pith/skills/build/SKILL.md": "---\nname: build\ndescription: How.\n---\n" });
  const checkFolder = () => checkTrust({ ...parts(), isTrustedForRun: false });
  await trustShownFiles((await checkFolder()).project, { home: join(root, "home"), redaction: noRedaction });
  const began = { ...parts(), trustedFolder: await checkFolder() };
  const agent = { setSystemPrompt: () => {} } as unknown as Parameters<typeof createGuidanceActions>[0];
  const beginning = (): SystemPromptOptions => ({ folder: began.cwd });
  const { reload } = createGuidanceActions(agent, await loadGuidance(began), {
    ...began,
    buildSystemPrompt: beginning,
  });
  expect(await reload()).toEqual([]);
  place({ "repo/.pith/skills/build/SKILL.md": "---\nname: build\ndescription: How else.\n---\n" });
  expect(await reload()).toEqual([
    "The skill build was removed",
    expect.stringMatching(/^\.pith\/skills\/build\/SKILL\.md has changed since this folder was trusted, so its skills/),
  ]);
});
