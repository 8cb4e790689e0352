/** Runs the interactive program on a terminal for tests, with a scripted server, in a folder and a home of its own. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Script, type Step, startServer, type TestServer } from "@pith/testkit";
import { onTestFinished } from "vitest";
import type { CliArgs } from "../../src/args/args.ts";
import type { Notifier } from "../../src/modes/interactive/notifications.ts";
import { createTheme } from "../../src/modes/interactive/render/theme.ts";
import { Screen } from "../../src/modes/interactive/screen.ts";
import { type InteractiveSession, openInteractiveSession } from "../../src/modes/interactive/session-loop.ts";
import { initialScreenState } from "../../src/modes/interactive/state/screen-state.ts";
import { HeadlessTerminal } from "./headless-terminal.ts";

export interface InteractiveApp {
  readonly screen: Screen;
  readonly terminal: HeadlessTerminal;
  readonly session: InteractiveSession;
  readonly server: TestServer;
  readonly folder: string;
  readonly home: string;
  /** What the session was left for; undefined while it is open. */
  readonly nextArgs: () => CliArgs | null | undefined;
  submit(text: string): void;
  /** When the screen shows it. */
  waitForText(text: string | RegExp): Promise<string>;
  /** When the screen does not show it any more. */
  waitUntilGone(text: string): Promise<void>;
  /** When something holds. */
  waitUntil(holds: () => boolean | Promise<boolean>): Promise<void>;
}

export interface InteractiveAppOptions {
  readonly args?: Partial<CliArgs>;
  readonly notifier?: Notifier;
  /** Default: 0, questions accept keys as soon as they are drawn. */
  readonly quietMs?: number;
  /** Before it is opened. */
  readonly prepare?: (places: { readonly folder: string; readonly home: string }) => void;
}

export async function startInteractiveApp(
  script: Script,
  { args = {}, notifier, quietMs = 0, prepare }: InteractiveAppOptions = {},
): Promise<InteractiveApp> {
  const folder = mkdtempSync(join(tmpdir(), "pith-app-"));
  const home = mkdtempSync(join(tmpdir(), "pith-home-"));
  const server = await startServer({ script });
  const restoreEnvironment = saveEnvironment();
  Object.assign(process.env, { PITH_HOME: home, ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url });
  process.chdir(folder);
  prepare?.({ folder, home });
  const terminal = new HeadlessTerminal();
  let session: InteractiveSession | null = null;
  const screen = new Screen({
    terminal,
    theme: createTheme("none"),
    quietMs,
    initialState: initialScreenState,
    now: Date.now,
    onKey: (key, amid) => session?.handleKey(key, amid) ?? false,
    onSubmit: (text) => void session?.handleSubmit(text),
  });
  screen.start();
  const opened = await openInteractiveSession({ ...defaultArgs, ...args }, screen, notifier);
  if (opened.type === "failed") throw new Error(opened.exit.message);
  session = opened.session;
  let nextArgs: CliArgs | null | undefined;
  void session.waitForNext().then((next) => {
    nextArgs = next;
  });
  await session.show();
  onTestFinished(async () => {
    await opened.session.close();
    screen.stop();
    restoreEnvironment();
    await server.close();
    for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
  });
  return { screen, terminal, session, server, folder, home, nextArgs: () => nextArgs, ...createActions(terminal) };
}

function createActions(
  terminal: HeadlessTerminal,
): Pick<InteractiveApp, "submit" | "waitForText" | "waitUntilGone" | "waitUntil"> {
  const waitUntil = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (const end = Date.now() + TIMEOUT_MS; !(await holds()); ) {
      if (Date.now() > end) throw new Error(`it never came:\n${(await terminal.scrollback()).join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    waitUntil,
    waitUntilGone: (text) => waitUntil(async () => !(await terminal.screen()).join("\n").includes(text)),
    submit: (text) => {
      terminal.type(text);
      terminal.press("\r");
    },
    waitForText: async (text) => {
      let screenText = "";
      await waitUntil(async () => {
        screenText = (await terminal.scrollback()).join("\n");
        return includesText(screenText, text);
      });
      return screenText;
    },
  };
}

/** Far more than it takes, on a machine that does other things as well. */
const TIMEOUT_MS = 300_000;

const defaultArgs: CliArgs = {
  prompt: "",
  files: [],
  session: { type: "new" },
  overrides: {},
  allow: [],
  deny: [],
  systemPrompt: undefined,
  appendSystemPrompt: undefined,
  trustsProject: false,
  mode: "screen",
};

export interface BusyApp extends InteractiveApp {
  /** Lets the command end. */
  finishCommand(): void;
}

/** Runs a command first, and then says what the script says. */
export async function startBusyApp(script: Script, options: InteractiveAppOptions = {}): Promise<BusyApp> {
  const waitingCommand: Step = {
    parts: [
      { type: "call", name: "bash", arguments: { command: "while [ ! -e go ]; do sleep 0.05; done; echo gone" } },
    ],
  };
  const app = await startInteractiveApp([waitingCommand, ...(script as readonly Step[])], allowAll(options));
  app.submit("work");
  await app.waitUntil(() =>
    app.screen.state.blocks.some((block) => block.kind === "tool" && block.state === "running"),
  );
  return { ...app, finishCommand: () => writeFileSync(join(app.folder, "go"), "") };
}

/** Permits everything without a question. */
export function allowAll(options: InteractiveAppOptions = {}): InteractiveAppOptions {
  return { ...options, args: { overrides: { permissionMode: "all" }, ...options.args } };
}

/** When nothing runs any more. */
export async function waitUntilIdle(app: InteractiveApp): Promise<void> {
  await app.waitUntil(
    () => app.screen.state.activity.type === "idle" && app.screen.state.pendingShellBlocks.length === 0,
  );
}

/** What the screen shows now. */
export async function readScreen({ terminal }: InteractiveApp): Promise<string> {
  return (await terminal.screen()).join("\n");
}

/** When the screen shows it; what was there before does not count. */
export async function waitForScreen(app: InteractiveApp, text: string | RegExp): Promise<string> {
  let screenText = "";
  await app.waitUntil(async () => {
    screenText = await readScreen(app);
    return includesText(screenText, text);
  });
  return screenText;
}

function includesText(screenText: string, text: string | RegExp): boolean {
  return typeof text === "string" ? screenText.includes(text) : text.test(screenText);
}

/** The texts of the user's messages in a request, oldest first. */
export function listUserTexts(app: InteractiveApp, request = -1): readonly string[] {
  const body = app.server.requests.at(request)?.body as { readonly messages: readonly Message[] } | undefined;
  return (body?.messages ?? [])
    .filter(({ role }) => role === "user")
    .flatMap(({ content }) => (typeof content === "string" ? [content] : content.flatMap(({ text }) => text ?? [])));
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

/** Remembers the environment variables and the working folder. Returns what sets them back. */
export function saveEnvironment(): () => void {
  const variables = { ...process.env };
  const folder = process.cwd();
  return () => {
    process.chdir(folder);
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
  };
}
