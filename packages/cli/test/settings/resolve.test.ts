/** Tests settings/resolve.ts: precedence, read settings, project settings. */

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Settings } from "../../../host/src/settings/settings.ts";
import { settingTable } from "../../../host/src/settings/table.ts";
import { loadSettings, readSettings } from "../../src/settings/resolve.ts";

describe("precedence", () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "pith-choose-"));
  });

  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  test("SET4 a flag wins over a variable, and a variable over a setting", async () => {
    set({ thinking: "low", permissionMode: "ask", sandbox: "off", contextWindow: 9_000 });
    const environment = { PITH_THINKING: "medium", PITH_PERMISSION_MODE: " plan ", PITH_NETWORK: "" };
    expect(await loadSettings({ thinking: "high" }, { environment, home })).toEqual({
      type: "resolved",
      settings: { thinking: "high", permissionMode: "plan", sandbox: "off", contextWindow: 9_000 },
      sources: new Map([
        ["thinking", "--thinking"],
        ["permissionMode", "PITH_PERMISSION_MODE"],
        ["sandbox", join(home, "settings.json")],
        ["contextWindow", join(home, "settings.json")],
      ]),
      notes: [],
    });
  });

  test("SET4 the base URL of the settings applies only to the model of the settings", async () => {
    set({ model: "anthropic/a", baseUrl: "https://gateway.example/v1" });
    const other = { model: "openai/b" };
    expect(await loadSettings({}, { environment: {}, home })).toMatchObject({
      settings: { model: "anthropic/a", baseUrl: "https://gateway.example/v1" },
    });
    const spoken = await Promise.all([
      loadSettings(other, { environment: {}, home }),
      loadSettings({}, { environment: { PITH_MODEL: "openai/b" }, home }),
    ]);
    for (const chosen of spoken) expect(chosen.type === "resolved" && chosen.settings).toEqual(other);
    expect(await loadSettings({ model: "anthropic/a" }, { environment: {}, home })).toMatchObject({
      settings: { model: "anthropic/a", baseUrl: "https://gateway.example/v1" },
    });
    const moved = await loadSettings({ baseUrl: "http://127.0.0.1:1/v1" }, { environment: {}, home });
    expect(moved).toMatchObject({ settings: { model: "anthropic/a", baseUrl: "http://127.0.0.1:1/v1" } });
  });

  test("SET2 an invalid value in a variable is a mistake that names the variable", async () => {
    const environment = { PITH_SANDBOX: "maybe", PITH_MODEL: "gpt\t5" };
    expect(await loadSettings({}, { environment, home })).toEqual({
      type: "mistake",
      message:
        'PITH_MODEL is "gpt\\t5"; expected a model, such as sonnet or anthropic/claude-sonnet-5\nPITH_SANDBOX is "maybe"; expected "on" or "off"',
    });
  });

  test("SET4 project settings win over the user's file, also within nested objects, but not over variables and flags", async () => {
    set({ thinking: "low", compaction: { reserveTokens: 1, modelOverrides: { "a/b": { reserveTokens: 2 } } } });
    const path = "/p/.pith/settings.json";
    const compaction = { keepRecentTokens: 3, modelOverrides: { "a/b": { keepRecentTokens: 4 }, "c/d": {} } };
    const project = { path, text: JSON.stringify({ thinking: "high", contextWindow: 5, compaction }) };
    const chosen = await loadSettings({ thinking: "off" }, { environment: {}, home, projectFile: project });
    expect(chosen).toEqual({
      type: "resolved",
      settings: {
        thinking: "off",
        contextWindow: 5,
        compaction: {
          reserveTokens: 1,
          keepRecentTokens: 3,
          modelOverrides: { "a/b": { reserveTokens: 2, keepRecentTokens: 4 } },
        },
      },
      sources: new Map([
        ["thinking", "--thinking"],
        ["compaction.reserveTokens", join(home, "settings.json")],
        ['compaction.modelOverrides["a/b"].reserveTokens', join(home, "settings.json")],
        ["contextWindow", path],
        ["compaction.keepRecentTokens", path],
        ['compaction.modelOverrides["a/b"].keepRecentTokens', path],
      ]),
      notes: [expect.stringContaining('compaction.modelOverrides["c/d"] is empty and has no effect')],
    });
  });

  test.each([
    ["1", { compaction: { enabled: false } }],
    ["yes", { compaction: { enabled: false } }],
    ["0", {}],
    [" ", {}],
  ])("SET6 PITH_DISABLE_AUTOCOMPACT can only turn automatic compaction off: %j", async (value, choices) => {
    const environment = { PITH_DISABLE_AUTOCOMPACT: value };
    expect(await loadSettings({}, { environment, home })).toMatchObject({ type: "resolved", settings: choices });
    const odd = await loadSettings({}, { environment: { PITH_DISABLE_AUTOCOMPACT: "maybe" }, home });
    expect(odd).toMatchObject({ message: 'PITH_DISABLE_AUTOCOMPACT is "maybe"; set it to 1 or unset it' });
  });

  function set(settings: Settings): void {
    writeFileSync(join(home, "settings.json"), JSON.stringify(settings));
  }
});

