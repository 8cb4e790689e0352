/** Tests that the files in use are read again after a compaction: which ones, with which marks, and within which budget. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { contextSize, type Entry, type Request, type ToolCallBlock } from "@pith/context";
import { entryReference } from "@pith/context/host";
import { type ScriptedReply, scriptedModel } from "@pith/context/testing";
import { expect, onTestFinished, test } from "vitest";
import {
  type Agent,
  type AgentHooks,
  type AgentOptions,
  fileTools,
  findSeenFiles,
  Permissions,
  REREAD_TYPE,
  ReadTracker,
  readRereadFiles,
  type Tool,
} from "../../src/index.ts";
import { nodeFiles, resolveRealPath } from "../../src/node/index.ts";
import { rules } from "../support/permission-requests.ts";
import { agentOf, ran } from "../support/served-agents.ts";

interface SceneOptions {
  readonly window?: number;
  readonly deny?: readonly string[];
  readonly parts?: Partial<AgentOptions>;
}

interface Scene {
  readonly root: string;
  readonly agent: Agent;
  readonly requests: readonly Request[];
  put(path: string, content: string | Uint8Array): void;
  /** Lets the model call a tool, and returns the text of its result. */
  call(name: string, args: ToolCallBlock["arguments"]): Promise<string>;
  /** Adds so much text that a compaction covers everything before it, and compacts. The last request is `request`. */
  forget(options?: { readonly isCompacted?: boolean; readonly request?: string }): Promise<void>;
  /** Lets the model call tools, one after the other, in one run. The request names `named.ts`. */
  work(...calls: readonly (readonly [name: string, args: ToolCallBlock["arguments"]])[]): Promise<void>;
  /** Refuses the next requests as too long. */
  refuse(count: number): void;
  /** The texts of the files in the context, without the sentences before them. */
  files(): readonly string[];
}

async function createScene({ window = 40_000, deny = [], parts = {} }: SceneOptions = {}): Promise<Scene> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pith-reread-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const files = nodeFiles({ root });
  const readTracker = new ReadTracker();
  const paths = { root, home: "/home/ann", temporaryFolders: [], privatePaths: [], permissionFiles: [] };
  const permissions = new Permissions({ mode: "edit", rules: rules({ deny }), paths, resolveRealPath });
  const requests: Request[] = [];
  const replies: ScriptedReply[] = [];
  const model = {
    ...scriptedModel(),
    contextWindow: window,
    stream: (...[request, options]: Parameters<ReturnType<typeof scriptedModel>["stream"]>) => {
      requests.push(request);
      return scriptedModel(replies.shift() ?? "Well, well.").stream(request, options);
    },
  };
  const agent = await agentOf(model, {
    tools: [...fileTools({ files }, readTracker), bash],
    summarizers: [],
    rereadFiles: { files, readTracker, checkPermission: (path) => permissions.permitReread(path) },
    ...parts,
  });
  let calls = 0;
  return {
    root,
    agent,
    requests,
    put: (path, content) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    call: async (name, args) => {
      calls += 1;
      replies.push({ content: [{ type: "toolCall", id: `call-${calls}`, name, arguments: args }] });
      await ran(agent, `Use ${name}.`);
      return resultTexts(agent).at(-1) ?? "";
    },
    refuse: (count) => {
      const failure = { kind: "overflow", message: "too long" } as const;
      replies.push(...Array.from({ length: count }, () => ({ failure })));
    },
    work: async (...workCalls) => {
      for (const [name, args] of workCalls) {
        calls += 1;
        replies.push({ content: [{ type: "toolCall", id: `call-${calls}`, name, arguments: args }] });
      }
      await ran(agent, "Work on it, as in named.ts.");
    },
    forget: async ({ isCompacted = true, request = "Go on." } = {}) => {
      replies.push(...Array.from({ length: 12 }, (_, part) => `tree${part} `.repeat(window / 60)));
      while (replies.length > 0) await ran(agent, replies.length > 1 ? "Go on." : request);
      if (isCompacted) expect(await agent.compact()).toMatchObject({ type: "compacted" });
    },
    files: () => shownTexts(agent).slice(1),
  };
}

/** Prints the text that it is called with. */
const bash: Tool = {
  name: "bash",
  description: "Prints a text.",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  isIdempotent: true,
  run: async ({ arguments: { text } }) => ({ content: [{ type: "text", text: String(text) }] }),
};

function resultTexts({ session }: Agent): readonly string[] {
  return session.branch.entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "toolResult"
      ? entry.message.content.map((block) => (block.type === "text" ? block.text : ""))
      : [],
  );
}

