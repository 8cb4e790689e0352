/** Tests the start without a model: what a user sees and does until one is configured. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "@pith/agent";
import { MemoryStore, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { createCatalogue } from "@pith/models";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { chooseModel, createAbsentModel } from "../../../../../host/src/models/open-model.ts";
import type { Settings } from "../../../../../host/src/settings/settings.ts";
import { reserveLocalModelPort } from "../../../../e2e/support/local-servers.ts";
import type { CliArgs } from "../../../../src/args/args.ts";
import {
  type FirstStartContext,
  runFirstStart,
  sendAfterSetup,
} from "../../../../src/modes/interactive/onboarding/first-start.ts";
import type { InteractiveContext } from "../../../../src/modes/interactive/screen-context.ts";
import { createTestScreen, type TestScreen } from "../../../support/test-screen.ts";

let home: string;
let shown: TestScreen;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-first-"));
  shown = createTestScreen({ columns: 100, rows: 30 });
});

afterEach(() => {
  shown.screen.stop();
  rmSync(home, { recursive: true });
});

/** Nothing listens there, so that no key can be checked. */
const environment = { ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };

async function readyWith(choices: Settings = {}): Promise<FirstStartContext["app"]> {
  const session = await Session.open(MemoryStore.create(nodeRuntime, { cwd: home }), nodeRuntime);
  const missing = "anthropic needs a key";
  const agent = new Agent({ session, model: createAbsentModel(missing), tools: [], runtime: nodeRuntime });
  const args = { prompt: "", files: [], overrides: {} } as unknown as CliArgs;
  return {
    args,
    agent,
    missingModel: missing,
    home,
    environment,
    vault: null,
    settings: choices,
  };
}

async function waitForText(words: string): Promise<void> {
  await expect.poll(() => shown.screenText()).toContain(words);
}

async function giveKey(): Promise<void> {
  await waitForText("API key for Anthropic");
  shown.terminal.press("\x1b[200~ sk-ant-1\n\x1b[201~", "\r");
  await waitForText("Could not check the API key");
}

test("FST9 Esc in the welcome list skips the setup, shows what to do later and saves nothing", async () => {
  const start = runFirstStart({ app: await readyWith(), screen: shown.screen });
  await waitForText("Choose a provider");
  await waitForText("lose the thread in long sessions");
  shown.terminal.press("\x1b");
  expect(await start).toBeNull();
  await waitForText("when you send a message");
  expect(existsSync(join(home, "keys.json"))).toBe(false);
});

test("FST9 Esc at the API key skips the setup and saves nothing", async () => {
  const start = runFirstStart({ app: await readyWith({ model: "anthropic/claude-opus-4-5" }), screen: shown.screen });
  await waitForText("API key for Anthropic");
  shown.terminal.press("s", "k", "\x1b");
  expect(await start).toBeNull();
  expect(existsSync(join(home, "keys.json"))).toBe(false);
});

test("FST3 looking again for local models without finding any says where Pith looked and what to do", async () => {
  const { release } = await reserveLocalModelPort();
  onTestFinished(release);
  const start = runFirstStart({ app: await readyWith(), screen: shown.screen });
  await waitForText("Choose a provider");
  expect(await shown.screenText()).not.toContain("No local model was found");
  shown.terminal.press("\x1b[F");
  await waitForText("❯ Look for local models again");
  shown.terminal.press("\r");
  await waitForText("No local model was found");
  await waitForText("Choose a provider");
  expect((await shown.screenText()).replaceAll(/\s+/g, " ")).toMatch(
    /Pith looked for ollama \(127.0.0.1:11434\).*then choose "Look for local models again"/,
  );
  shown.terminal.press("\x1b");
  expect(await start).toBeNull();
});

test("FST4 without a network a key is saved with a note, and the provider's default model is used", async () => {
  const start = runFirstStart({ app: await readyWith(), screen: shown.screen });
  await waitForText("Choose a provider");
  shown.terminal.type("claude");
  shown.terminal.press("\r");
  await giveKey();
  expect(await start).toMatchObject({
    overrides: { model: "anthropic/claude-sonnet-5" },
    isModelChosenAtStartup: true,
  });
  expect(JSON.parse(readFileSync(join(home, "keys.json"), "utf8"))).toEqual({ anthropic: "sk-ant-1" });
  expect((await shown.terminal.scrollback()).join("\n")).not.toContain("sk-ant");
});

test("FST10 with a configured model, only its API key is requested", async () => {
  const start = runFirstStart({ app: await readyWith({ model: "anthropic/claude-opus-4-5" }), screen: shown.screen });
  await giveKey();
  // The model keeps its source, such as the settings file.
  expect((await start)?.overrides).toEqual({});
});

test("FST9 a message sent before the setup stays in the editor if it is skipped and is sent once it is complete", async () => {
  const ready = await readyWith({ model: "anthropic/claude-opus-4-5" });
  const left: (CliArgs | null)[] = [];
  const talking = {
    app: { ...ready, sessionPath: null },
    screen: shown.screen,
    leave: (next: CliArgs | null) => left.push(next),
  } as unknown as InteractiveContext;
  const first = sendAfterSetup("Are you there?", talking);
  await waitForText("API key for Anthropic");
  shown.terminal.press("\x1b");
  await first;
  expect([shown.screen.editorText.text, left]).toEqual(["Are you there?", []]);
  const second = sendAfterSetup("Are you there?", talking);
  await giveKey();
  await second;
  expect(left.map((next) => [next?.prompt, next?.overrides])).toEqual([["Are you there?", {}]]);
});

test("FST2 with a key of any provider in the environment, its default model is used", async () => {
  for (const [variable, provider] of [
    ["ANTHROPIC_API_KEY", "anthropic"],
    ["OPENROUTER_API_KEY", "openrouter"],
    ["GROQ_API_KEY", "groq"],
    ["ZAI_API_KEY", "zai"],
  ] as const) {
    const chosen = await chooseModel({}, { environment: { [variable]: "any" }, home, sessionId: "s" });
    expect(chosen.type === "opened" && `${chosen.model.provider}/${chosen.model.model}`).toBe(
      `${provider}/${createCatalogue().defaultModel(provider)}`,
    );
    expect(chosen.type === "opened" && chosen.factsResult.source).toBe("snapshot");
  }
});
