/** A talk on a terminal for tests: the real program on a scripted server, in a folder and a home of its own. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Script, startServer, type TestServer } from "@pith/testkit";
import { onTestFinished } from "vitest";
import type { CliArgs } from "../../../src/args/args.ts";
import type { Notifier } from "../../../src/modes/interactive/notifications.ts";
import { createTheme } from "../../../src/modes/interactive/render/theme.ts";
import { Screen } from "../../../src/modes/interactive/screen.ts";
import { type InteractiveSession, openInteractiveSession } from "../../../src/modes/interactive/session-loop.ts";
import { initialScreenState } from "../../../src/modes/interactive/state/screen-state.ts";
import { saveEnvironment } from "../../environment.ts";
import { Headless } from "./headless.ts";

export interface TalkOn {
  readonly screen: Screen;
  readonly terminal: Headless;
  readonly talk: InteractiveSession;
  readonly server: TestServer;
  readonly folder: string;
  readonly home: string;
  /** Whether somebody has left, and to where. */
  readonly left: () => CliArgs | null | undefined;
  say(text: string): void;
  /** When the screen shows it. */
  sees(text: string | RegExp): Promise<string>;
  /** When the screen does not show it any more. */
  gone(text: string): Promise<void>;
  /** When something holds. */
  until(holds: () => boolean): Promise<void>;
}

export interface TalkWish {
  readonly wish?: Partial<CliArgs>;
  readonly notifier?: Notifier;
  /** Default: 0, questions accept keys as soon as they are drawn. */
  readonly quietMs?: number;
  /** Before it is opened. */
  readonly prepare?: (places: { readonly folder: string; readonly home: string }) => void;
}

export async function talkOn(
  script: Script,
  { wish = {}, notifier, quietMs = 0, prepare }: TalkWish = {},
): Promise<TalkOn> {
  const folder = mkdtempSync(join(tmpdir(), "pith-talk-"));
  const home = mkdtempSync(join(tmpdir(), "pith-home-"));
  const server = await startServer({ script });
  const restoreEnvironment = saveEnvironment();
  Object.assign(process.env, { PITH_HOME: home, ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: server.url });
  process.chdir(folder);
  prepare?.({ folder, home });
  const terminal = new Headless();
  let talk: InteractiveSession | null = null;
  const screen = new Screen({
    terminal,
    theme: createTheme("none"),
    quietMs,
    initialState: initialScreenState,
    now: Date.now,
    onKey: (key, amid) => talk?.handleKey(key, amid) ?? false,
    onSubmit: (text) => void talk?.handleSubmit(text),
  });
  screen.start();
  const opened = await openInteractiveSession({ ...bare, ...wish }, screen, notifier);
  if (opened.type === "failed") throw new Error(opened.exit.message);
  talk = opened.session;
  let left: CliArgs | null | undefined;
  void talk.waitForNext().then((next) => {
    left = next;
  });
  await talk.show();
  onTestFinished(async () => {
    await opened.session.close();
    screen.stop();
    restoreEnvironment();
    await server.close();
    for (const each of [folder, home]) rmSync(each, { recursive: true, force: true });
  });
  return { screen, terminal, talk, server, folder, home, left: () => left, ...looking(terminal) };
}

function looking(terminal: Headless): Pick<TalkOn, "say" | "sees" | "gone" | "until"> {
  const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
    for (const end = Date.now() + PATIENCE; !(await holds()); ) {
      if (Date.now() > end) throw new Error(`it never came:\n${(await terminal.all()).join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    until,
    gone: (text) => until(async () => !(await terminal.screen()).join("\n").includes(text)),
    say: (text) => {
      terminal.type(text);
      terminal.press("\r");
    },
    sees: async (text) => {
      let seen = "";
      await until(async () => {
        seen = (await terminal.all()).join("\n");
        return typeof text === "string" ? seen.includes(text) : text.test(seen);
      });
      return seen;
    },
  };
}

/** Far more than it takes, on a machine that does other things as well. */
const PATIENCE = 300_000;

const bare: CliArgs = {
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