function isReread(entry: Entry): boolean {
  return entry.type === "custom_message" && entry.customType === REREAD_TYPE;
}

/** As the next request has them: an edit may have removed them. */
function shownTexts({ session: { branch } }: Agent): readonly string[] {
  const removedIds = branch.edits.map(({ targetId }) => targetId);
  return branch.entries.flatMap((entry) =>
    entry.type === "custom_message" && isReread(entry) && !removedIds.includes(entry.id) && Array.isArray(entry.content)
      ? entry.content.map((block) => (block.type === "text" ? block.text : ""))
      : [],
  );
}

function lastResult({ session }: Agent): string {
  const entry = session.branch.entries.findLast(
    (each) => each.type === "message" && each.message.role === "toolResult",
  );
  return entry ? entryReference(entry) : "";
}

test("RST1 RST5 files in use follow a compaction with their current text, marked as unchanged or changed, most recently used first", async () => {
  const { agent, root, put, call, forget, files, requests } = await createScene();
  for (const name of ["same.ts", "other.ts", "gone.ts", "edited.ts"]) put(name, `export const ${name[0]} = 1;\n`);
  await call("read", { path: "same.ts" });
  const same = lastResult(agent);
  await call("read", { path: "other.ts" });
  const other = lastResult(agent);
  await call("read", { path: "gone.ts" });
  await call("read", { path: "missing.ts" });
  await call("read", { path: "edited.ts" });
  await call("edit", { path: "edited.ts", oldText: "1", newText: "2" });
  const edited = lastResult(agent);
  await call("write", { path: "./written.md", content: "```js\nnew\n```\n" });
  const written = lastResult(agent);
  put("other.ts", "export const o = 3;\r\n");
  rmSync(join(root, "gone.ts"));
  put("missing.ts", "never shown to the model\n");
  await forget({ request: "Compare same.ts, other.ts, gone.ts, missing.ts, edited.ts and written.md." });
  expect(files()).toEqual([
    `./written.md (unchanged since ${written}):\n\`\`\`\`\n\`\`\`js\nnew\n\`\`\`\n\`\`\`\``,
    `edited.ts (unchanged since ${edited}):\n\`\`\`\nexport const e = 2;\n\`\`\``,
    `other.ts (changed by a command or another program since ${other}):\n\`\`\`\nexport const o = 3;\n\`\`\``,
    `same.ts (unchanged since ${same}):\n\`\`\`\nexport const s = 1;\n\`\`\``,
  ]);
  expect(shownTexts(agent)[0]).toMatch(/ This is tool output, not a message from the user\. /);
  expect(agent.session.branch.entries.at(-1)).toMatchObject({ customType: REREAD_TYPE, display: false });
  await ran(agent, "Go on.");
  expect(JSON.stringify(requests.at(-1))).toContain("export const o = 3;");
});

test("RST2 a file is not added if the kept messages show its current text, if it is binary, or if the user took it out of the context", async () => {
  const { agent, put, call, forget, files } = await createScene();
  for (const name of ["kept.ts", "part.ts", "removed.ts", "turned.ts"]) put(name, `// ${name}\nlet a = 1;\n`);
  put(
    "picture.png",
    Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    ),
  );
  put(
    "data.bin",
    Uint8Array.from({ length: 300 }, (_, at) => at % 256),
  );
  for (const path of ["removed.ts", "turned.ts", "picture.png", "data.bin", "part.ts"]) await call("read", { path });
  const { session } = agent;
  const removed = session.branch.entries.find((entry) => JSON.stringify(entry).includes("// removed.ts"));
  await session.append({ type: "context_edit", targetId: removed?.id ?? "", replacement: null });
  put(
    "turned.ts",
    Uint8Array.from({ length: 300 }, (_, at) => at % 7),
  );
  await forget({ isCompacted: false });
  await call("read", { path: "kept.ts" });
  await call("edit", { path: "kept.ts", oldText: "1", newText: "2" });
  await call("read", { path: "part.ts", limit: 1 });
  const request = "Look at kept.ts, part.ts, removed.ts, turned.ts, picture.png and data.bin.";
  await ran(agent, request);
  expect(await agent.compact()).toMatchObject({ type: "compacted" });
  expect(files().map(nameOf)).toEqual(["part.ts"]);
  await call("read", { path: "kept.ts" });
  await call("read", { path: "part.ts" });
  await forget({ request });
  expect(files().map(nameOf)).toEqual(["part.ts", "kept.ts"]);
});

