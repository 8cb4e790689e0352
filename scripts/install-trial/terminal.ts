/** Runs a program in a tmux terminal of its own, types into it, and waits for text on its screen. */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { CommandOptions } from "./trial.ts";

export interface Terminal {
  type(text: string): void;
  /** A key by tmux's name, such as `Enter` or `C-d`. */
  press(key: string): void;
  /** Resolves when the screen shows it. */
  waitForText(expected: RegExp): Promise<void>;
  /** Resolves with the status of the program when it has ended. */
  waitForExit(): Promise<number>;
  close(): void;
}

const TIMEOUT_MS = 120_000;

export function openTerminal(file: string, { cwd, env }: CommandOptions): Terminal {
  const socket = `pith-install-${randomBytes(6).toString("hex")}`;
  const tmux = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { cwd, env: { ...env, TERM: "xterm-256color" } })
      .toString()
      .trimEnd();
  // The shell stays when the program has ended, so that its last output and its status can be read.
  tmux("new-session", "-d", "-x", "100", "-y", "30", `${file}; echo "status:$?"; exec sleep 600`);
  const captureScreen = (): string => tmux("capture-pane", "-p");
  const waitFor = async <Value>(read: () => Value | null, description: string): Promise<Value> => {
    for (const end = performance.now() + TIMEOUT_MS; performance.now() < end; await sleep(50)) {
      const value = read();
      if (value !== null) return value;
    }
    throw new Error(`${description} did not come within ${TIMEOUT_MS / 1000} s; the screen shows:\n${captureScreen()}`);
  };
  return {
    type: (text) => void tmux("send-keys", "-l", text),
    press: (key) => void tmux("send-keys", key),
    waitForText: async (expected) => {
      await waitFor(() => (expected.test(captureScreen()) ? true : null), String(expected));
    },
    waitForExit: () =>
      waitFor(() => {
        const status = /^status:(\d+)$/m.exec(captureScreen())?.[1];
        return status === undefined ? null : Number(status);
      }, "its end"),
    close: () => void tmux("kill-server"),
  };
}
