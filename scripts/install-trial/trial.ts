/** Runs named steps one after the other, counts those that fail, and starts commands with an environment of their own. */

import { execFile } from "node:child_process";

export class Trial {
  failed = 0;
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Runs a step. What it returns is printed beside its name; what it throws counts as a failure, and the trial goes on. */
  async step(name: string, run: () => Promise<string | undefined> | string | undefined): Promise<void> {
    const began = performance.now();
    try {
      const detail = await run();
      this.#print(`ok      ${name} (${seconds(began)})${detail ? `: ${detail}` : ""}`);
    } catch (error) {
      this.failed += 1;
      this.#print(`FAILED  ${name} (${seconds(began)}): ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Says that something was not tried, and why. */
  notTried(name: string, reason: string): void {
    this.#print(`skipped ${name}: ${reason}`);
  }
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`;
}

export interface Command {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Its standard output. Rejects with all it wrote if it fails, or if Node warned of something. */
export function run(
  file: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 300_000 }: Command,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { cwd, env, timeout: timeoutMs, maxBuffer: 1 << 26 }, (error, out, notes) => {
      if (error || /\w+Warning: /.test(notes))
        reject(new Error(`${error?.message ?? "Node warned"}\n${out}\n${notes}`.trim()));
      else resolve(out);
    });
    child.stdin?.end();
  });
}

export function requireText(text: string, expected: RegExp): void {
  if (!expected.test(text)) throw new Error(`expected ${expected}, got: ${text.slice(0, 2_000)}`);
}

/** What a fresh user has, and what this machine needs to reach the network: certificates and proxies. */
export function freshEnvironment(home: string, path: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name));
  return { ...Object.fromEntries(kept.map(([name, value = ""]) => [name, value])), HOME: home, PATH: path };
}

const KEPT =
  /^(?:lang|lc_\w+|tmpdir|temp|tmp|systemroot|comspec|pathext|appdata|localappdata|userprofile|ssl_\w+|node_extra_ca_certs|npm_config_(?:registry|cafile)|https?_proxy|no_proxy)$/i;
