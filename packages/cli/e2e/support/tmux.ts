/** Controls a real terminal: a tmux server of its own with a shell, and keys as a user presses them. Waits depend on the screen, never on time. */

import { execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface TmuxParts {
  /** A folder of its own, for its settings. */
  readonly folder: string;
  readonly cwd: string;
  readonly columns: number;
  readonly rows: number;
  readonly variables: Readonly<Record<string, string>>;
}

export class Tmux {
  /** Lines that were typed and sent. */
  readonly entered: string[] = [];
  readonly socket: string;
  #isOver = false;

  private constructor(socket: string) {
    this.socket = socket;
  }

  static async start({ folder, cwd, columns, rows, variables }: TmuxParts): Promise<Tmux> {
    started += 1;
    const tmux = new Tmux(`pith-e2e-${process.pid}-${started}`);
    const settings = join(folder, "tmux.conf");
    writeFileSync(settings, SETTINGS);
    const pairs = Object.entries({ ...variables, PS1: "$ ", TERM: "xterm-256color" });
    const shell = ["env", "-i", ...pairs.map(([name, value]) => `${name}=${value}`), "sh"];
    const size = ["-x", String(columns), "-y", String(rows)];
    await tmux.#call("-f", settings, "new-session", "-d", "-c", cwd, ...size, ...shell);
    if (IS_WATCHED) spawn("tmux", ["-L", tmux.socket, "attach", "-r"], { stdio: "inherit" });
    await tmux.waitFor("$");
    return tmux;
  }

  /** Letters, as they are. */
  async type(text: string): Promise<void> {
    for (const piece of IS_WATCHED ? text : [text]) {
      await this.#call("send-keys", "-l", "--", piece);
      if (IS_WATCHED) await sleep(40);
    }
  }

  /** Keys by tmux's names: Enter, Escape, C-c, M-u, Up. */
  async press(...keys: readonly string[]): Promise<void> {
    if (IS_WATCHED) await sleep(1_500);
    await this.#call("send-keys", ...keys);
  }

  /** A line, and Enter when it is seen. */
  async enter(text: string): Promise<void> {
    this.entered.push(text);
    await this.type(text);
    await this.waitFor(text.slice(-20));
    await this.press("Enter");
  }

  async paste(text: string): Promise<void> {
    await this.#call("set-buffer", "--", text);
    await this.#call("paste-buffer", "-p");
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#call("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** What is seen. */
  async screen(): Promise<string> {
    return await this.#call("capture-pane", "-p");
  }

  /** With what was scrolled away. */
  async scrollback(): Promise<string> {
    return await this.#call("capture-pane", "-p", "-S", "-");
  }

  async waitFor(wanted: string | RegExp, longest: number = LONGEST): Promise<string> {
    const isThere = (screen: string): boolean =>
      typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen);
    return await this.waitUntil(isThere, `${wanted}`, longest);
  }

  async waitUntilGone(unwanted: string): Promise<string> {
    return await this.waitUntil((screen) => !screen.includes(unwanted), `no more ${unwanted}`);
  }

  /** Until nothing moves any more. */
  async settled(): Promise<void> {
    let before = "";
    let since = Date.now();
    await this.waitUntil((screen) => {
      if (screen !== before) since = Date.now();
      before = screen;
      return Date.now() - since > 500;
    }, "nothing to move");
  }

  async waitUntil(isSo: (screen: string) => boolean, wanted: string, longest: number = LONGEST): Promise<string> {
    const end = Date.now() + longest;
    for (;;) {
      const screen = await this.screen();
      if (isSo(screen)) return screen;
      if (Date.now() > end) throw new Error(`waited in vain for ${wanted}; this is seen:\n${framed(screen)}`);
      await sleep(40);
    }
  }

  /** Ends this server and all that runs in it, and nothing else. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    if (IS_WATCHED) await sleep(3_000);
    await this.#call("kill-server").catch(() => {}); // It may have ended by itself.
  }

  async #call(...args: readonly string[]): Promise<string> {
    const { stdout } = await run("tmux", ["-L", this.socket, ...args]);
    return stdout;
  }
}

let started = 0;

/** Somebody looks on, and wants to see what happens. */
const IS_WATCHED = process.env.PITH_E2E_WATCH === "1";

/** A machine that does ten other things is slow, and still right. */
const LONGEST = Number(process.env.PITH_E2E_LONGEST ?? 60_000);

const SETTINGS: string = [
  "set -g history-limit 50000",
  "set -g default-terminal xterm-256color",
  "set -s escape-time 0",
  "set -g focus-events on",
  "set -g status off",
].join("\n");

function framed(screen: string): string {
  return screen
    .trimEnd()
    .split("\n")
    .map((line) => `  │ ${line}`)
    .join("\n");
}

/** Keys count once nobody is typing any more, so that one meant for the editor permits nothing. */
export async function answerPermission(key: "y" | "n", terminal: Tmux): Promise<void> {
  await terminal.waitFor(LAST);
  await sleep(500);
  for (let screen = await terminal.screen(); screen.includes(LAST); screen = await terminal.screen()) {
    await terminal.press(key);
    await sleep(1_000);
  }
}

const LAST = "No, and tell the model why";