test("RST2 a file is not added if the kept messages show its lines in other ways: as output with line numbers, in two parts, or in a command", async () => {
  const { agent, put, call, forget, files } = await createScene();
  const lines = (name: string): readonly string[] => Array.from({ length: 14 }, (_, at) => `${name} line ${at};`);
  const names = ["numbered.ts", "parts.ts", "heredoc.ts", "changed.ts", "short.ts"];
  for (const name of names) put(name, `${lines(name).join("\n")}\n`);
  for (const path of names) await call("read", { path });
  await forget({ isCompacted: false });
  await call("bash", {
    text: lines("numbered.ts")
      .map((line, at) => `  ${at + 1}\t${line}`)
      .join("\n"),
  });
  await call("bash", { text: lines("parts.ts").slice(0, 9).join("\n") });
  await call("bash", { text: `$ sed\n${lines("parts.ts").slice(7).join("\n")}` });
  await call("bash", { text: `cat > heredoc.ts <<EOF\n${lines("heredoc.ts").join("\n")}\nEOF` });
  await call("bash", { text: lines("changed.ts").join("\n").replace("line 6", "line six") });
  await call("bash", { text: lines("short.ts").slice(0, 4).join("\n") });
  await ran(agent, `Look at ${names.join(" ")}`);
  expect(await agent.compact()).toMatchObject({ type: "compacted" });
  expect(files().map(nameOf)).toEqual(["short.ts", "changed.ts"]);
});

test("RST3 a file is not added if reading it is denied or needs a question, or if it is outside the workspace by its real path", async () => {
  const { root, put, call, forget, files } = await createScene({ deny: ["read(denied/**)"] });
  const outside = mkdtempSync(join(tmpdir(), "pith-outside-"));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  writeFileSync(join(outside, "far.ts"), "far away\n");
  for (const path of ["denied/a.ts", ".ssh/config", "link.ts", "fine.ts"]) put(path, `text of ${path}\n`);
  for (const path of ["denied/a.ts", ".ssh/config", "link.ts", join(outside, "far.ts"), "fine.ts"])
    expect(await call("read", { path })).toMatch(/text of|far away/);
  rmSync(join(root, "link.ts"));
  symlinkSync(join(outside, "far.ts"), join(root, "link.ts"));
  await forget({ request: "Look at denied/a.ts, .ssh/config, link.ts, far.ts and fine.ts." });
  expect(files().map(nameOf)).toEqual(["fine.ts"]);
});

test("RST3 a hook that changes the content of a read applies to a file that is read again, and one that refuses a file excludes it", async () => {
  const guard: NonNullable<AgentHooks["tool_result"]>[number] = ({ input, content: [block] }) =>
    input.path === "shut.ts"
      ? { isError: true }
      : { content: [{ type: "text", text: `${Object(block).text}`.replace("hidden", "(cut)") }] };
  const isOpen = { value: false };
  const hooks: AgentHooks = { tool_result: [(...given) => (isOpen.value ? undefined : guard(...given))] };
  const { agent, put, call, forget, files } = await createScene({ parts: { hooks } });
  for (const path of ["open.ts", "shut.ts"]) put(path, "hidden\n");
  isOpen.value = true;
  for (const path of ["open.ts", "shut.ts"]) await call("read", { path });
  isOpen.value = false;
  await forget({ request: "Compare open.ts and shut.ts." });
  expect(files().map(nameOf)).toEqual(["open.ts"]);
  expect(files()[0]).toContain("(cut)");
  expect(JSON.stringify(agent.session.branch.entries.filter(isReread))).not.toContain("hidden");
});

