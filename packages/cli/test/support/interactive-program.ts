/** Runs the interactive program, from its arguments to its exit, on a terminal for tests, with real sessions in a folder of its own and a scripted server. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Step, startServer, type TestServer } from "@pith/testkit";
import { parseCliArgs } from "../../src/args/args.ts";
import type { Notifier } from "../../src/modes/interactive/notifications.ts";
import { createTheme } from "../../src/modes/interactive/render/theme.ts";
import { Screen } from "../../src/modes/interactive/screen.ts";
import { type InteractiveSession, runSessions } from "../../src/modes/interactive/session-loop.ts";
import { initialScreenState } from "../../src/modes/interactive/state/screen-state.ts";
import type { ExitStatus } from "../../src/text/process-io.ts";
import { HeadlessTerminal } from "./headless-terminal.ts";
import { saveEnvironment } from "./interactive-app.ts";

export class InteractiveProgram {
  readonly root: string = realpathSync(mkdtempSync(join(tmpdir(), "pith-program-")));
  readonly home: string = join(this.root, "home");
  readonly folder: string = join(this.root, "project");
  readonly #restoreEnvironment = saveEnvironment();
  /** Told of what happens, where a test wants to know. */
  notifier: Notifier | undefined;
  #server: TestServer | null = null;
  #session: InteractiveSession | null = null;
  terminal: HeadlessTerminal = new HeadlessTerminal(100, 40);
  ended: Promise<ExitStatus> = Promise.resolve({ code: 0 });

  async serve(...script: readonly Step[]): Promise<void> {
    for (const path of [this.home, this.folder]) mkdirSync(path, { recursive: true });
    this.#server = await startServer({ script: [...script] });
    Object.assign(process.env, { HOME: this.root, PITH_HOME: this.home, ANTHROPIC_API_KEY: "any" });
    Object.assign(process.env, { ANTHROPIC_BASE_URL: this.#server.url });
    process.chdir(this.folder);
  }

  /** `pith` with these arguments. */
  start(...args: readonly string[]): void {
    const read = parseCliArgs(args);
    if (read.type !== "args") throw new Error(JSON.stringify(read));
    this.terminal = new HeadlessTerminal(100, 40);
    const screen = new Screen({
      terminal: this.terminal,
      theme: createTheme("none"),
      quietMs: 0,
      initialState: initialScreenState,
      now: Date.now,
      onKey: (key) => this.#session?.handleKey(key) ?? false,
      onSubmit: (written) => void this.#session?.handleSubmit(written),
    });
    screen.start();
    const onSessionShown = (session: InteractiveSession): void => {
      this.#session = session;
    };
    this.ended = runSessions(read.args, { screen, notifier: this.notifier, onSessionShown }).finally(async () => {
      await this.#session?.close();
      this.#session = null;
      screen.stop();
    });
  }

  async submit(text: string): Promise<void> {
    this.terminal.type(text);
    this.terminal.press("\r");
  }

  /** All that is seen or was, once these words are among it. */
  async waitForText(words: string | RegExp): Promise<string> {
    for (let tries = 0; tries < 3_000; tries++) {
      const screenText = (await this.terminal.scrollback()).join("\n");
      if (typeof words === "string" ? screenText.includes(words) : words.test(screenText)) return screenText;
      await sleep(20);
    }
    throw new Error(`never seen: ${words}\n${(await this.terminal.scrollback()).join("\n")}`);
  }

  async waitUntilGone(words: string): Promise<void> {
    for (let tries = 0; tries < 3_000; tries++) {
      if (!(await this.terminal.screen()).join("\n").includes(words)) return;
      await sleep(20);
    }
    throw new Error(`still seen: ${words}`);
  }

  async quit(): Promise<ExitStatus> {
    await this.submit("/quit");
    return await this.ended;
  }

  async remove(): Promise<void> {
    this.#restoreEnvironment();
    await this.#server?.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}
