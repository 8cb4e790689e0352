/** Tests the program as a process: settings of a repository that a command changes need an answer while it runs, and are refused where no user can answer. */

import { execFileSync } from "node:child_process";
import { RpcClient } from "@pith/client";
import type { Script, Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBuiltProgram } from "../support/built-program.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
  execFileSync("git", ["init", "-q", program.folder]);
});

afterEach(() => program.remove());

const bin = findBuiltProgram();

const runs = (command: string): Step => ({ parts: [{ type: "call", name: "bash", arguments: { command } }] });
/** Runs any command in the sandbox without a question. */
const ALL = ["--permission-mode", "all"];
const lastBodyText = (): string => JSON.stringify(program.lastRequestBody());
const setting = (name: string): string =>
  execFileSync("git", ["-C", program.folder, "config", "--default", "none", name]).toString().trim();

test("BOX47 with -p a git setting that could run a program is refused, and the result names the flag that allows it", async () => {
  const command = "git config core.pager ./x; git config user.name Ada";
  await program.runWithScript(["-p", ...ALL, "go"], [runs(command), "Done."]);
  expect(lastBodyText()).toContain(
    "was not changed: not permitted: no user is available to ask. To allow it, use --allow 'edit(.git/config)'",
  );
  expect([setting("core.pager"), setting("user.name")]).toEqual(["none", "Ada"]);
  await program.runWithScript(["-p", ...ALL, "--allow", "edit(.git/config)", "go"], [runs(command), "Done."]);
  expect(setting("core.pager")).toBe("./x");
});

test("BOX46 BOX47 the question about a git setting appears while the command runs, and Yes writes the setting", async () => {
  const command = "git config core.pager ./x; git config core.pager";
  const script: Script = ({ resultCount }) => (resultCount > 0 ? "Done." : runs(command));
  const { url } = await program.serve(script);
  const keys = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ...keys };
  const client = RpcClient.start({
    command: process.execPath,
    args: [bin, "--mode", "rpc", ...ALL],
    cwd: program.folder,
    env,
  });
  const questions: string[] = [];
  await new Promise<void>((resolve) => {
    client.listen((event) => {
      if (event.type === "agent_settled") resolve();
      if (event.type !== "extension_ui_request" || event.method !== "select") return;
      questions.push(event.title);
      client.respond({ type: "extension_ui_response", id: event.id, value: event.options[0] ?? "" });
    });
    void client.send({ type: "prompt", message: "go" });
  });
  await client.close();
  expect(questions).toEqual([
    `Allow \`${command}\` to set core.pager = ./x in .git/config? Git can run a program because of it.`,
  ]);
  expect(setting("core.pager")).toBe("./x");
});
