/** The code samples of the five documents, read from them and run with only their imports changed. */

import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { Agent } from "@pith/agent";
import * as context from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { story } from "@pith/context/testing";
import { openModel } from "@pith/models";
import { type ScriptRequest, type Step, startServer } from "@pith/testkit";
import { parseJsonc, settingTable } from "pith/tables";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestProgram } from "../support/test-program.ts";
import { firstLine, sourceSamples, splitImports } from "./source-samples.ts";

/** What becomes of each sample; `types` are checked in sample-types.test.ts. */
type Treatment = "runs" | "types" | "settings" | `no program: ${string}`;

const treatments: readonly (readonly [document: number, first: string, treatment: Treatment])[] = [
  [
    1,
    "export function shouldCompact(contextTokens: number, contextWindow: number, settings: CompactionSettings): boolean {",
    "runs",
  ],
  [1, "{", "settings"],
  [
    1,
    "contextTokens = usage.totalTokens || (input + output + cacheRead + cacheWrite)",
    "no program: a formula and a sentence",
  ],
  [2, "interface CompactionEntry<T = unknown> extends SessionEntryBase {", "types"],
  [2, "interface BranchSummaryEntry<T = unknown> extends SessionEntryBase {", "types"],
  [2, 'import { serializeConversation, convertToLlm } from "@mariozechner/pi-coding-agent";', "runs"],
  [2, 'import { serializeConversation, convertToLlm } from "@mariozechner/pi-coding-agent";', "runs"],
  [2, 'pi.on("session_before_tree", async (event) => {', "runs"],
  [2, "{", "settings"],
  [2, "session.setAutoCompactionEnabled(false); // Disable", "runs"],
  [2, 'const result = await session.compact("Focus on authentication changes");', "runs"],
  [3, "// User triggers: /compact [optional custom instructions]", "no program: comments alone"],
  [3, "// Threshold-based (e.g., 85-90% of context limit)", "runs"],
  [3, "interface Settings {", "types"],
  [3, "if (contextTokens > model.contextWindow - settings.compaction.reserveTokens) {", "runs"],
  [3, "interface CompactionEvent {", "no program: keepLastMessages never shipped; such lines are read (LOG9)"],
  [3, "async handleAutoCompaction(): Promise<void> {", "no program: a method of a plan, whose steps are comments"],
  [4, "interface CompactionEntry<T = unknown> {", "types"],
  [4, "interface BranchSummaryEntry<T = unknown> {", "types"],
  [4, 'pi.on("session_before_compact", async (event, ctx) => {', "runs"],
  [4, 'pi.on("session_before_tree", async (event, ctx) => {', "runs"],
  [4, "{", "settings"],
];

test("SRC3 every sample of the documents is in the list of treatments", () => {
  const found = sourceSamples().map((sample) => [sample.document, firstLine(sample)]);
  expect(found).toEqual(treatments.map(([document, first]) => [document, first]));
});

/** The one of this document with these words in it. */
function sampleWith(document: number, words: string): string {
  const found = sourceSamples().filter((sample) => sample.document === document && sample.code.includes(words));
  const [sample] = found;
  if (found.length !== 1 || !sample) throw new Error(`${found.length} samples of document ${document} have ${words}`);
  return sample.code;
}

const AsyncFunction = (async () => {}).constructor as new (
  ...parts: readonly string[]
) => (...given: readonly unknown[]) => Promise<unknown>;

/** Runs a sample with what it assumes; its imports become names of `@pith/context`. */
async function run(code: string, given: Readonly<Record<string, unknown>>, returns = ""): Promise<unknown> {
  const { imports, body } = splitImports(code);
  const named = imports.replace(/^import (\{[^}]*\}) from "@pith\/context";/, "const $1 = context;");
  assert.doesNotMatch(named, /^import /m);
  const sample = new AsyncFunction("context", ...Object.keys(given), `${named}\n${body}\nreturn ${returns};`);
  return await sample(context, ...Object.values(given));
}

