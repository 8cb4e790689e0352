/** A first start from the packed tarball, in an empty home: measured from the command to the first answer. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectThat, type Keep } from "../scenario.ts";
import { unpackProgram } from "../support/packed-program.ts";
import { TestWorkspace, type TestWorkspaceOptions } from "../support/test-workspace.ts";
import type { Tmux } from "../support/tmux.ts";

/** `act` comes as far as where one types. */
export async function onFirstStart(
  keep: Keep,
  options: Partial<TestWorkspaceOptions>,
  act: (terminal: Tmux, workspace: TestWorkspace) => Promise<void>,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "pith-packed-"));
  try {
    const script = () => "Good morning, I am here.";
    const workspace = await keep(TestWorkspace.create({ script, ...options, program: await unpackProgram(folder) }));
    const terminal = await workspace.openTerminal();
    const start = Date.now();
    await terminal.enter("pith");
    await act(terminal, workspace);
    await terminal.waitFor("Tell Pith what to do here");
    await terminal.enter("Are you there?");
    const answered = await terminal.waitFor("Good morning, I am here.");
    const seconds = (Date.now() - start) / 1000;
    expectThat(!answered.includes("Tell Pith what to do here"), "the hint is still there");
    expectThat(seconds < 60, `it took ${seconds} s to the first answer`);
    return `${seconds.toFixed(1)} s to the first answer`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Looks again until the local model is offered first: on a busy machine its server may answer too late. Then chooses it. */
export async function chooseLocalModel(terminal: Tmux, model: string): Promise<void> {
  for (;;) {
    const screenText = await terminal.waitFor(/Choose a provider[\s\S]*Enter select/);
    if (screenText.includes(`❯ ${model}`)) break;
    await terminal.press("End");
    await terminal.waitFor("❯ Look for local models again");
    await terminal.press("Enter");
    await terminal.waitUntilGone("❯ Look for local models again");
  }
  await terminal.press("Enter");
}