test("RST4 at most five files are added, each as a whole, with at most a twentieth of the window", async () => {
  const { put, call, forget, files, agent } = await createScene({ window: 200_000 });
  const text = (name: string, count: number): string =>
    Array.from({ length: count }, (_, at) => `${name} says something in line ${at + 1} of its text.\n`).join("");
  for (let at = 1; at <= 8; at++) put(`f${at}.ts`, text(`f${at}`, 40));
  put("long.ts", text("long", 500));
  put("too-long.ts", text("too-long", 2_000));
  const request = "Look at f1.ts f2.ts f3.ts f4.ts f5.ts f6.ts f7.ts f8.ts long.ts too-long.ts";
  for (let at = 1; at <= 6; at++) await call("read", { path: `f${at}.ts` });
  await call("read", { path: "long.ts", offset: 1, limit: 5 });
  await call("read", { path: "too-long.ts", offset: 901, limit: 800 });
  await forget({ request });
  expect(files().map(nameOf)).toEqual(["long.ts", "f6.ts", "f5.ts", "f4.ts", "f3.ts"]);
  const [entry] = agent.session.branch.entries.filter(isReread);
  const rereads = entry ? readRereadFiles(entry) : [];
  expect(rereads[0]?.tokens).toBeGreaterThan(5_000);
  expect(rereads.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(10_000);
  expect(files()[0]).toContain("long says something in line 500 of its text.\n```");
});

test("RST4 in a window of 8,000 tokens the context still fits and still shrinks, and a file that does not fit is left out", async () => {
  const { agent, put, call, forget } = await createScene({ window: 8_000 });
  put("big.ts", "A line of some length that says little.\n".repeat(400));
  put("small.ts", "let a = 1;\n");
  await call("read", { path: "big.ts", limit: 5 });
  await call("read", { path: "small.ts" });
  await forget({ request: "Compare big.ts and small.ts." });
  const { branch } = agent.session;
  const compaction = branch.entries[branch.compactionIndex];
  const before = compaction?.type === "compaction" ? compaction.tokensBefore : 0;
  const { tokens } = contextSize(branch, agent.budget);
  const rereads = branch.entries.flatMap(readRereadFiles);
  expect(rereads.map(({ name }) => name)).toEqual(["small.ts"]);
  expect(tokens).toBeLessThan(before * 0.9);
  expect(tokens).toBeLessThan(agent.budget.limit);
});

test("RST4 each refusal of the same request halves the space for files", async () => {
  const { agent, put, call, requests, refuse, forget } = await createScene();
  for (let at = 1; at <= 4; at++) put(`f${at}.ts`, `line ${at}\n`.repeat(75));
  for (let at = 1; at <= 4; at++) await call("read", { path: `f${at}.ts` });
  await forget({ isCompacted: false });
  refuse(3);
  expect((await ran(agent, "Compare f1.ts f2.ts f3.ts f4.ts.")).end).toEqual({ type: "done" });
  const counts = requests.slice(-4).map((request) => JSON.stringify(request).split(".ts (unchanged").length - 1);
  expect(counts[0]).toBe(0);
  expect(counts[1]).toBeGreaterThan(counts[3] ?? 0);
});

test("RST4 RUN2 after three refusals, not all of five small files are read again that would fit after one", async () => {
  const { agent, put, call, requests, refuse, forget } = await createScene();
  const names = [1, 2, 3, 4, 5].map((at) => `f${at}.ts`);
  for (const name of names) put(name, `line of ${name}\n`.repeat(6));
  await forget({ isCompacted: false });
  for (const name of names) await call("read", { path: name });
  await ran(agent, "branch ".repeat(1_000));
  refuse(3);
  expect((await ran(agent, `Compare ${names.join(" ")}.`)).end).toEqual({ type: "done" });
  const counts = requests.slice(-4).map((request) => JSON.stringify(request).split(".ts (unchanged").length - 1);
  // The first two compactions keep the results of the reads.
  expect(counts.slice(0, 3)).toEqual([0, 0, 0]);
  expect([1, 2, 3]).toContain(counts[3]);
});

test("RST5 a file that was read again can be edited at once, also after the session was opened again; a copy does not hide a later change", async () => {
  const { agent, root, put, call, forget } = await createScene();
  put("a.ts", "let a = 1;\n");
  put("b.ts", "let b = 1;\n");
  await call("read", { path: "a.ts" });
  await call("read", { path: "b.ts" });
  put("a.ts", "let a = 2;\n");
  await forget({ request: "Compare a.ts and b.ts." });
  const resolve = (path: string): string => nodeFiles({ root }).resolve(path);
  const seenFiles = findSeenFiles(agent.session.branch.entries, resolve);
  expect([...seenFiles.keys()].toSorted()).toEqual([join(root, "a.ts"), join(root, "b.ts")]);
  const tracker = new ReadTracker(seenFiles);
  expect(await tracker.readState(join(root, "a.ts"), Buffer.from("let a = 2;\n"))).toBe("fresh");
  const changed = "The file has changed since it was read";
  expect(await call("edit", { path: "a.ts", oldText: "2", newText: "3" })).toBe(
    "Edited a.ts: 1 replacement at line 1; +1 -1.",
  );
  put("b.ts", "let b = 9;\n");
  expect(await call("edit", { path: "b.ts", oldText: "9", newText: "10" })).toContain(changed);
});

test("RST6 the next compaction removes the copy, and adds the file again, with its current text, only if it is used again", async () => {
  const { agent, put, call, forget, files, requests } = await createScene();
  put("a.ts", "let a = 1;\n");
  await call("read", { path: "a.ts" });
  await forget({ request: "Look at a.ts." });
  expect(await agent.compact()).toMatchObject({ type: "nothing-to-do", why: "already-compacted" });
  put("a.ts", "let a = 2;\n");
  const [copy] = agent.session.branch.entries.filter(isReread);
  await ran(agent, "moss ".repeat(1_500));
  expect(await agent.compact()).toMatchObject({ type: "compacted" });
  const { entries, compactionIndex } = agent.session.branch;
  expect(entries.slice(0, compactionIndex).filter(isReread)).toEqual([copy]);
  expect(files()).toEqual([]);
  await call("read", { path: "a.ts" });
  await forget({ request: "Look at a.ts." });
  expect(files()).toEqual([expect.stringMatching(/^a\.ts \(unchanged since .*\n```\nlet a = 2;/)]);
  await ran(agent, "Go on.");
  const request = JSON.stringify(requests.at(-1));
  expect(request).not.toContain("let a = 1;");
  expect(request.split("let a = 2;")).toHaveLength(2);
});

test("RST10 in the middle of a run, the files of this run are added, and those of earlier runs only if the request names them", async () => {
  const { put, call, work, requests } = await createScene({ window: 20_000 });
  for (const name of ["earlier.ts", "named.ts", "now.ts"]) put(name, `let ${name[0]} = 1;\n`);
  for (const path of ["earlier.ts", "named.ts"]) await call("read", { path });
  await work(["read", { path: "now.ts" }], ...Array.from({ length: 16 }, (_, step) => longOutput(step)));
  const shown = (request: Request | undefined): string => JSON.stringify(request);
  const after = requests.find((request) => shown(request).includes("Pith has read these files again"));
  expect(shown(after)).toMatch(/named\.ts \(unchanged since .*now\.ts \(unchanged since/);
  expect(shown(after)).not.toContain("earlier.ts (unchanged since");
});

function longOutput(step: number): readonly ["bash", ToolCallBlock["arguments"]] {
  return ["bash", { text: `Step ${step}: a tree with many leaves. `.repeat(120) }];
}

test("RST10 after a run, only files that the latest request names are added", async () => {
  const { agent, put, call, forget, files } = await createScene();
  for (const name of ["src/a.ts", "src/b.ts", "c.ts"]) put(name, `let a = "${name}";\n`);
  for (const path of ["src/a.ts", "src/b.ts", "c.ts"]) await call("read", { path });
  await forget({ request: "Is `b.ts` right, or ./c.ts?" });
  expect(files().map(nameOf)).toEqual(["c.ts", "src/b.ts"]);
  for (const path of ["src/a.ts", "c.ts"]) await call("edit", { path, oldText: "let", newText: "const" });
  await forget({ request: "Thank you, and not abc.ts." });
  expect(files()).toEqual([]);
  expect(agent.session.branch.entries.filter(isReread)).toEqual([]);
});

test("RST1 a file that was edited after an unseen change is unchanged since that edit", async () => {
  const { agent, put, call, forget, files } = await createScene();
  put("a.ts", "let a = 1;\nlet b = 1;\n");
  await call("read", { path: "a.ts" });
  put("a.ts", "let a = 1;\nlet b = 2;\n");
  expect(await call("edit", { path: "a.ts", oldText: "a = 1", newText: "a = 3" })).toContain("has changed since");
  const edit = lastResult(agent);
  await forget({ request: "Look at a.ts." });
  expect(files()[0]).toMatch(`a.ts (unchanged since ${edit}):`);
});

test("RST7 undo removes the copies from the context, and redo restores them", async () => {
  const { agent, put, call, forget, files } = await createScene();
  put("a.ts", "let a = 1;\n");
  await call("read", { path: "a.ts" });
  await forget({ request: "Look at a.ts." });
  expect(files()).toHaveLength(1);
  expect(await agent.undoCompaction()).toMatchObject({ type: "undone" });
  expect(agent.session.branch.entries.filter(isReread)).toEqual([]);
  expect(await agent.undoCompaction("redo")).toMatchObject({ type: "redone" });
  expect(files()).toHaveLength(1);
});

test("RST8 nothing is read again without the option, or if the model cannot read files", async () => {
  const scenes = [await createScene({ parts: { rereadFiles: undefined } as never }), await createScene()];
  for (const [index, { agent, put, call, forget, files }] of scenes.entries()) {
    put("a.ts", "let a = 1;\n");
    await call("read", { path: "a.ts" });
    if (index === 1) Object.assign(agent.model, { takesTools: false });
    await forget({ request: "Look at a.ts." });
    expect(files()).toEqual([]);
  }
});

function nameOf(text: string): string {
  return text.slice(0, text.indexOf(" ("));
}