test("SRC3 001 shouldCompact: the document's function and ours give the same result in every window", () => {
  const code = stripTypeScriptTypes(sampleWith(1, "function shouldCompact")).replace("export ", "");
  type Theirs = (contextTokens: number, contextWindow: number, settings: context.CompactionSettings) => boolean;
  const theirs: Theirs = new Function(`${code}\nreturn shouldCompact;`)();
  for (const contextWindow of [0, 4_096, 8_192, 16_384, 32_768, 65_536, 200_000, 1_000_000])
    for (const reserveTokens of [0, 4_096, 16_384, 300_000])
      for (const tokens of [0, 0.4, 0.5, 0.7, 0.8, 0.9, 0.92, 0.99, 1, 1.1].map((share) =>
        Math.floor(contextWindow * share),
      ))
        for (const enabled of [true, false]) {
          const settings = { enabled, reserveTokens, keepRecentTokens: 20_000 };
          const ours = context.shouldCompact(tokens, contextWindow, settings);
          expect(ours, JSON.stringify({ tokens, contextWindow, settings })).toBe(
            theirs(tokens, contextWindow, settings),
          );
        }
});

test("SRC3 B23 the settings of all three documents are known settings", () => {
  const known = new Set(settingTable.map(({ name }) => name));
  const files = sourceSamples().filter((_, at) => treatments[at]?.[2] === "settings");
  expect(files).toHaveLength(3);
  for (const { code } of files) {
    const read = parseJsonc(code);
    const { compaction } = (read.type === "object" ? read.value : {}) as { readonly compaction?: object };
    expect(Object.keys(compaction ?? {})).toEqual(["enabled", "reserveTokens", "keepRecentTokens"]);
    for (const name of Object.keys(compaction ?? {})) expect(known).toContain(`compaction.${name}`);
  }
});

const headings = (done: string): string => `## Goal
- (none)

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] ${done}

### In Progress
- (none)

### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. (none)

## Critical Context
- (none)`;

const work = Array.from({ length: 40 }, (_, at) => [`user: part ${at}`, `says: ${`part ${at} is done. `.repeat(200)}`]);

/** An agent with a long session, at a scripted server. */
async function withAgent<Result>(script: readonly Step[], act: (agent: Agent) => Promise<Result>) {
  const server = await startServer({ script });
  const modelOptions = {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    baseUrl: `${server.url}/v1`,
    apiKey: "any",
  };
  const opened = await openModel(modelOptions, { environment: {}, requestPolicy: { retries: 0 } });
  if (opened.type !== "opened") throw new Error(opened.message);
  const store = context.MemoryStore.create(nodeRuntime);
  await store.append(story(...work.flat()), { expectedLeaf: null });
  const session = await context.Session.open(store, nodeRuntime);
  const agent = new Agent({ session, model: opened.model, tools: [], runtime: nodeRuntime, thinkingLevel: "off" });
  const result = await act(agent);
  await server.close();
  return { result, agent, requests: JSON.stringify(server.requests.map(({ body }) => body)) };
}

test("SRC3 002 messages are converted and serialized", async () => {
  const { result } = await withAgent([], ({ session }) => {
    const { messages: agentMessages } = context.buildSessionContext(session.branch);
    return run(sampleWith(2, "Then serialize to text"), { agentMessages }, "text");
  });
  expect(String(result)).toMatch(/^\[User\]: part 0\n\n\[Assistant\]: part 0 is done\. /);
});

test("SRC3 002 session.setAutoCompactionEnabled: session is an Agent", async () => {
  const code = sampleWith(2, "setAutoCompactionEnabled");
  const [off = "", on = ""] = code.trim().split("\n");
  await withAgent([], async (session) => {
    await run(off, { session });
    expect(session.budget.limits.enabled).toBe(false);
    await run(on, { session });
    expect(session.budget.limits.enabled).toBe(true);
  });
});

