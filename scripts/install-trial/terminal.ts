/** Runs a program in a tmux terminal of its own, types into it, and waits for text on its screen. */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "./trial.ts";

export interface Terminal {
  type(text: string): void;
  /** A key by tmux's name, such as `Enter` or `C-d`. */
  press(key: string): void;
  /** Resolves when the screen shows it. */
  shows(expected: RegExp): Promise<void>;
  /** Resolves with the status of the program when it has ended. */
  exited(): Promise<number>;
  close(): void;
}

const PATIENCE_MS = 120_000;

export function openTerminal(file: string, { cwd, env }: Command): Terminal {
  const socket = `pith-install-${randomBytes(6).toString("hex")}`;
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { cwd, env: { ...env, TERM: "xterm-256color" } })
      .toString()
      .trimEnd();
  // The shell stays when the program has ended, so that its last output and its status can be read.
  tmux("new-session", "-d", "-x", "100", "-y", "30", `${file}; echo "status:$?"; exec sleep 600`);
  const screen = (): string => tmux("capture-pane", "-p");
  const until = async <Value>(read: () => Value | null, what: string): Promise<Value> => {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await sleep(50)) {
      const value = read();
      if (value !== null) return value;
    }
    throw new Error(`${what} did not come within ${PATIENCE_MS / 1000} s; the screen shows:\n${screen()}`);
  };
  return {
    type: (text) => void tmux("send-keys", "-l", text),
    press: (key) => void tmux("send-keys", key),
    shows: async (expected) => {
      await until(() => (expected.test(screen()) ? true : null), String(expected));
    },
    exited: () =>
      until(() => {
        const status = /^status:(\d+)$/m.exec(screen())?.[1];
        return status === undefined ? null : Number(status);
      }, "its end"),
    close: () => void tmux("kill-server"),
  };
}
