/** Tests `pith login` and `pith logout`, `/login` over RPC, and what the program says when a request fails: real processes and HTTP. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { type KeyGate, startKeyGate } from "../../e2e/support/local-servers.ts";
import { TestWorkspace } from "../../e2e/support/test-workspace.ts";
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;
const closers: (() => void)[] = [];

beforeEach(() => {
  program = new TestProgram();
});

afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await program.remove();
});

/** Joined, so that the repository contains nothing that looks like a key. */
const SECRET = ["sk-ant-api03", "qL9vW2xT7zR4nK8mB1cD6fG3hJ5"].join("-");

const keyFile = (): string => join(program.home, "keys.json");
const savedKeys = (): unknown => JSON.parse(readFileSync(keyFile(), "utf8"));

test("KEY5 pith login reads a key from a pipe, checks it and saves it for the user only; a second login replaces it", async () => {
  const variables = { ANTHROPIC_BASE_URL: (await startGate()).url };
  await program.run(["login", "openrouter", "--no-check"], { input: "or-1\n" });
  const login = await program.run(["login", "anthropic"], { variables, input: `${SECRET}\n` });
  expect(login).toMatchObject({ code: 0, out: expect.stringMatching(/^Anthropic \(Claude\) accepted the API key\./) });
  expect(savedKeys()).toEqual({ openrouter: "or-1", anthropic: SECRET });
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  const refused = await program.run(["login", "anthropic"], { variables, input: "sk-wrong" });
  expect(refused).toMatchObject({ code: 1, out: "", notes: expect.stringContaining("rejected this API key (401)") });
  expect(savedKeys()).toMatchObject({ anthropic: SECRET });
  expect(JSON.stringify([login, refused])).not.toMatch(/qL9v|sk-wrong/);
});

test("KEY5 without a network the key is saved with a note, and --no-check sends no request", async () => {
  const variables = { ANTHROPIC_BASE_URL: "http://127.0.0.1:1", ANTHROPIC_API_KEY: "other" };
  const unchecked = await program.run(["login", "anthropic"], { variables, input: SECRET });
  expect(unchecked.out).toMatch(
    /Could not check the API key.*ECONNREFUSED.*ANTHROPIC_API_KEY is set and takes precedence/s,
  );
  const skipped = await program.run(["login", "anthropic", "--no-check", "--json"], { variables: {}, input: SECRET });
  expect(JSON.parse(skipped.out)).toEqual({
    provider: "anthropic",
    file: keyFile(),
    check: "skipped",
    variable: null,
  });
});

test("KEY5 a key is never taken from an argument, and no message quotes it", async () => {
  const asArgument = await program.run(["login", "anthropic", SECRET], { input: "" });
  const asProvider = await program.run(["login", SECRET], { input: "" });
  const empty = await program.run(["login", "anthropic"], { input: "" });
  const spaced = await program.run(["login", "anthropic"], { input: "my key" });
  const local = await program.run(["login", "ollama"], { input: SECRET });
  const unnamed = await program.run(["login"], { input: SECRET });
  expect([asArgument, asProvider, empty, spaced, local, unnamed].map(({ code }) => code)).toEqual([2, 2, 2, 1, 2, 2]);
  expect(asArgument.notes).toContain("a key must not be an argument");
  expect(local.notes).toContain("needs no API key");
  expect(JSON.stringify([asArgument, asProvider, empty, spaced])).not.toMatch(/qL9v|my key/);
  expect(existsSync(keyFile())).toBe(false);
});

