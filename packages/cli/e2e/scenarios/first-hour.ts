/** The first hour of a new user, from an empty home: no key, a second provider, a wrong key, a local server and no network, at two sizes. */

import { expectThat, type Keep, type Scenario } from "../scenario.ts";
import { findFreePort, type KeyGate, startKeyGate } from "../support/local-servers.ts";
import { TestWorkspace, type TestWorkspaceOptions } from "../support/test-workspace.ts";
import type { Tmux } from "../support/tmux.ts";
import { chooseLocalModel } from "./first-starts.ts";

const KEY = "sk-right-0123456789-abcdef";
const WRONG_KEY = "sk-wrong-0123456789-abcdef";
const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 140, rows: 40 },
];

export const firstHour: Scenario = {
  name: "first-hour",
  says: "a new user reaches an answer without a key, with a wrong one, with a second provider, with a local server and after a lost network",
  run: async (keep) => {
    for (const size of SIZES) {
      await walkWithGate(keep, size, startWithoutKey);
      await walkWithGate(keep, size, startWithWrongKey);
      await startWithLocalServer(keep, size);
      await startWithoutNetwork(keep, size);
    }
    return `five situations at ${SIZES.map(({ columns, rows }) => `${columns}×${rows}`).join(" and ")}`;
  },
};

type Size = (typeof SIZES)[number];
type Walk = (start: (options: Partial<TestWorkspaceOptions>) => Promise<Tmux>, gate: KeyGate) => Promise<void>;

/** The gate accepts only `KEY`, for Anthropic and for OpenAI. */
async function walkWithGate(keep: Keep, size: Size, walk: Walk): Promise<void> {
  const gate = await startKeyGate({ acceptedKey: KEY, models: ["claude-sonnet-5", "gpt-6-sol"] });
  const variables = { ANTHROPIC_BASE_URL: gate.url, OPENAI_BASE_URL: gate.url };
  try {
    await walk(async (options) => {
      const workspace = await keep(
        TestWorkspace.create({ ...size, script, ...options, variables: { ...variables, ...options.variables } }),
      );
      gate.target = workspace.server.url;
      return await openProgram(workspace);
    }, gate);
  } finally {
    gate.close();
  }
}

const script = () => "Good morning, I am here.";

async function openProgram(workspace: TestWorkspace): Promise<Tmux> {
  const terminal = await workspace.openTerminal();
  await terminal.enter("pith");
  return terminal;
}

/** Skips the question, is asked again with the first message, and later adds a second provider. */
const startWithoutKey: Walk = async (start) => {
  const terminal = await start({ isKeyless: true });
  await terminal.waitFor(/Choose a provider[\s\S]*Enter select/);
  await terminal.press("Escape");
  await terminal.waitFor("No model is configured yet");
  await terminal.enter("Are you there?");
  await terminal.waitFor(/Choose a provider[\s\S]*Enter select/);
  await terminal.type("claude");
  await terminal.waitFor("❯ Anthropic");
  await terminal.press("Enter");
  await enterKey(terminal, "API key for Anthropic", KEY);
  await terminal.waitFor(/Choose a model from Anthropic[\s\S]*Enter select/);
  await terminal.press("Enter");
  await expectAnswer(terminal);
  await terminal.enter("/login openai");
  await enterKey(terminal, "API key for OpenAI", KEY);
  await terminal.waitFor(/OpenAI[^\n]*: Pith will use/);
  await terminal.enter("/model gpt-6-sol");
  await terminal.waitFor("Model set to openai/gpt-6-sol");
  await terminal.enter("And you?");
  await expectAnswer(terminal);
  await terminal.enter("/logout openai");
  await terminal.waitFor(/keeps\s+using\s+it\s+until\s+it\s+ends/);
  await expectCleanEnd(terminal);
};

/** Keeps working after Esc, and replaces the key with `/login`. */
const startWithWrongKey: Walk = async (start) => {
  const terminal = await start({ isKeyless: true, variables: { ANTHROPIC_API_KEY: WRONG_KEY } });
  await terminal.waitFor("edit mode");
  await terminal.enter("Are you there?");
  await terminal.waitFor("rejected the API key in ANTHROPIC_API_KEY");
  await terminal.waitFor(/Enter another one with \/login\s+anthropic/);
  await terminal.press("Escape");
  await terminal.waitUntilGone("Esc skip");
  await terminal.enter("/login anthropic");
  await enterKey(terminal, "API key for Anthropic", KEY);
  await terminal.waitFor("now uses the API key you entered");
  await terminal.enter("Are you there now?");
  await expectAnswer(terminal);
  await expectCleanEnd(terminal);
};

async function startWithLocalServer(keep: Keep, size: Size): Promise<void> {
  const server = { port: 11434, local: { kind: "ollama", model: "qwen3", window: 32_768 } } as const;
  const workspace = await keep(TestWorkspace.create({ ...size, script, isKeyless: true, server }));
  const terminal = await openProgram(workspace);
  await chooseLocalModel(terminal, "qwen3:latest");
  await terminal.waitFor("no API key needed");
  await terminal.enter("Are you there?");
  await expectAnswer(terminal);
  await expectCleanEnd(terminal);
  await workspace.remove();
}

/** Nothing listens at first; the message is sent again once the server runs. */
async function startWithoutNetwork(keep: Keep, size: Size): Promise<void> {
  const port = await findFreePort();
  const variables = { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
  const workspace = await keep(TestWorkspace.create({ ...size, script, isKeyless: true, variables }));
  const terminal = await openProgram(workspace);
  await terminal.waitFor("edit mode");
  await terminal.enter("Are you there?");
  await terminal.waitFor("No server is listening at that address");
  const gate = await startKeyGate({ acceptedKey: KEY, models: [], port });
  gate.target = workspace.server.url;
  try {
    await terminal.enter("Are you there now?");
    await expectAnswer(terminal);
    await expectCleanEnd(terminal);
  } finally {
    gate.close();
  }
}

async function enterKey(terminal: Tmux, title: string, key: string): Promise<void> {
  await terminal.waitFor(title);
  await terminal.waitFor("Enter confirm");
  await terminal.paste(key);
  await terminal.waitFor(`${key.length} characters`);
  await terminal.press("Enter");
}

async function expectAnswer(terminal: Tmux): Promise<void> {
  await terminal.waitFor("Good morning, I am here.");
}

/** No key and no value that was never set is on the screen. */
async function expectCleanEnd(terminal: Tmux): Promise<void> {
  const text = await terminal.scrollback();
  for (const key of [KEY, WRONG_KEY]) expectThat(!text.includes(key), `the key was shown:\n${text}`);
  expectThat(!/undefined|\[object|NaN/.test(text), `a value is missing:\n${text}`);
}
