/** Runs one command in the sandbox and prints what it printed. Started by tests in a place that the test process itself does not have. */

import type { SandboxOptions } from "../../../src/node/sandbox/options.ts";
import { sandboxedShell } from "../../../src/node/sandbox/shell.ts";

interface Run {
  readonly options: Omit<SandboxOptions, "mayWrite">;
  readonly command: string;
}

const { options, command } = JSON.parse(process.argv[2] ?? "") as Run;
const end = await sandboxedShell({ ...options, mayWrite: () => true }).run(command, {
  signal: new AbortController().signal,
  onOutput: (chunk) => void process.stdout.write(Uint8Array.from(chunk)),
});
if (end.type !== "ended") process.stdout.write(end.message);
