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
} from "../../src/index.ts";
import { nodeFiles, resolveRealPath } from "../../src/node/index.ts";
import { agentOf, ran } from "../agents.ts";
import { rules } from "../permissions/ground.ts";

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
  /** Adds so much text that a compaction covers everything before it, and compacts. */
  forget(options?: { readonly isCompacted: boolean }): Promise<void>;
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
  const paths = { root, home: "/home/ann", temporaryFolders: [], keyFiles: [], permissionFiles: [] };
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
    tools: fileTools({ files }, readTracker),
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
    forget: async ({ isCompacted } = { isCompacted: true }) => {
      replies.push(...Array.from({ length: 12 }, (_, part) => `tree${part} `.repeat(window / 60)));
      while (replies.length > 0) await ran(agent, "Go on.");
      if (isCompacted) expect(await agent.compact()).toMatchObject({ type: "compacted" });
    },
    files: () => shownTexts(agent).slice(1),
  };
}

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

test("RST1 RST5 the files used most recently follow a compaction with their current text, marked as unchanged or changed, most recently used first", async () => {
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
  await forget();
  const use = "since you last read or changed it in";
  expect(files()).toEqual([
    `./written.md (the whole file; unchanged ${use} ${written}):\n\`\`\`\`\n\`\`\`js\nnew\n\`\`\`\n\`\`\`\``,
    `edited.ts (the whole file; unchanged ${use} ${edited}):\n\`\`\`\nexport const e = 2;\n\`\`\``,
    `other.ts (the whole file; changed on disk ${use} ${other}):\n\`\`\`\nexport const o = 3;\n\`\`\``,
    `same.ts (the whole file; unchanged ${use} ${same}):\n\`\`\`\nexport const s = 1;\n\`\`\``,
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
  expect(await agent.compact()).toMatchObject({ type: "compacted" });
  expect(files().map(nameOf)).toEqual(["part.ts"]);
  await forget();
  expect(files().map(nameOf)).toEqual(["part.ts", "kept.ts"]);
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
  await forget();
  expect(files().map(nameOf)).toEqual(["fine.ts"]);
});

test("RST3 a hook that changes what read shows changes it here too, and one that refuses a file keeps it out", async () => {
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
  await forget();
  expect(files().map(nameOf)).toEqual(["open.ts"]);
  expect(files()[0]).toContain("(cut)");
  expect(JSON.stringify(agent.session.branch.entries.filter(isReread))).not.toContain("hidden");
});

test("RST4 at most five files, each up to 5,000 tokens, take at most a tenth of the window", async () => {
  const { agent, put, call, forget } = await createScene({ window: 200_000 });
  const line = (name: string, at: number): string => `${name} says something in line ${at} of its text.\n`;
  const text = (name: string, count: number): string =>
    Array.from({ length: count }, (_, at) => line(name, at + 1)).join("");
  for (let at = 1; at <= 8; at++) put(`f${at}.ts`, text(`f${at}`, 40));
  put("long.ts", text("long", 2_000));
  await call("read", { path: "long.ts", offset: 901, limit: 800 });
  for (let at = 1; at <= 4; at++) await call("read", { path: `f${at}.ts` });
  await forget();
  const [entry] = agent.session.branch.entries.filter(isReread);
  const rereads = entry ? readRereadFiles(entry) : [];
  expect(rereads.map(({ name }) => name)).toEqual(["f4.ts", "f3.ts", "f2.ts", "f1.ts", "long.ts"]);
  const long = rereads.at(-1);
  expect(long?.tokens).toBeGreaterThan(3_000);
  expect(long?.tokens).toBeLessThanOrEqual(5_000);
  const shown = shownTexts(agent).at(-1) ?? "";
  expect(shown).toMatch(
    /^long\.ts \(part of the file, starting at line 901; read shows the rest; unchanged since .*\n```\nlong says something in line 901 /,
  );
  expect(shown).toMatch(/\n\[lines 901 to \d+ of 2000, .* continue with offset \d+\]\n```$/);
  for (let at = 5; at <= 8; at++) await call("read", { path: `f${at}.ts` });
  await forget();
  expect(
    agent.session.branch.entries
      .filter(isReread)
      .flatMap(readRereadFiles)
      .map(({ name }) => name),
  ).toEqual([...["f8.ts", "f7.ts", "f6.ts", "f5.ts", "f4.ts"]]);
});

test("RST4 in a window of 8,000 tokens the context still fits and still shrinks, with at most a quarter of what was freed", async () => {
  const { agent, put, call, forget } = await createScene({ window: 8_000 });
  put("big.ts", "A line of some length that says little.\n".repeat(400));
  put("small.ts", "let a = 1;\n");
  await call("read", { path: "big.ts", limit: 5 });
  await call("read", { path: "small.ts" });
  await forget();
  const { branch } = agent.session;
  const compaction = branch.entries[branch.compactionIndex];
  const before = compaction?.type === "compaction" ? compaction.tokensBefore : 0;
  const { tokens } = contextSize(branch, agent.budget);
  const rereads = branch.entries.flatMap(readRereadFiles);
  expect(rereads.map(({ name }) => name)).toEqual(["small.ts", "big.ts"]);
  const rereadTokens = rereads.reduce((sum, file) => sum + file.tokens, 0);
  expect(rereadTokens).toBeLessThanOrEqual(800);
  expect(rereadTokens * 4).toBeLessThanOrEqual(before - (tokens - rereadTokens));
  expect(tokens).toBeLessThan(before * 0.9);
  expect(tokens).toBeLessThan(agent.budget.limit);
});

test("RST4 each refusal of the same request halves the space for files", async () => {
  const { agent, put, call, requests, refuse, forget } = await createScene();
  for (let at = 1; at <= 4; at++) put(`f${at}.ts`, `line ${at}\n`.repeat(150));
  for (let at = 1; at <= 4; at++) await call("read", { path: `f${at}.ts` });
  await forget({ isCompacted: false });
  refuse(3);
  expect((await ran(agent, "Go on.")).end).toEqual({ type: "done" });
  const counts = requests.slice(-4).map((request) => JSON.stringify(request).split("(the whole file; unch").length - 1);
  expect(counts[0]).toBe(0);
  expect(counts[1]).toBeGreaterThan(counts[3] ?? 0);
});

test("RST5 a file that was read again can be edited at once, also after the session was opened again; a copy does not hide a later change", async () => {
  const { agent, root, put, call, forget } = await createScene();
  put("a.ts", "let a = 1;\n");
  put("b.ts", "let b = 1;\n");
  await call("read", { path: "a.ts" });
  await call("read", { path: "b.ts" });
  put("a.ts", "let a = 2;\n");
  await forget();
  const resolve = (path: string): string => nodeFiles({ root }).resolve(path);
  const seen = findSeenFiles(agent.session.branch.entries, resolve);
  expect([...seen.keys()].toSorted()).toEqual([join(root, "a.ts"), join(root, "b.ts")]);
  const tracker = new ReadTracker(seen);
  expect(await tracker.readState(join(root, "a.ts"), Buffer.from("let a = 2;\n"))).toBe("fresh");
  const changed = "The file has changed since it was read";
  expect(await call("edit", { path: "a.ts", oldText: "2", newText: "3" })).toBe(
    "Edited a.ts: 1 replacement at line 1; +1 -1.",
  );
  put("b.ts", "let b = 9;\n");
  expect(await call("edit", { path: "b.ts", oldText: "9", newText: "10" })).toContain(changed);
});

test("RST6 the next compaction keeps one copy, with the current text, even if the kept messages had the earlier one", async () => {
  const { agent, put, call, forget, files, requests } = await createScene();
  put("a.ts", "let a = 1;\n");
  await call("read", { path: "a.ts" });
  await forget();
  expect(await agent.compact()).toMatchObject({ type: "nothing-to-do", why: "already-compacted" });
  put("a.ts", "let a = 2;\n");
  const [copy] = agent.session.branch.entries.filter(isReread);
  await ran(agent, "moss ".repeat(1_500));
  expect(await agent.compact()).toMatchObject({ type: "compacted" });
  const { entries, compactionIndex } = agent.session.branch;
  expect(entries.slice(0, compactionIndex).filter(isReread)).toEqual([copy]);
  expect(files()).toEqual([
    expect.stringMatching(/^a\.ts \(the whole file; changed on disk since .*\n```\nlet a = 2;/),
  ]);
  expect(files()[0]).toContain(copy ? entryReference(copy) : "no copy");
  await ran(agent, "Go on.");
  const request = JSON.stringify(requests.at(-1));
  expect(request).not.toContain("let a = 1;");
  expect(request.split("let a = 2;")).toHaveLength(2);
});

test("RST7 undo takes the copies out of the context again, and redo brings them back", async () => {
  const { agent, put, call, forget, files } = await createScene();
  put("a.ts", "let a = 1;\n");
  await call("read", { path: "a.ts" });
  await forget();
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
    await forget();
    expect(files()).toEqual([]);
  }
});

function nameOf(text: string): string {
  return text.slice(0, text.indexOf(" ("));
}
