/** The program as a process: what it lets a hostile model do under the rules and in the sandbox that its user has set. */

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const runs = (command: string, more = {}): Step => ({
  parts: [{ type: "call", name: "bash", arguments: { command, ...more } }],
});

const place = (path: string, text: string): void => writeFileSync(join(program.folder, path), text);

/** What the model was told in the end. */
const lastBodyText = (): string => JSON.stringify(program.lastRequestBody());

test("PERM22 an allow rule does not take a command out of the sandbox, and the refusal names the flag that would", async () => {
  await program.runWithScript(["-p", "--allow", "bash(env)", "go"], [runs("env", { outside: true }), "Done."]);
  expect(lastBodyText()).toContain("To allow it, use --allow 'outside(env)'");
  await program.runWithScript(["-p", "--allow", "outside(env)", "go"], [runs("env", { outside: true }), "Done."]);
  expect(lastBodyText()).toContain("PATH=");
});

test("BASH20 API keys of providers are not in the environment of a command, inside and outside the sandbox", async () => {
  for (const flags of [
    ["--permission-mode", "all", "--allow", "outside"],
    ["--sandbox", "off", "--permission-mode", "all"],
  ]) {
    const { url } = await program.serve([runs("env; echo $ANTHROPIC_API_KEY", { outside: true }), "Done."]);
    const variables = { ANTHROPIC_API_KEY: "sk-secret", ANTHROPIC_BASE_URL: url };
    await program.run(["-p", ...flags, "go"], { variables });
    expect(lastBodyText()).toContain("ANTHROPIC_BASE_URL=");
    expect(lastBodyText()).not.toContain("sk-secret");
  }
});

test("PERM23 sandboxed commands obey deny rules for whole files and folders; rules that cannot be enforced are reported", async () => {
  place(".env", "TOKEN=secret");
  mkdirSync(join(program.folder, "src"));
  place("src/a.ts", "as it was");
  const deny = ["read(.env)", "edit(src/**)", "read(*.pem)"].flatMap((rule) => ["--deny", rule]);
  const command = "cat .env; echo changed > src/a.ts; echo new > ok.txt; cat ok.txt";
  const { notes } = await program.runWithScript(["-p", ...deny, "go"], [runs(command), "Done."]);
  expect(lastBodyText()).not.toContain("TOKEN=secret");
  expect(readFileSync(join(program.folder, "src/a.ts"), "utf8")).toBe("as it was");
  expect(readFileSync(join(program.folder, "ok.txt"), "utf8")).toBe("new\n");
  expect(notes).toContain("pith: the rule read(*.pem) is enforced for tools but not for shell commands\n");
  const off = await program.runWithScript(["-p", ...deny, "--sandbox", "off", "go"], ["Done."]);
  expect(off.notes).toContain("the rules read(.env), edit(src/**), read(*.pem)");
});

test("PERM28 git push needs approval in edit mode, and without a user it is refused with the flag that allows it", async () => {
  await program.runWithScript(["-p", "go"], [runs("git -C . push origin main"), "Done."]);
  expect(lastBodyText()).toContain(
    "not permitted: no user is available to ask. To allow it, use --allow 'bash(git -C . push origin main)' or --permission-mode all",
  );
});

test("PERM1 fetching from a new host needs approval, also in edit and all", async () => {
  const page: Step = { parts: [{ type: "call", name: "fetch", arguments: { url: "https://pages.example/x" } }] };
  for (const mode of ["edit", "plan", "all"]) {
    await program.runWithScript(["-p", "--tools", "all", "--permission-mode", mode, "go"], [page, "Done."]);
    expect(lastBodyText()).toContain(
      "not permitted: no user is available to ask. To allow it, use --allow 'fetch(pages.example)'",
    );
  }
  await program.runWithScript(["-p", "--tools", "all", "--allow", "network(pages.example)", "go"], [page, "Done."]);
  expect(lastBodyText()).toContain("https://pages.example/x was not fetched");
});

test("PERM7 a deny rule for an unknown tool is a mistake", async () => {
  const { code, notes } = await program.run(["-p", "--deny", "Bash(rm:*)", "go"]);
  expect({ code, notes }).toEqual({
    code: 2,
    notes: "pith: --deny Bash(rm:*): unknown tool Bash; did you mean bash?\n",
  });
  expect(await program.run(["-p", "--deny", "bash(", "go"])).toMatchObject({
    notes: "pith: --deny bash(: write bash alone, or bash(…) with both parentheses\n",
  });
});

test("PERM24 the provider's web search is offered unless the mode is ask or a rule limits fetch", async () => {
  const offered = async (...flags: readonly string[]): Promise<boolean> => {
    await program.runWithScript(["-p", "--tools", "all", ...flags, "go"], ["Done."]);
    return JSON.stringify((program.lastRequestBody() as { tools: unknown }).tools).includes("web_search");
  };
  expect(await offered()).toBe(true);
  expect(await offered("-c", "--permission-mode", "ask")).toBe(false);
  expect(await offered("--permission-mode", "ask")).toBe(false);
  expect(await offered("--deny", "fetch(example.com)")).toBe(false);
});

test("SEEK17 with all tools, grep does not run an rg executable of the project", async () => {
  writeFileSync(join(program.folder, "rg"), "#!/bin/sh\ntouch HIT\n", { mode: 0o755 });
  const search: Step = { parts: [{ type: "call", name: "grep", arguments: { pattern: "touch" } }] };
  const { url } = await program.serve([search, "Done."]);
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url, PATH: `.:${program.folder}:/usr/bin:/bin` };
  await program.run(["-p", "--tools", "all", "--permission-mode", "plan", "go"], { variables });
  expect(lastBodyText()).toContain("rg:2: touch HIT");
  expect(existsSync(join(program.folder, "HIT"))).toBe(false);
});

test("TXT5 an AGENTS.md that links to a file which needs permission is not read", async () => {
  for (const folder of [".git", ".ssh"]) mkdirSync(join(program.folder, folder));
  place(".ssh/config", "never-told");
  symlinkSync(".ssh/config", join(program.folder, "AGENTS.md"));
  const { notes } = await program.runWithScript(["-p", "go"], ["Done."]);
  expect(notes).toContain("AGENTS.md was not read, because reading it requires permission\n");
  expect(lastBodyText()).not.toContain("never-told");
});