test("SRC3 002 session.compact returns the summary, the first kept entry, the tokens before and the details", async () => {
  const code = sampleWith(2, 'session.compact("Focus on authentication changes")');
  const { result, agent, requests } = await withAgent([headings("part 0 [#2]")], (session) =>
    run(code, { session }, "result"),
  );
  expect(code).toContain("// result: { summary, firstKeptEntryId, tokensBefore, details }");
  expect(result).toMatchObject({
    summary: expect.stringContaining("- [x] part 0 [#2]"),
    firstKeptEntryId: expect.stringMatching(/^e\d+$/),
    tokensBefore: expect.any(Number),
    details: { readFiles: [], modifiedFiles: [] },
  });
  expect(requests).toContain("Additional focus: Focus on authentication changes");
  expect(agent.session.branch.compactionIndex).toBeGreaterThan(-1);
});

test("SRC1 the calls that need a model work with a model of openModel, which has its key and its clock", async () => {
  const record = headings("part 0 [#2]");
  const branchRecord = record.replace(/\n\n## Critical Context[\s\S]*/, "");
  const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };
  const { result } = await withAgent([record, record, branchRecord], async ({ session, model }) => {
    const entries = await session.branchEntries();
    const preparation = context.prepareCompaction(entries, settings);
    if (!preparation) throw new Error("there is enough to compact");
    const compacted = await context.compact(preparation, model, "any");
    const summary = await context.generateSummary(preparation.messagesToSummarize, model, 16_384, "any");
    const left = await context.generateBranchSummary(entries.slice(0, 4), { model, apiKey: "any" });
    return { compacted, firstKept: preparation.firstKeptEntryId, summary, left };
  });
  expect(result.compacted).toMatchObject({
    summary: expect.stringContaining("- [x] part 0\n"),
    firstKeptEntryId: result.firstKept,
    details: { readFiles: [], modifiedFiles: [] },
  });
  expect(result.summary).toBe(record.replace(" [#2]", ""));
  expect(result.left).toMatchObject({ summary: expect.stringContaining("- [x] part 0 [#2]"), readFiles: [] });
});

test("SRC3 SRC2 003 compact({ auto: true }) rejects with the call to use instead", async () => {
  const { compact } = context;
  const ratio = sampleWith(3, "tokenUsage / contextLimit");
  const trigger = sampleWith(3, "contextTokens > model.contextWindow");
  const settings = { compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 } };
  const model = { contextWindow: 200_000 };
  await run(ratio, { compact, tokenUsage: 100_000, contextLimit: 200_000 });
  await run(trigger, { compact, contextTokens: 183_616, model, settings });
  const says = /^compact needs a session: compact\(\{ session, budget, reason: "asked", runtime: nodeRuntime \}\)\. /;
  await expect(run(ratio, { compact, tokenUsage: 171_000, contextLimit: 200_000 })).rejects.toThrow(says);
  await expect(run(trigger, { compact, contextTokens: 183_617, model, settings })).rejects.toThrow(says);
});

/** In the program, as extensions. */
const program = new TestProgram();
const sessions = join(program.home, "sessions");
const talked = join(program.userHome, "talked");
const COUNT: Step = { parts: [{ type: "call", name: "bash", arguments: { command: "seq 1 3000" } }] };
const ALL = ["--permission-mode", "all", "--sandbox", "off"];

beforeAll(async () => {
  await program.runWithScript(["-p", ...ALL, "Use tabs. Count."], [COUNT, COUNT, COUNT, "I have counted."]);
  await program.runWithScript(["-p", ...ALL, "-c", "Once more."], [COUNT, COUNT, COUNT, COUNT, "Done."]);
  cpSync(sessions, talked, { recursive: true });
});

afterAll(() => program.remove());

/** What the samples assume. */
const ASSUMED = `const myArtifactIndex = { "schema.sql": 1 };
const myCustomSummarizer = async (text, previous) => "Mine: " + text.split("\\n").length + " lines, " + (previous ?? "nothing") + " before.";`;

