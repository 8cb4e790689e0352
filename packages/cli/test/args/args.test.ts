/** The command line: what it asks for, and what it says where it cannot be understood. */

import { expect, test } from "vitest";
import { defaultTools } from "../../../host/src/settings/definitions.ts";
import { type CliArgs, flags, parseCliArgs } from "../../src/args/args.ts";
import { help } from "../../src/args/help.ts";

test("PRT5 the help names the default tools", () => {
  expect(help).toContain(`(default: ${defaultTools.join(",")})`);
});

test("PRT5 every flag is parsed, written with a space or with =", () => {
  const args = [
    "-pc",
    "-m",
    "openai/gpt-5.1",
    "--thinking=high",
    "--permission-mode",
    "plan",
    "--sandbox",
    "off",
    "--network=on",
  ];
  const rules = ["--allow", "bash(npm test)", "--allow=read", "--deny", "bash(git push)"];
  const texts = ["--tools", "read, bash", "--system-prompt", "Be.", "--append-system-prompt", "Short."];
  const switches = ["--no-context-files", "--no-skills", "--no-auto-compact", "--trust", "--mode=json"];
  const rest = [...switches, "--base-url", "http://127.0.0.1:1/v1", "fix", "it"];
  expect(parseArgs([...args, ...rules, ...texts, ...rest])).toEqual({
    prompt: "fix it",
    files: [],
    session: { type: "last" },
    overrides: {
      model: "openai/gpt-5.1",
      thinking: "high",
      permissionMode: "plan",
      sandbox: "off",
      network: "on",
      tools: ["read", "bash"],
      baseUrl: "http://127.0.0.1:1/v1",
      compaction: { enabled: false },
      contextFiles: false,
      skills: false,
    },
    allow: ["bash(npm test)", "read"],
    deny: ["bash(git push)"],
    systemPrompt: "Be.",
    appendSystemPrompt: "Short.",
    trustsProject: true,
    runLimits: { maxTurns: 200 },
    mode: "json",
  });
});

test("PRT5 flags that are not given set nothing", () => {
  const plain = { overrides: {}, allow: [], deny: [], trustsProject: false, mode: "text" };
  expect(parseArgs(["-p", "hi"])).toMatchObject(plain);
  expect(parseArgs(["-p", "hi"]).overrides).toEqual({});
  expect(parseArgs(["-p", "hi"]).session).toEqual({ type: "new" });
  expect(parseArgs(["-p", "--session", "0198", "hi"]).session).toEqual({ type: "named", name: "0198" });
  expect(parseArgs(["-p", "--no-session", "hi"]).session).toEqual({ type: "none" });
});

test.each([
  [["-p", "explain", "@src/a.ts", "@shot.png"], "explain", ["src/a.ts", "shot.png"]],
  [["-p", "@a b.txt", "why"], "why", ["a b.txt"]],
  [["-p", "mail bob@example.com or @bob"], "mail bob@example.com or @bob", []],
  [["-p", "bob@example.com", "@"], "bob@example.com @", []],
  [["-p", "look", "--", "@types/node", "-x", "--help"], "look @types/node -x --help", []],
  [["-p", "@a.ts", "--", "@b.ts"], "@b.ts", ["a.ts"]],
])("TXT1 an argument is a file only if all of it begins with @: %j", (args, words, files) => {
  expect(parseArgs(args)).toMatchObject({ prompt: words, files });
});

test.each([
  [["-p", "--modle", "x"], "unknown flag --modle; did you mean --model?"],
  [["-p", "--sand-box", "off"], "unknown flag --sand-box; did you mean --sandbox?"],
  [["-p", "--no-contxt-files"], "unknown flag --no-contxt-files; did you mean --no-context-files?"],
  [["-p", "--frobnicate"], "unknown flag --frobnicate; pith --help lists all flags"],
  [["-px", "hi"], "unknown flag -x; pith --help lists all flags"],
  [
    ["-p", "- fix it"],
    '"- fix it" starts with a dash; to use it as the prompt, put -- before it: pith -p -- "- fix it"',
  ],
  [["-p", "--permission-mode"], "--permission-mode takes ask, edit, plan or all"],
  [["-p", "--allow"], "--allow takes a rule, such as 'bash(npm test)'"],
  [["-p", "--model", ""], "--model takes PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5"],
  [["--model", "-p"], '--model takes PROVIDER/MODEL, such as anthropic/claude-sonnet-4-5, not "-p"'],
  [["-p", "--max-cost", "-1"], '--max-cost takes a positive amount in US dollars, such as 2.50, not "-1"'],
  [
    ["-p", "--system-prompt", "-p"],
    '--system-prompt takes text, not "-p"; to pass it anyway, write --system-prompt="-p"',
  ],
  [["-p", "--print=no"], '--print takes no value, but got "no"'],
  [["-p", "--permission-mode", "yolo", "hi"], '--permission-mode is "yolo"; expected "ask", "edit", "plan" or "all"'],
  [
    ["-p", "--thinking", "hard", "hi"],
    '--thinking is "hard"; expected "off", "minimal", "low", "medium", "high", "xhigh" or "max"',
  ],
  [["-p", "--mode", "xml", "hi"], '--mode takes text, json, rpc or acp, not "xml"'],
  [["-p", "--sandbox", "yes", "hi"], '--sandbox is "yes"; expected "on" or "off"'],
  [
    ["-p", "-m", " sonnet", "hi"],
    '--model is " sonnet"; expected a model, such as sonnet or anthropic/claude-sonnet-5',
  ],
  [
    ["-p", "--tools", "read,,bash", "hi"],
    '--tools is ["read","","bash"]; expected a list of tool names: read, write, edit, bash, recall, grep, find, ls, fetch, or all',
  ],
  [
    ["-p", "--base-url", "localhost", "hi"],
    '--base-url is "localhost"; expected an http or https URL, such as http://127.0.0.1:8080/v1',
  ],
  [["-p", "-c", "--no-session", "hi"], "-c, -r, --session and --no-session cannot be combined; use one of them"],
  [["-r", "-p"], "-r requires interactive mode; with -p or --mode, use --session ID"],
])("PRT5 a wrong flag or value is reported with the flag's name and what to write: %j", (args, message) => {
  expect(parseCliArgs(args)).toEqual({ type: "mistake", message });
});

test("PRT5 --help and --version win over every other argument", () => {
  expect(parseCliArgs(["-h", "--nonsense"])).toEqual({ type: "help" });
  expect(parseCliArgs(["--version"])).toEqual({ type: "version" });
  expect([["help"], ["version"]].map(parseCliArgs)).toEqual([{ type: "help" }, { type: "version" }]);
  expect(parseCliArgs(["help", "me", "here"])).toMatchObject({ type: "args" });
  expect(parseCliArgs(["-p", "help"])).toMatchObject({ type: "args" });
});

test("PRT5 the help names every flag", () => {
  const named = [...help.matchAll(/--([a-z-]+)/g)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(Object.keys(flags)));
});

function parseArgs(args: readonly string[]): CliArgs {
  const read = parseCliArgs(args);
  if (read.type !== "args") throw new Error(`no wish: ${JSON.stringify(read)}`);
  return read.args;
}
