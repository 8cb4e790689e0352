/** Drives a program in a tmux terminal through tmux's control mode, and records when each byte is painted. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";

export interface Tmux {
  /** The process in the terminal. */
  readonly pid: number;
  /** Types a text and waits until `expected` is painted. Returns the milliseconds. */
  typeAndWait(text: string, expected: string): Promise<number>;
  /** Presses keys by tmux's names (`Enter`, `C-c`) without waiting. */
  sendKeys(...keys: readonly string[]): void;
  /** Waits until a text is written to the terminal. Returns the milliseconds since the start of the program. */
  waitForText(text: string): Promise<number>;
  /** Returns the text on the screen. */
  captureScreen(): string;
  stop(): Promise<void>;
}

export interface TmuxCommand {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

const TIMEOUT_MS = 60_000;

export async function startTmux({ command, env, folder }: TmuxCommand): Promise<Tmux> {
  const socket = `pith-bench-${randomBytes(6).toString("hex")}`;
  const shellCommand = command.map(quoteShell).join(" ");
  const startTime = performance.now();
  const size = ["-x", "100", "-y", "30"];
  const child = spawn("tmux", ["-L", socket, "-f", "/dev/null", "-C", "new-session", ...size, `exec ${shellCommand}`], {
    cwd: folder,
    env: { ...env, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const output = new TerminalOutput(child, startTime);
  const runTmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8" }).trim();
  const sendLine = (line: string): void => void child.stdin?.write(`${line}\n`);
  await output.waitUntil(() => output.hasStarted);
  return {
    pid: Number(runTmux("display-message", "-p", "#{pane_pid}")),
    typeAndWait: async (text, expected) => {
      const offset = output.length;
      const sentTime = performance.now();
      sendLine(`send-keys -l ${quoteShell(text)}`);
      await output.waitUntil(() => output.text.includes(expected, offset));
      return performance.now() - sentTime;
    },
    sendKeys: (...keys) => sendLine(`send-keys ${keys.map(quoteShell).join(" ")}`),
    waitForText: async (text) => {
      await output.waitUntil(() => output.text.includes(text));
      return output.timeOf(text) - startTime;
    },
    captureScreen: () => runTmux("capture-pane", "-p"),
    stop: async () => {
      execFileSync("tmux", ["-L", socket, "kill-server"]);
      await new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve(null)));
    },
  };
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The output of the program, with the time of each piece. */
class TerminalOutput {
  text = "";
  hasStarted = false;
  readonly #times: { readonly length: number; readonly at: number }[] = [];
  #incompleteLine = "";
  #wake: () => void = () => {};

  constructor(child: ChildProcess, startTime: number) {
    this.#times.push({ length: 0, at: startTime });
    child.stdout?.setEncoding("latin1").on("data", (chunk: string) => this.#addChunk(chunk));
  }

  get length(): number {
    return this.text.length;
  }

  async waitUntil(condition: () => boolean): Promise<void> {
    const end = performance.now() + TIMEOUT_MS;
    while (!condition()) {
      const remainingMs = end - performance.now();
      if (remainingMs <= 0)
        throw new Error(
          `the expected output did not appear within ${TIMEOUT_MS / 1000} s:\n${this.text.slice(-2_000)}`,
        );
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, remainingMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  timeOf(text: string): number {
    const end = this.text.indexOf(text) + text.length;
    return this.#times.find(({ length }) => length >= end)?.at ?? Number.NaN;
  }

  #addChunk(chunk: string): void {
    const time = performance.now();
    const lines = (this.#incompleteLine + chunk).split("\n");
    this.#incompleteLine = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("%begin")) this.hasStarted = true;
      const [, data] = /^%output %\d+ (.*)$/s.exec(line.replace(/\r$/, "")) ?? [];
      if (data !== undefined) this.text += unescapeOctal(data);
    }
    this.#times.push({ length: this.text.length, at: time });
    this.#wake();
  }
}

/** tmux's control mode escapes bytes as three octal digits. */
function unescapeOctal(data: string): string {
  const bytes = data.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