test("KEY6 logout removes one key and says if a variable still provides one", async () => {
  writeFileSync(keyFile(), JSON.stringify({ anthropic: "a", openai: "o" }), { mode: 0o600 });
  expect(await program.run(["logout"])).toMatchObject({ code: 2, notes: expect.stringContaining("anthropic, openai") });
  const variables = { ANTHROPIC_API_KEY: "other" };
  const removed = await program.run(["logout", "anthropic"], { variables });
  expect(removed.out).toMatch(/was removed from .*keys\.json\. ANTHROPIC_API_KEY still provides one/);
  expect(savedKeys()).toEqual({ openai: "o" });
  expect((await program.run(["logout", "anthropic"])).out).toContain("has no API key for Anthropic");
  const json = await program.run(["logout", "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ provider: "openai", wasRemoved: true });
  expect(savedKeys()).toEqual({});
  expect((await program.run(["logout"])).notes).toContain("no API key is saved");
});

test("FST8 print mode says what to do after 401, 403, 404, 429 and a refused connection", async () => {
  const failed = async (status: number, message: string, headers: Record<string, string> = {}) =>
    (await program.runWithScript(["-p", "Hello", "--no-session"], [{ refuse: { status, message, headers } }])).notes;
  expect(await failed(401, "invalid x-api-key")).toMatch(
    /401: invalid x-api-key\n.*ANTHROPIC_API_KEY.*pith login anthropic/,
  );
  expect(await failed(403, "Your country is not supported.")).toMatch(/403.*\nThe API key is not allowed/);
  expect(await failed(404, "model: claude-sonnet-4-5")).toMatch(/404.*\nanthropic has no model/);
  expect(await failed(429, "slow down", { "retry-after": "900" })).toMatch(/429.*\n.*rate limit.*in 15 minutes/);
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
  const unreachable = await program.run(["-p", "Hello", "--no-session"], { variables });
  expect(unreachable.notes).toMatch(
    /ECONNREFUSED.*\nNo server is listening at that address.*http:\/\/127\.0\.0\.1:1 \(ANTHROPIC_BASE_URL\)/,
  );
});

test("VOI15 a base URL without its version path works as a flag and as a setting", async () => {
  const { url } = await program.serve(["One.", "Two."]);
  const variables = { OPENAI_API_KEY: "any" };
  const flag = ["-p", "Hello", "--no-session", "--model", "openai/gpt-5"];
  expect((await program.run([...flag, "--base-url", url], { variables })).out).toBe("One.\n");
  writeFileSync(join(program.home, "settings.json"), JSON.stringify({ model: "openai/gpt-5", baseUrl: `${url}/` }));
  expect((await program.run(["-p", "Hello", "--no-session"], { variables })).out).toBe("Two.\n");
});

test("KEY7 over RPC, /login uses a key that pith login saved, without a restart", async () => {
  const { url } = await program.serve(["Hello again."]);
  const keyGate = await startGate(url);
  writeFileSync(keyFile(), JSON.stringify({ anthropic: "sk-old" }), { mode: 0o600 });
  const variables = { ANTHROPIC_BASE_URL: keyGate.url };
  const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ...variables };
  const child = spawn(process.execPath, [program.bin, "--mode", "rpc"], { cwd: program.folder, env });
  closers.push(() => child.kill());
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const send = (line: object) => child.stdin.write(`${JSON.stringify(line)}\n`);
  const says = (pattern: RegExp) => expect.poll(() => output).toMatch(pattern);
  send({ type: "prompt", message: "Hello" });
  await says(/"code":"key-refused"/);
  await says(/pith login anthropic, then send \/login anthropic here/);
  await program.run(["login", "anthropic"], { variables, input: SECRET });
  send({ type: "run_command", command: "/login" });
  await says(/claude-sonnet-5 now uses the API key saved in/);
  send({ type: "prompt", message: "Hello" });
  await says(/Hello again\./);
  expect(keyGate.keys).toEqual(["sk-old", SECRET]);
});

test("KEY5 in a terminal, pith login lists the providers and does not show the key", async () => {
  const workspace = await TestWorkspace.create({ script: [], program: program.bin, isKeyless: true });
  onTestFinished(() => workspace.remove());
  const keyGate = await startGate();
  const tmux = await workspace.openTerminal();
  await tmux.enter(`ANTHROPIC_BASE_URL=${keyGate.url} pith login`);
  await tmux.waitFor("Provider (1-13 or a name):");
  await tmux.enter("1");
  await tmux.waitFor("API key for Anthropic (Claude):");
  await tmux.type("sk-wrong");
  await tmux.press("Enter");
  await tmux.waitFor("rejected this API key (401)");
  await tmux.waitFor(/\(401\)[\s\S]*API key for Anthropic/);
  await tmux.type(SECRET);
  await tmux.press("Enter");
  await tmux.waitFor("accepted the API key");
  expect(await tmux.screen()).not.toMatch(/qL9v|sk-wrong/);
  expect(JSON.parse(readFileSync(join(workspace.home, "keys.json"), "utf8"))).toEqual({ anthropic: SECRET });
});

/** Accepts only `SECRET`. */
async function startGate(target = ""): Promise<KeyGate> {
  const keyGate = await startKeyGate({ acceptedKey: SECRET });
  onTestFinished(() => keyGate.close());
  return Object.assign(keyGate, { target });
}
