/** Tests the bash tool with a sandbox: its schema, its intent, and its notes on failures that the sandbox caused. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sandboxedShell } from "../../../src/node/sandbox/shell.ts";
import { nodeShell } from "../../../src/node/shell.ts";
import { type BashTool, bashTool } from "../../../src/tools/bash/bash.ts";
import type { Sandbox } from "../../../src/tools/bash/result.ts";
import { call, toolIn } from "../../support/bash-tool.ts";
import { createSandboxFolders, type SandboxFolders, sandboxOptions } from "../../support/sandbox-folders.ts";

interface Setting {
  readonly network?: Sandbox["network"];
  readonly mayWrite?: () => boolean;
}

function confined(folders: SandboxFolders, { network = "hosts", mayWrite = () => true }: Setting = {}): BashTool {
  const options = sandboxOptions(folders, { mayWrite });
  const unconfined = nodeShell({ root: folders.workspace, environment: options.environment });
  return bashTool(sandboxedShell(options), { sandbox: { unconfined, network, mayWrite } });
}

test("BASH17 a command runs in the sandbox unless it requests outside, and its details record which", async () => {
  const folders = createSandboxFolders();
  const tool = confined(folders);
  const inside = await call(tool, { command: "touch $OUTSIDE/a" });
  expect(inside).toMatchObject({ isError: true, details: { sandboxed: true } });
  const outside = await call(tool, { command: "touch $OUTSIDE/b", outside: true });
  expect(outside).toMatchObject({ isError: false, details: { sandboxed: false } });
  expect(["a", "b"].map((name) => existsSync(join(folders.outside, name)))).toEqual([false, true]);
});

test("BASH17 a job runs in the sandbox unless it requests outside, also in later checks", async () => {
  const tool = confined(createSandboxFolders());
  expect(await call(tool, { command: "touch $OUTSIDE/a", background: true })).toMatchObject({
    details: { job: "job-1", sandboxed: true },
  });
  expect(await call(tool, { job: "job-1", wait: 60 })).toMatchObject({ isError: true, details: { sandboxed: true } });
  await call(tool, { command: "touch $OUTSIDE/a", background: true, outside: true });
  expect(await call(tool, { job: "job-2", wait: 60 })).toMatchObject({ isError: false, details: { sandboxed: false } });
});

test.each([
  [{ command: "ls" }, { type: "command", command: "ls", isConfined: true }],
  [
    { command: "ls", background: true },
    { type: "command", command: "ls", isConfined: true },
  ],
  [
    { command: "ls", outside: true },
    { type: "command", command: "ls", isConfined: false, isOutside: true },
  ],
  [{ job: "job-1" }, { type: "nothing" }],
  [{ job: "job-1", kill: true }, { type: "nothing" }],
  [{ command: 7 }, { type: "nothing" }],
])("BASH17 the intent of %j is %j", (input, intent) => {
  expect(confined(createSandboxFolders()).intent(input)).toEqual(intent);
});

test("BASH17 without a sandbox the tool has no parameter outside, and commands are not sandboxed", async () => {
  const tool = toolIn();
  expect(JSON.stringify(tool.parameters)).not.toContain("outside");
  expect(JSON.stringify(confined(createSandboxFolders()).parameters)).toContain("outside");
  expect(tool.intent({ command: "ls" })).toEqual({ type: "command", command: "ls", isConfined: false });
  expect(await call(tool, { command: "true", outside: true })).toMatchObject({ details: { sandboxed: false } });
});

test.each(["exit 3", "false", "cat no-such-file"])(
  "BASH18 the result of `%s` does not mention the sandbox",
  async (command) => {
    expect((await call(confined(createSandboxFolders()), { command })).text).not.toContain("sandbox");
  },
);

test("BASH18 a failed connection is explained with what the sandbox can reach", async () => {
  const command = "(exec 3<>/dev/tcp/127.0.0.1/9) || exit 1";
  expect((await call(confined(createSandboxFolders(), { network: "off" }), { command })).text).toContain(
    "in a sandbox without network access. If this",
  );
  expect((await call(confined(createSandboxFolders()), { command })).text).toContain("localhost is the sandbox itself");
});

test("BASH18 with a shell that does not report how it treats paths, only failures get a note", async () => {
  const { workspace } = createSandboxFolders();
  const shell = nodeShell({ root: workspace, environment: process.env });
  const tool = (mayWrite: boolean): BashTool =>
    bashTool(shell, { sandbox: { unconfined: shell, network: "hosts", mayWrite: () => mayWrite } });
  const command = "echo Permission denied; exit 1";
  expect((await call(tool(true), { command })).text).toMatch(
    /\n\nexit code 1\nThe command ran in a sandbox that can write only in the workspace .*`outside: true`; the user is asked\.$/,
  );
  expect((await call(tool(false), { command })).text).toMatch(/can write temporary files but not the workspace\.$/);
  expect((await call(tool(true), { command: "echo Permission denied" })).text).not.toContain("sandbox");
});