describe("read settings", () => {
  test("SET1 a missing settings file is not a mistake, an unreadable one is, and a link is followed", async () => {
    const home = mkdtempSync(join(tmpdir(), "pith-settings-"));
    try {
      expect(await readSettings(home)).toMatchObject({ type: "read", fields: [], notes: [] });
      writeFileSync(join(home, "mine.json"), '{ "thinking": "high" }');
      symlinkSync("mine.json", join(home, "settings.json"));
      expect(await readSettings(home)).toMatchObject({ fields: [{ path: ["thinking"], value: "high" }] });
      expect(await readSettings(join(home, "mine.json"))).toMatchObject({
        type: "mistake",
        message: expect.stringContaining("cannot be read"),
      });
    } finally {
      rmSync(home, { recursive: true });
    }
  });
});

describe("project settings", () => {
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
  ])(
    "SET7 a setting that only the user may set is ignored in a project, with a note: %j",
    async (projectSettings, name) => {
      expect(await chosenWith(projectSettings)).toEqual({
        choices: {},
        notes: [`${path}:1: ${name} cannot be set by a project, so it is ignored; set it in ${file}`],
      });
    },
  );

  test.each([
    [{ permissionMode: "all" }, {}, 'permissionMode "all" is less strict than your "edit"'],
    [{ permissionMode: "edit" }, { permissionMode: "plan" }, 'permissionMode "edit" is less strict than your "plan"'],
    [{ sandbox: "off" }, {}, 'sandbox "off" is less strict than your "on"'],
    [{ network: "on" }, { network: "off" }, 'network "on" is less strict than your "off"'],
    [{ network: "open" }, {}, 'network "open" is less strict than your "hosts"'],
    [{ network: "open" }, { network: "on" }, 'network "open" is less strict than your "on"'],
    [
      { tools: ["read", "fetch"] },
      {},
      'tools ["read","fetch"] is less strict than your ["read","write","edit","bash","recall"]',
    ],
    [{ tools: ["all"] }, { tools: ["read"] }, 'tools ["all"] is less strict than your ["read"]'],
    [{ skills: true }, { skills: false }, "skills true is less strict than your false"],
    [{ contextFiles: true }, { contextFiles: false }, "contextFiles true is less strict than your false"],
  ] as const)("SET7 a project cannot loosen the user's settings: %j over %j", async (projectSettings, own, reason) => {
    expect(await chosenWith(projectSettings, own)).toEqual({
      choices: own,
      notes: [`${path}:1: ${reason}, so it is ignored; set it in ${file}`],
    });
  });

  test.each([
    [{ permissionMode: "plan" }, {}],
    [{ permissionMode: "ask" }, { permissionMode: "all" }],
    [{ sandbox: "on" }, { sandbox: "off" }],
    [{ network: "off" }, {}],
    [{ network: "on" }, {}],
    [{ network: "hosts" }, { network: "open" }],
    [{ tools: ["read", "grep"] }, { tools: ["all"] }],
    [{ tools: ["read"] }, {}],
    [{ skills: false, contextFiles: false }, {}],
    [{ thinking: "high", contextWindow: 9_000, compaction: { enabled: false, instructions: "Tests." } }, {}],
  ] as const)(
    "SET7 a project may be stricter, and may set its own settings: %j over %j",
    async (projectSettings, own) => {
      expect(await chosenWith(projectSettings, own)).toEqual({ choices: { ...own, ...projectSettings }, notes: [] });
    },
  );

  test.each(["apiKey", "keys", "headers", "proxy", "env", "command", "hooks", "permissions", "allow"])(
    "SET7 keys, proxies, headers, commands and rules are not settings of a project: %s",
    async (name) => {
      const { choices, notes } = await chosenWith({ [name]: "!rm -rf ~" });
      expect(choices).toEqual({});
      expect(notes).toEqual([expect.stringContaining(`${path}:1: ${name} is not a setting`)]);
      expect(notes.join()).not.toContain("rm -rf");
    },
  );

  test("SET7 projects may set only thinking, contextWindow and settings of compaction and branch summaries", () => {
    const free = settingTable.filter(({ projectAccess }) => projectAccess === "allowed").map(({ name }) => name);
    expect(free.every((name) => /^(thinking|contextWindow|compaction\.|branchSummary\.reserveTokens)/.test(name))).toBe(
      true,
    );
  });

  test("SET2 an invalid value in a project's file is a mistake that names the file", async () => {
    const project = { path, text: '{ "thinking": "hard" }' };
    expect(await loadSettings({}, { environment: {}, home, projectFile: project })).toEqual({
      type: "mistake",
      message: `${path}:1: thinking is "hard"; expected "off", "minimal", "low", "medium", "high", "xhigh" or "max"`,
    });
  });

  async function chosenWith(projectSettings: object, own: Settings = {}) {
    writeFileSync(file, JSON.stringify(own));
    const chosen = await loadSettings(
      {},
      { environment: {}, home, projectFile: { path, text: JSON.stringify(projectSettings) } },
    );
    if (chosen.type !== "resolved") throw new Error(chosen.message);
    return { choices: chosen.settings, notes: chosen.notes };
  }
});
