/** Tests the program as a process: hosts that a command wants to reach need an answer while it runs, and are refused where no user can answer. */

import { RpcClient } from "@pith/client";
import type { Script, Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findBuiltProgram } from "../support/built-program.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const bin = findBuiltProgram();

const runs = (command: string): Step => ({ parts: [{ type: "call", name: "bash", arguments: { command } }] });
const lastBodyText = (): string => JSON.stringify(program.lastRequestBody());

test("PERM31 with -p a new host is refused, and the result names the flag that allows it", async () => {
  await program.runWithScript(["-p", "go"], [runs("curl -sS http://pages.example/"), "Done."]);
  expect(lastBodyText()).toContain(
    "network: pages.example was refused: no user is available to ask. To allow it, use --allow 'network(pages.example)' or --network open",
  );
});

test("PERM30 in plan mode a command reaches no host, even with an allow rule", async () => {
  const flags = ["--permission-mode", "plan", "--allow", "network(pages.example)"];
  await program.runWithScript(["-p", ...flags, "go"], [runs("curl -sS http://pages.example/"), "Done."]);
  expect(lastBodyText()).toContain("network: pages.example was refused: plan mode is read-only");
});

test("SET15 with --network open a host needs no question, and a denied host is refused", async () => {
  const flags = ["--network", "open", "--deny", "network(no.example)"];
  const command = "curl -sS http://pages.example/; curl -sS http://no.example/";
  await program.runWithScript(["-p", ...flags, "go"], [runs(command), "Done."]);
  expect(lastBodyText()).toContain("network: no.example was refused: the rule network(no.example) denies it");
  expect(lastBodyText()).not.toContain("pages.example was refused");
});

test("PERM25 PERM26 PERM31 the question about a host appears while the command runs, and No holds for the rest of the command", async () => {
  const command = "curl -sS http://pages.example/; curl -sS http://pages.example/; echo after";
  const script: Script = ({ resultCount }) => (resultCount > 0 ? "Done." : runs(command));
  const { url } = await program.serve(script);
  const keys = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ...keys };
  const client = RpcClient.start({ command: process.execPath, args: [bin, "--mode", "rpc"], cwd: program.folder, env });
  const questions: string[] = [];
  await new Promise<void>((resolve) => {
    client.listen((event) => {
      if (event.type === "agent_settled") resolve();
      if (event.type !== "extension_ui_request" || event.method !== "select") return;
      questions.push(event.title);
      client.respond({ type: "extension_ui_response", id: event.id, value: "No" });
    });
    void client.send({ type: "prompt", message: "go" });
  });
  await client.close();
  expect(questions).toEqual([`Allow \`${command}\` to connect to pages.example?`]);
  expect(lastBodyText()).toContain("after");
  expect(lastBodyText()).toContain("network: pages.example was refused: the user did not permit it");
});
