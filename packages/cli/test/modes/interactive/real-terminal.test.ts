/** Tests how a session ends in a real terminal, for every cause. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { TestWorkspace, type TestWorkspaceOptions } from "../../../e2e/support/test-workspace.ts";
import type { Tmux } from "../../../e2e/support/tmux.ts";
import { findBuiltProgram } from "../../support/built-program.ts";

const program = findBuiltProgram();
const sleeping: Step = { parts: [{ type: "call", name: "bash", arguments: { command: "echo begun; sleep 90" } }] };

async function createWorkspace(options: Partial<TestWorkspaceOptions> = {}): Promise<TestWorkspace> {
  const workspace = await TestWorkspace.create({ script: [], program, ...options });
  onTestFinished(() => workspace.remove());
  return workspace;
}

/** The shell has its terminal back: it echoes, and reads whole lines. */
async function expectShell(tmux: Tmux, code: number): Promise<void> {
  await tmux.waitFor(/^\$ $|^\$\s*$/m);
  await tmux.enter("echo code=$? $(stty -a | grep -o -w -e '-\\?icanon' -e '-\\?echo' | tr '\\n' ' ')");
  const screen = await tmux.waitFor(/code=\d+ \S/);
  expect(screen).toMatch(new RegExp(`code=${code} (?:icanon echo|echo icanon)`));
}

async function isGone(pid: number): Promise<void> {
  const end = Date.now() + 30_000;
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    if (Date.now() > end) throw new Error(`${pid} still runs`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("MAN14 SIGTERM and SIGHUP stop the run, save the session, restore the terminal and exit with their code", async () => {
  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    const workspace = await createWorkspace({ script: [sleeping, "never"], settings: { permissionMode: "all" } });
    const tmux = await workspace.startProgram();
    await tmux.enter("begin");
    await tmux.waitFor("begun");
    process.kill(workspace.pid, signal);
    await expectShell(tmux, code);
    await isGone(workspace.pid);
    expect(await tmux.screen()).not.toContain(" s · Esc stop");
    expect(workspace.sessions().join("")).toMatch(/begin[\s\S]*begun/);
    expect(workspace.server.requests.length).toBe(1);
  }
});

test("MAN14 a closed terminal ends the program, and the session is saved", async () => {
  const workspace = await createWorkspace({ script: [sleeping, "never"], settings: { permissionMode: "all" } });
  const tmux = await workspace.startProgram();
  await tmux.enter("begin");
  await tmux.waitFor("begun");
  const { pid } = workspace;
  await tmux.end();
  await isGone(pid);
  expect(workspace.sessions().join("")).toContain("begin");
});

test("MAN15 an internal error restores the terminal before it is printed, without control sequences", async () => {
  const workspace = await createWorkspace({ script: ["Here I am."] });
  const fault = join(workspace.root, "fault.mjs");
  writeFileSync(fault, 'process.on("SIGUSR2", () => { throw new Error("broken \\x1b[2J inside"); });');
  const tmux = await workspace.openTerminal();
  await tmux.enter(`NODE_OPTIONS='--import ${fault}' pith`);
  await tmux.waitFor("edit mode");
  await tmux.enter("begin");
  await tmux.waitFor("Here I am.");
  await tmux.enter("/settings");
  await tmux.waitFor("type to filter");
  process.kill(workspace.pid, "SIGUSR2");
  const screen = await tmux.waitFor("the session is saved; continue with: pith -c");
  expect(screen).toContain("internal error: Error: broken \\x1b[2J inside");
  expect(screen).not.toContain("type to filter");
  await expectShell(tmux, 1);
});

test("MAN19 after an internal error, an unsaved session is not called saved", async () => {
  const workspace = await createWorkspace({ script: ["Here I am."] });
  const fault = join(workspace.root, "fault.mjs");
  writeFileSync(fault, 'process.on("SIGUSR2", () => { throw new Error("broken inside"); });');
  const tmux = await workspace.openTerminal();
  await tmux.enter(`NODE_OPTIONS='--import ${fault}' pith --no-session`);
  await tmux.waitFor("edit mode");
  await tmux.enter("begin");
  await tmux.waitFor("Here I am.");
  process.kill(workspace.pid, "SIGUSR2");
  await tmux.waitFor("internal error: Error: broken inside");
  await expectShell(tmux, 1);
  expect(await tmux.screen()).not.toContain("saved");
});

test("MAN16 Ctrl+Z returns to the shell, and fg restores the screen with the typed text", async () => {
  const workspace = await createWorkspace();
  const tmux = await workspace.startProgram();
  await tmux.type("half a thought");
  await tmux.waitFor("half a thought");
  await tmux.press("C-z");
  await tmux.waitFor(/Stopped|suspended/i);
  await tmux.enter("echo in between");
  await tmux.waitFor(/^in between$/m);
  expect(await tmux.screen()).not.toContain("edit mode");
  await tmux.enter("fg");
  const screen = await tmux.waitFor(/in between[\s\S]*half a thought[\s\S]*edit mode/);
  expect(screen.match(/half a thought/g)).toHaveLength(1);
  await tmux.type(" goes on");
  await tmux.waitFor("half a thought goes on");
});

test("MAN16 Ctrl+Z works while a panel is open, and fg shows the panel again", async () => {
  const workspace = await createWorkspace();
  const tmux = await workspace.startProgram();
  for (const [command, sign] of [
    ["/settings", "type to filter"],
    ["/mode", "Choose a permission mode"],
  ] as const) {
    await tmux.enter(command);
    await tmux.waitFor(sign);
    await tmux.press("C-z");
    await tmux.waitFor(/Stopped|suspended/i);
    expect(await tmux.screen()).not.toContain(sign);
    await tmux.enter("clear; fg");
    await tmux.waitFor(sign);
    await tmux.press("Escape");
    await tmux.waitUntilGone(sign);
  }
});
