/** Runs `pnpm bench sandbox`: what a command costs in the sandbox beside the same command without one, taken in turns. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceShell } from "@pith/agent";
import { nodeShell, openPrivateFolders, SandboxNetwork, sandboxedShell, sandboxHere } from "@pith/agent/node";
import { median } from "../statistics.ts";
import type { Figures, Suite } from "../suite.ts";

export const sandboxSuite: Suite = {
  name: "sandbox",
  about: "a command in the sandbox beside the same command without one",
  run: ({ quick, say }) => {
    const runs = quick ? 10 : 60;
    say(`${runs} runs of each command in each shell, in turns; medians`);
    return measureSandbox(runs);
  },
};

/** The shortest command there is, and one that starts a program which opens many files. */
const COMMANDS = { true: "true", node: `'${process.execPath}' -e 0` };

/** Opening the private folders and the network happens once in a session, with its first command. */
export async function measureSandbox(runs: number): Promise<Figures> {
  const place = mkdtempSync(join(tmpdir(), "pith-bench-sandbox-"));
  try {
    return await measureAt(place, runs);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function measureAt(place: string, runs: number): Promise<Figures> {
  const [root, home] = [join(place, "home/workspace"), join(place, "home")];
  mkdirSync(root, { recursive: true });
  const environment = { PATH: process.env.PATH, HOME: home };
  const here = await sandboxHere({ environment, root, home });
  if (here.type === "does-not") throw new Error(`no sandbox can be made here: ${here.why}`);
  const started = performance.now();
  const folders = await openPrivateFolders({ folder: join(place, "sandbox"), root, home, environment });
  const permitHost = async () => ({ type: "refused" as const, why: "nothing is reached here" });
  const network = await SandboxNetwork.open({ program: here.program, environment, permitHost });
  const openMs = performance.now() - started;
  const sandboxed = sandboxedShell({
    ...{ program: here.program, root, home, privateHome: folders.home, temporary: folders.temporary },
    ...{ journal: folders.journal, environment, network, mayWrite: () => true, readable: [process.execPath] },
  });
  try {
    return { runs, open_ms: openMs, ...(await takeTurns({ sandboxed, bare: nodeShell({ root, environment }) }, runs)) };
  } finally {
    await network.close();
    await folders.close();
  }
}

async function takeTurns(
  shells: Readonly<Record<"sandboxed" | "bare", WorkspaceShell>>,
  runs: number,
): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const [name, command] of Object.entries(COMMANDS)) {
    const times = { sandboxed: [] as number[], bare: [] as number[] };
    for (let run = 0; run < runs; run += 1)
      for (const shell of ["bare", "sandboxed"] as const) times[shell].push(await timeOf(shells[shell], command));
    figures[`bare_${name}_ms`] = median(times.bare);
    figures[`sandboxed_${name}_ms`] = median(times.sandboxed);
    figures[`sandbox_adds_to_${name}_ms`] = median(times.sandboxed.map((time, run) => time - (times.bare[run] ?? 0)));
  }
  return figures;
}

async function timeOf(shell: WorkspaceShell, command: string): Promise<number> {
  const started = performance.now();
  let output = "";
  const act = {
    signal: new AbortController().signal,
    output: (chunk: Uint8Array): void => {
      output += Buffer.from(chunk).toString();
    },
  };
  const end = await shell.run(command, act);
  if (end.type !== "ended" || end.exitCode !== 0)
    throw new Error(`\`${command}\` failed: ${JSON.stringify(end)} ${output}`);
  return performance.now() - started;
}