/** The sample is the only extension there is, behind what was said before. */
async function inProgram(code: string, command: (first: string) => string, script: (request: ScriptRequest) => Step) {
  const folder = join(program.home, "extensions");
  for (const each of [folder, sessions]) rmSync(each, { recursive: true, force: true });
  cpSync(talked, sessions, { recursive: true });
  mkdirSync(folder);
  const { imports, body } = splitImports(code);
  writeFileSync(join(folder, "sample.ts"), `${imports}\n${ASSUMED}\nexport default (pi) => {\n${body}\n};\n`);
  const first = lines().find(({ message }) => message?.role === "user")?.id ?? "";
  const { url } = await program.serve(script);
  const variables = { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  const before = lines().length;
  const ended = await program.run(["-p", "-c", command(first)], { variables });
  const requests = JSON.stringify(program.server.requests.map(({ body: sent }) => sent));
  return { ...ended, requests, written: lines().slice(before) };
}

interface Line {
  readonly type: string;
  readonly id: string;
  readonly summary?: string;
  readonly details?: unknown;
  readonly fromHook?: boolean;
  readonly message?: { readonly role: string };
}

function lines(): readonly Line[] {
  const text = program.readSession().split("\n");
  return text.filter((line) => line !== "").map((line) => JSON.parse(line));
}

const nothing = (): Step => "No model should be asked.";

test("SRC3 HOOK7 002 session_before_compact: event.setResult sets the summary", async () => {
  const { written, requests, notes } = await inProgram(sampleWith(2, "event.setResult"), () => "/compact", nothing);
  const compaction = written.find(({ type }) => type === "compaction");
  assert.match(compaction?.summary ?? "", /Mine: \d+ lines, nothing before\./, notes);
  expect(compaction).toMatchObject({
    fromHook: true,
    details: { artifactIndex: { "schema.sql": 1 }, version: "2.0" },
  });
  expect(requests).toBe("[]");
});

test("SRC3 HOOK7 HOOK8 002 session_before_tree: event.setSummarize adds a summary with instructions, even if the user did not request one", async () => {
  const record = headings("counted [#2]").replace(/\n\n## Critical Context[\s\S]*/, "");
  const code = sampleWith(2, "event.setSummarize");
  const { written, requests, notes } = await inProgram(
    code,
    (first) => `/tree ${first}`,
    () => record,
  );
  assert.match(requests, /Additional focus: Focus on API contract changes/, notes);
  expect(written.map(({ type }) => type)).toContain("branch_summary");
});

test("SRC3 002 event.cancel() cancels the move when it is uncommented", async () => {
  const code = sampleWith(2, "event.setSummarize").replace("// event.cancel();", "event.cancel();");
  const { written, requests } = await inProgram(code, (first) => `/tree ${first}`, nothing);
  expect([written, requests]).toEqual([[], "[]"]);
});

test("SRC3 004 session_before_compact: cancel writes nothing", async () => {
  const { written, requests } = await inProgram(sampleWith(4, '"session_before_compact"'), () => "/compact", nothing);
  expect([written, requests]).toEqual([[], "[]"]);
});

test("SRC3 004 session_before_compact: without the first return, the second one sets the summary", async () => {
  const code = sampleWith(4, '"session_before_compact"').replace("return { cancel: true };", "");
  const { written, notes } = await inProgram(code, () => "/compact", nothing);
  const compaction = written.find(({ type }) => type === "compaction");
  assert.match(compaction?.summary ?? "", /Your summary\.\.\./, notes);
});

test("SRC3 004 session_before_tree: cancel keeps the position and writes nothing", async () => {
  const code = sampleWith(4, '"session_before_tree"');
  const { written, requests } = await inProgram(code, (first) => `/tree ${first} --summary`, nothing);
  expect([written, requests]).toEqual([[], "[]"]);
});

test("SRC3 004 session_before_tree: without the first return, its summary is used if the user requests one", async () => {
  const code = sampleWith(4, '"session_before_tree"').replace("return { cancel: true };", "");
  const wanted = await inProgram(code, (first) => `/tree ${first} --summary`, nothing);
  expect(wanted.written.find(({ type }) => type === "branch_summary")).toMatchObject({
    summary: expect.stringMatching(/^Your summary\.\.\./),
    fromHook: true,
  });
  const unwanted = await inProgram(code, (first) => `/tree ${first}`, nothing);
  expect(unwanted.written.map(({ type }) => type)).not.toContain("branch_summary");
});
