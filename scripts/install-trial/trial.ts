/** Runs named steps one after the other, counts those that fail, and starts commands with an environment of their own. */

import { execFile } from "node:child_process";

export class InstallTrial {
  failedSteps = 0;
  readonly #print: (line: string) => void;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Runs a step. What it returns is printed beside its name; what it throws counts as a failure, and the trial goes on. */
  async runStep(name: string, run: () => Promise<string | undefined> | string | undefined): Promise<void> {
    const startTime = performance.now();
    try {
      const detail = await run();
      this.#print(`ok      ${name} (${formatSeconds(startTime)})${detail ? `: ${detail}` : ""}`);
    } catch (error) {
      this.failedSteps += 1;
      this.#print(`FAILED  ${name} (${formatSeconds(startTime)}): ${error instanceof Error ? error.message : error}`);
    }
  }

  /** Says that something was not tried, and why. */
  skip(name: string, reason: string): void {
    this.#print(`skipped ${name}: ${reason}`);
  }
}

function formatSeconds(startTime: number): string {
  return `${((performance.now() - startTime) / 1000).toFixed(1)} s`;
}

export interface CommandOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Its standard output. Rejects with all it wrote if it fails, or if Node warned of something. */
export function runCommand(
  file: string,
  args: readonly string[],
  { cwd, env, timeoutMs = 300_000 }: CommandOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      { cwd, env, timeout: timeoutMs, maxBuffer: 1 << 26 },
      (error, stdout, stderr) => {
        if (error || /\w+Warning: /.test(stderr))
          reject(new Error(`${error?.message ?? "Node warned"}\n${stdout}\n${stderr}`.trim()));
        else resolve(stdout);
      },
    );
    child.stdin?.end();
  });
}

export function requireText(text: string, expected: RegExp): void {
  if (!expected.test(text)) throw new Error(`expected ${expected}, got: ${text.slice(0, 2_000)}`);
}

/** What a fresh user has, and what this machine needs to reach the network: certificates and proxies. */
export function createEnvironment(home: string, path: string): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => INHERITED_VARIABLES.test(name));
  return { ...Object.fromEntries(inherited.map(([name, value = ""]) => [name, value])), HOME: home, PATH: path };
}

const INHERITED_VARIABLES =
  /^(?:lang|lc_\w+|tmpdir|temp|tmp|systemroot|comspec|pathext|appdata|localappdata|userprofile|ssl_\w+|node_extra_ca_certs|npm_config_(?:registry|cafile)|https?_proxy|no_proxy)$/i;
