/** Runs `pnpm bench sandbox`: the time of a command with and without the sandbox, measured alternately. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkspaceShell } from "@pith/agent";
import { detectSandbox, nodeShell, openPrivateFolders, SandboxNetwork, sandboxedShell } from "@pith/agent/node";
import { median } from "../statistics.ts";
import type { Figures, Suite } from "../suite.ts";

export const sandboxSuite: Suite = {
  name: "sandbox",
  description: "a command in the sandbox, compared with the same command without one",
  run: ({ quick, log }) => {
    const runs = quick ? 10 : 60;
    log(`${runs} runs of each command in each shell, in turns; medians`);
    return measureSandbox(runs);
  },
};

/** A minimal command, and one that opens many files. */
const COMMANDS = { true: "true", node: `'${process.execPath}' -e 0` };

/** The private folders and the network are opened once per session, with its first command. */
export async function measureSandbox(runs: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-sandbox-"));
  try {
    return await measureInFolder(folder, runs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureInFolder(folder: string, runs: number): Promise<Figures> {
  const [root, home] = [join(folder, "home/workspace"), join(folder, "home")];
  mkdirSync(root, { recursive: true });
  const environment = { PATH: process.env.PATH, HOME: home };
  const sandbox = await detectSandbox({ environment, root, home });
  if (sandbox.type === "unavailable") throw new Error(`no sandbox is available: ${sandbox.why}`);
  const startTime = performance.now();
  const privateFolders = await openPrivateFolders({ folder: join(folder, "sandbox"), root, home, environment });
  const permitHost = async () => ({ type: "refused" as const, why: "no network in this benchmark" });
  const network = await SandboxNetwork.open({ program: sandbox.program, environment, permitHost });
  const openMs = performance.now() - startTime;
  const sandboxed = sandboxedShell({
    ...{ program: sandbox.program, root, home, privateHome: privateFolders.home, temporary: privateFolders.temporary },
    caught: { folder: join(folder, "caught"), record: privateFolders.absentNames },
    ...{ journal: privateFolders.journal, environment, network, mayWrite: () => true, readable: [process.execPath] },
  });
  try {
    return {
      runs,
      open_ms: openMs,
      ...(await timeAlternately({ sandboxed, bare: nodeShell({ root, environment }) }, runs)),
    };
  } finally {
    await network.close();
    await privateFolders.close();
  }
}

async function timeAlternately(
  shells: Readonly<Record<"sandboxed" | "bare", WorkspaceShell>>,
  runs: number,
): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const [name, command] of Object.entries(COMMANDS)) {
    const times = { sandboxed: [] as number[], bare: [] as number[] };
    for (let round = 0; round < runs; round += 1)
      for (const shell of ["bare", "sandboxed"] as const) times[shell].push(await timeCommand(shells[shell], command));
    figures[`bare_${name}_ms`] = median(times.bare);
    figures[`sandboxed_${name}_ms`] = median(times.sandboxed);
    figures[`sandbox_adds_to_${name}_ms`] = median(
      times.sandboxed.map((time, round) => time - (times.bare[round] ?? 0)),
    );
  }
  return figures;
}

async function timeCommand(shell: WorkspaceShell, command: string): Promise<number> {
  const startTime = performance.now();
  let output = "";
  const runOptions = {
    signal: new AbortController().signal,
    onOutput: (chunk: Uint8Array): void => {
      output += Buffer.from(chunk).toString();
    },
  };
  const result = await shell.run(command, runOptions);
  if (result.type !== "ended" || result.exitCode !== 0)
    throw new Error(`\`${command}\` failed: ${JSON.stringify(result)} ${output}`);
  return performance.now() - startTime;
}
