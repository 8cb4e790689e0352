/** Drives a program in a tmux terminal through tmux's control mode, and records when each byte is painted. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";

export interface Tmux {
  /** The process in the terminal. */
  readonly pid: number;
  /** Presses keys; `awaited` are signs whose being painted counts. How many milliseconds that took. */
  press(text: string, awaited: string): Promise<number>;
  /** Pressed without waiting, by tmux's names: `Enter`, `C-c`. */
  send(...keys: readonly string[]): void;
  /** When this is written to the terminal, from the start on; how many milliseconds after the start of the program that was. */
  painted(text: string): Promise<number>;
  /** What is seen now. */
  seen(): string;
  end(): Promise<void>;
}

export interface Started {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
}

const MOST_MS = 60_000;

export async function startTmux({ command, env, folder }: Started): Promise<Tmux> {
  const socket = `pith-bench-${randomBytes(6).toString("hex")}`;
  const words = command.map(quoted).join(" ");
  const began = performance.now();
  const size = ["-x", "100", "-y", "30"];
  const child = spawn("tmux", ["-L", socket, "-f", "/dev/null", "-C", "new-session", ...size, `exec ${words}`], {
    cwd: folder,
    env: { ...env, TERM: "xterm-256color" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const output = new Output(child, began);
  const asked = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8" }).trim();
  const tell = (line: string): void => void child.stdin?.write(`${line}\n`);
  await output.until(() => output.isBegun);
  return {
    pid: Number(asked("display-message", "-p", "#{pane_pid}")),
    press: async (text, awaited) => {
      const since = output.length;
      const sent = performance.now();
      tell(`send-keys -l ${quoted(text)}`);
      await output.until(() => output.text.includes(awaited, since));
      return performance.now() - sent;
    },
    send: (...keys) => tell(`send-keys ${keys.map(quoted).join(" ")}`),
    painted: async (text) => {
      await output.until(() => output.text.includes(text));
      return output.momentOf(text) - began;
    },
    seen: () => asked("capture-pane", "-p"),
    end: async () => {
      execFileSync("tmux", ["-L", socket, "kill-server"]);
      await new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve(null)));
    },
  };
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What the program wrote, with when it came. */
class Output {
  text = "";
  isBegun = false;
  readonly #moments: { readonly length: number; readonly at: number }[] = [];
  #rest = "";
  #wake: () => void = () => {};

  constructor(child: ChildProcess, began: number) {
    this.#moments.push({ length: 0, at: began });
    child.stdout?.setEncoding("latin1").on("data", (chunk: string) => this.#came(chunk));
  }

  get length(): number {
    return this.text.length;
  }

  async until(holds: () => boolean): Promise<void> {
    const end = performance.now() + MOST_MS;
    while (!holds()) {
      const left = end - performance.now();
      if (left <= 0)
        throw new Error(`the screen did not come to it within ${MOST_MS / 1000} s:\n${this.text.slice(-2_000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  momentOf(text: string): number {
    const end = this.text.indexOf(text) + text.length;
    return this.#moments.find(({ length }) => length >= end)?.at ?? Number.NaN;
  }

  #came(chunk: string): void {
    const at = performance.now();
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("%begin")) this.isBegun = true;
      const [, data] = /^%output %\d+ (.*)$/s.exec(line.replace(/\r$/, "")) ?? [];
      if (data !== undefined) this.text += unescaped(data);
    }
    this.#moments.push({ length: this.text.length, at });
    this.#wake();
  }
}

/** Control mode writes what is not plain as three octal digits, byte by byte. */
function unescaped(data: string): string {
  const bytes = data.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
