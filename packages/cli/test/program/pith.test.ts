/** The program as a process: one question, tools that work in its folder, a session that is kept and gone on with. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Step, startServer } from "@pith/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";
import own from "../../package.json" with { type: "json" };
import { TestProgram } from "../support/test-program.ts";

let program: TestProgram;

beforeEach(() => {
  program = new TestProgram();
});

afterEach(() => program.remove());

const slow: Step = { parts: [{ type: "text", text: "word ".repeat(2_000) }], pace: { everyMs: 20 } };

test("PRT1 pith -p runs its tools in the folder, prints only the answer, and saves the session", async () => {
  writeFileSync(join(program.folder, "a.txt"), "one\ntwo\n");
  const { code, out, notes } = await program.runWithScript(
    ["-p", "What is in a.txt?"],
    [{ parts: [call("read", { path: "a.txt" }), call("bash", { command: "wc -l a.txt" })] }, "Two lines: one and two."],
  );
  expect({ code, out }).toEqual({ code: 0, out: "Two lines: one and two.\n" });
  expect(notes).toContain("· read a.txt");
  expect(notes).toMatch(/· 2 requests, .* tokens in.*, .* out.* · session [\w-]+; continue with: pith -p -c "…"\n$/);
  expect(JSON.stringify(program.server.requests[1]?.body)).toContain("2 a.txt");
  expect(program.readSession()).toContain("Two lines: one and two.");
});

test("SYS2 a model without tool support answers without tools, with one note (B4)", async () => {
  const local = { kind: "ollama", model: "gemma3", window: 32_768, supportsTools: false } as const;
  const server = await startServer({ script: () => "I need @a.txt.", local });
  try {
    const args = ["-p", "--model", "ollama/gemma3", "--base-url", `${server.url}/v1`, "What is in a.txt?"];
    const { code, out, notes } = await program.run(args);
    expect({ code, out }).toEqual({ code: 0, out: "I need @a.txt.\n" });
    expect(notes.match(/ollama\/gemma3 cannot call tools/g)).toHaveLength(1);
    const sent = JSON.stringify(server.requests.find(({ outcome }) => outcome === "said")?.body);
    expect(sent).toContain("You have no tools");
    expect(sent).not.toContain('"tools":');
  } finally {
    await server.close();
  }
});

test("PRT2 PRT15 -c continues the session with its total usage, and its first request extends the last one", async () => {
  await program.runWithScript(["-p", "First."], ["One."]);
  const before = program.lastRequestBody() as { messages: readonly unknown[]; system: unknown; tools: unknown };
  const { code, out, notes } = await program.runWithScript(["-p", "-c", "Second."], ["Two."]);
  expect({ code, out }).toEqual({ code: 0, out: "Two.\n" });
  expect(notes).toMatch(/· 1 request, .* · session total: .* tokens in, .* out, \$.* · session \w+; continue with/);
  const after = program.lastRequestBody() as typeof before;
  expect(unmarked(after.messages.slice(0, before.messages.length))).toEqual(unmarked(before.messages));
  expect(unmarked([after.system, after.tools])).toEqual(unmarked([before.system, before.tools]));
  expect(JSON.stringify(after.messages)).toContain("One.");
});

test("PRT3 a missing key or a wrong flag exits with 2, a rejected key with 1, each with a message", async () => {
  const keyless = await program.run(["-p", "hi"]);
  expect(keyless).toMatchObject({
    code: 2,
    notes: expect.stringContaining("run pith login anthropic, or set ANTHROPIC_API_KEY"),
  });
  expect(await program.run(["--nonsense"])).toMatchObject({ code: 2, out: "" });
  expect(await program.run(["--help"])).toMatchObject({ code: 0, out: expect.stringContaining("pith -p -c") });
  expect(await program.run(["--version"])).toEqual({ code: 0, out: `${own.version}\n`, notes: "" });
  const refused = await program.runWithScript(
    ["-p", "hi"],
    [{ refuse: { status: 401, message: "invalid x-api-key" } }],
  );
  expect(refused).toMatchObject({ code: 1, out: "", notes: expect.stringContaining("invalid x-api-key") });
});

test("PRT3 a request that is always refused as too long exits with 1 and says what takes the space", async () => {
  const tooLong = { refuse: { status: 400, message: "prompt is too long: 205012 tokens > 200000 maximum" } };
  const refusals = Array.from({ length: 12 }, () => tooLong);
  const { code, out, notes } = await program.runWithScript(["-p", "Work."], refusals);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(notes).toMatch(/pith: .*too long.*; .*larger window/);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("PRT4 PRT13 %s exits with %i and saves the partial answer, and the note says where", async (name, code) => {
  const stopped = await program.runWithScript(["-p", "Talk."], [slow], { signal: { name, afterRequests: 1 } });
  expect(stopped).toMatchObject({
    code,
    out: "",
    notes: expect.stringMatching(/partial answer was not printed.*pith sessions show \w{8}/),
  });
  expect(program.readSession()).toContain('"stopReason":"aborted"');
});

test("PRT4 a command that is stopped exits with the code of the signal", async () => {
  await program.runWithScript(["-p", "Talk."], ["Gladly."]);
  const stopped = await program.runWithScript(["-p", "-c", "/handoff go on"], [slow], {
    signal: { name: "SIGINT", afterRequests: 1 },
  });
  expect(stopped).toMatchObject({ code: 130, out: expect.stringContaining("cancelled") });
});

test("PRT7 pith -p -c without a prompt continues an unfinished run", async () => {
  const reading = { parts: [call("bash", { command: "echo once >> count.txt" })] };
  const killed = await program.runWithScript(["-p", "Count."], [reading, slow], {
    signal: { name: "SIGKILL", afterRequests: 2 },
  });
  expect(killed).toMatchObject({ code: null, out: "" });
  expect(await program.runWithScript(["-p", "-c"], ["Counted."])).toMatchObject({ code: 0, out: "Counted.\n" });
  expect(JSON.stringify(program.lastRequestBody())).toContain("Count.");
  const idle = await program.runWithScript(["-p", "-c"], []);
  expect(idle).toMatchObject({ code: 0, out: "", notes: expect.stringContaining("nothing to continue") });
});

test("PRT6 control characters are escaped in notes; a piped answer is unchanged", async () => {
  const evil = "\x1b]0;owned\x07\x9b2J\u202e\u{e0041}";
  const { code, out, notes } = await program.runWithScript(
    ["-p", "hi"],
    [{ parts: [call("read", { path: `a${evil}` }), call(`odd`, { evil })] }, `Done${evil}.`],
  );
  expect({ code, out }).toEqual({ code: 0, out: `Done${evil}.\n` });
  expect(notes).toContain("· read a\\x1b]0;owned\\x07\\x9b2J\\u{202e}\\u{e0041}");
  expect(notes).not.toMatch(/[[\p{Cc}\p{Cf}]--\n]/v);
});

test("PRT8 a closed output causes no error message", async () => {
  const { code, notes } = await program.runWithScript(["-p", "hi"], ["An answer."], { closesOutput: true });
  expect({ code, notes: notes.split("\n").length }).toEqual({ code: 0, notes: 2 });
});

function call(name: string, args: Readonly<Record<string, unknown>>) {
  return { type: "call", name, arguments: args } as const;
}

function unmarked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, each) => (name === "cache_control" ? undefined : each)));
}

test("BOUND6 a run within --max-turns and --max-cost ends as usual", async () => {
  const args = ["-p", "--max-turns", "2", "--max-cost", "1", "go"];
  expect(await program.runWithScript(args, ["Done."])).toMatchObject({ code: 0, out: "Done.\n" });
});
