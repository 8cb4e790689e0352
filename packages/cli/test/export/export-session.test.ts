/** What leaves: readable, whole, harmless, and without secrets. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Redaction, Session } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import { createSession, keepBlob, nodeRuntime, openStore } from "@pith/context/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { exportSession } from "../../src/export/export-session.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pith-export-"));
});
afterEach(() => rmSync(home, { recursive: true }));

const SECRET = "hunter2hunter2";
const redaction: Redaction = {
  redact: <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll(SECRET, "GONE")) as Value,
};
const HOSTILE = [
  "<script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "</pre></article><svg/onload=alert(1)>",
  "<!-- --><style>*{}</style>",
  "&lt;b&gt; \u202e\u001b]0;x\u0007",
  "</title><meta http-equiv=refresh content=0>",
  "```\n# heading\n````",
];

interface Made {
  readonly path: string;
  readonly id: string;
}

async function made(replies?: readonly string[]): Promise<Made> {
  const opened = await createSession({ cwd: "/code", env: { PITH_HOME: home } });
  if (opened.type !== "opened") throw new Error("no session");
  const session = await Session.open(opened.store, nodeRuntime);
  const user = (text: string) => ({ type: "message", message: { role: "user", content: text, timestamp: 1 } }) as const;
  const result = (text: string) =>
    ({
      type: "message",
      message: {
        role: "toolResult",
        toolCallId: "c1",
        toolName: `read${HOSTILE[1]}`,
        content: [{ type: "text", text }],
        isError: false,
        timestamp: 1,
      },
    }) as const;
  const messages = replies?.map(user) ?? [...HOSTILE.map(user), ...HOSTILE.map(result)];
  await session.append(user(`look at ${SECRET}`), ...messages);
  await session.append({ type: "session_info", name: HOSTILE[5] ?? "" });
  await opened.store.close();
  return { path: opened.store.path, id: opened.store.header.id };
}

test("EXP1 an export in any format has no secrets, is readable by its owner only, and overwrites nothing", async () => {
  const { path } = await made();
  for (const as of ["pi", "markdown", "html"] as const) {
    const to = join(home, `out-${as}`);
    const exportOptions = { to, as, redaction, cwd: home };
    expect(await exportSession(path, exportOptions)).toEqual({ type: "exported", path: to, as, missing: [] });
    const text = readFileSync(to, "utf8");
    expect(text).not.toContain(SECRET);
    expect(text).toContain("look at GONE");
    expect(statSync(to).mode & 0o777).toBe(0o600);
    expect(await exportSession(path, exportOptions)).toMatchObject({ type: "mistake" });
  }
});

test("EXP2 an HTML page has only Pith's own elements, no scripts and no external addresses, whatever the messages contain", async () => {
  const { path } = await made();
  const to = join(home, "out.html");
  await exportSession(path, { to, redaction, cwd: home });
  const text = readFileSync(to, "utf8");
  const elements = new Set(Array.from(text.matchAll(/<\/?([a-z!][a-z0-9]*)/gi), ([, name]) => name?.toLowerCase()));
  const ours =
    "!doctype html head meta title style body header h1 dl dt dd label input nav a main article h2 h3 time div pre code details summary span b img p br";
  expect([...elements].filter((name) => !ours.split(" ").includes(name ?? ""))).toEqual([]);
  expect(text).toContain("default-src 'none'");
  expect(text.match(/<style>/g)).toHaveLength(1);
  expect(text.match(/<meta /g)).toHaveLength(4);
  expect(text).not.toMatch(/ on[a-z]+=[^&]*alert[^&]*>/);
  expect(text).not.toContain("\u202e");
  expect(text).not.toContain("\u001b");
});

test("EXP2 Markdown in messages adds no elements, attributes or addresses to the page", async () => {
  const { path } = await made([
    "[click](javascript:alert(1)) ![pixel](https://evil.example/p.png) <https://evil.example>",
    '<a href="javascript:alert(1)">x</a> `<b>` **<i>bold</i>** &#8238; &lt;script&gt;',
    "<script>alert(1)</script>\n\n<pre><img src=x onerror=alert(1)></pre>",
    '```"><script>alert(1)</script>\n<img src=x onerror=alert(1)>\n```',
    "| <u>a</u> | b |\n|---|---|\n| <img src=x onerror=alert(1)> | c |",
    "- [x] done\n- [ ] open\n\n> quoted\n\n1. one\n\n~~gone~~ *em*\n\n---",
    `${"> ".repeat(200_000)}deep`,
    "*a".repeat(50_000),
  ]);
  const to = join(home, "out.html");
  await exportSession(path, { to, redaction, cwd: home });
  const text = readFileSync(to, "utf8");
  const elements = new Set(Array.from(text.matchAll(/<\/?([a-z!][a-z0-9]*)/gi), ([, name]) => name?.toLowerCase()));
  for (const name of ["script", "b", "i", "u", "svg"]) expect(elements).not.toContain(name);
  expect(text.match(/<input[^>]*>/g)).toEqual(['<input type="checkbox" id="expand">']);
  const links = Array.from(text.matchAll(/<a\b[^>]*>/g), ([link]) => link);
  expect(links.filter((link) => !/^<a class="(?:user|link)" href="#m\d+">$/.test(link))).toEqual([]);
  expect(text).not.toMatch(/<[^>]*\s(?:href="[^#]|on\w+\s*=)/i);
  expect(text).not.toMatch(/<img(?! alt="image" src="data:)/);
  expect(text).not.toContain("&#8238;");
  expect(text).toContain("<li>☑ done</li>");
});

test("EXP7 an HTML page has a title, Markdown, framed code with colors, and folded tool calls with their results", async () => {
  const opened = await createSession({ cwd: "/code", env: { PITH_HOME: home } });
  if (opened.type !== "opened") throw new Error("no session");
  const session = await Session.open(opened.store, nodeRuntime);
  const usage = { ...zeroUsage };
  const reply = {
    role: "assistant",
    api: "a",
    provider: "p",
    model: "m",
    usage,
    stopReason: "stop",
    timestamp: 1,
  } as const;
  const call = (id: string, name: string, args: object) => ({ type: "toolCall", id, name, arguments: args }) as const;
  const result = (toolCallId: string, text: string, details?: object) =>
    ({
      type: "message",
      message: {
        ...{
          role: "toolResult",
          toolCallId,
          toolName: "x",
          content: [{ type: "text", text }],
          isError: false,
          timestamp: 1,
        },
        ...(details && { details }),
      },
    }) as const;
  await session.append({ type: "message", message: { role: "user", content: "Fix the **login** test", timestamp: 1 } });
  const calls = [
    call("c1", "bash", { command: "npm test" }),
    call("c2", "write", { path: "src/a.ts", content: "const a = 1;\n" }),
    call("c3", "edit", { path: "src/b.ts", oldText: "x", newText: "y" }),
  ] as never[];
  await session.append({ type: "message", message: { ...reply, content: calls } } as never);
  await session.append(result("c1", "1 failed") as never, result("c2", "written") as never);
  await session.append(result("c3", "edited", { diff: "@@ -1 +1 @@\n-x\n+y" }) as never);
  const replyText = "## Done\n\nIt **works**:\n\n```ts\nconst b = 2;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |";
  await session.append({
    type: "message",
    message: { ...reply, content: [{ type: "text", text: replyText }] },
  } as never);
  await opened.store.close();
  const to = join(home, "out.html");
  await exportSession(opened.store.path, { to, redaction, cwd: home });
  const text = readFileSync(to, "utf8");
  expect(text).toContain("<title>Fix the **login** test</title>");
  expect(text).toContain("<strong>works</strong>");
  expect(text).toContain('<pre><code><span class="hljs-keyword">const</span> b');
  expect(text).toContain("<th>a</th>");
  const [, command = "", written = "", edited = ""] = text.split('<details class="call"');
  expect(command).toMatch(/^><summary><span class="tool"><b>bash<\/b> npm test<\/span><\/summary>/);
  expect(command).toContain("1 failed");
  expect(written).toMatch(/^><summary><span class="tool"><b>write<\/b> src\/a.ts<\/span> <span class="amount">1 line</);
  expect(written).toContain('<span class="hljs-keyword">const</span> a');
  expect(edited).toMatch(
    /^ open><summary><span class="tool"><b>edit<\/b> src\/b.ts<\/span> <span class="amount">\+1 −1</,
  );
  expect(edited).toContain(
    '<span class="row removed"><span class="gutter">1 - </span>x</span><span class="row added"><span class="gutter">1 + </span>y</span>',
  );
  expect(text).toContain("prefers-color-scheme: dark");
  expect(text).toContain("width=device-width");
});

test("EXP8 an HTML page begins with the totals and with links to messages, changes, failures and summaries", async () => {
  const opened = await createSession({ cwd: "/code", env: { PITH_HOME: home } });
  if (opened.type !== "opened") throw new Error("no session");
  const session = await Session.open(opened.store, nodeRuntime);
  const usage = { ...zeroUsage, cost: { ...zeroUsage.cost, total: 0.25 } };
  const base = { role: "assistant", api: "a", provider: "p", model: "m", usage, stopReason: "stop", timestamp: 1 };
  const say = (content: readonly object[]) =>
    session.append({ type: "message", message: { ...base, content } } as never);
  const call = (id: string, name: string, args: object) => ({ type: "toolCall", id, name, arguments: args });
  const result = (toolCallId: string, isError: boolean, details: object) => {
    const content = [{ type: "text", text: "so" }];
    const message = { role: "toolResult", toolCallId, toolName: "x", content, isError, details, timestamp: 1 };
    return session.append({ type: "message", message } as never);
  };
  await session.append({ type: "model_change", provider: "p", modelId: "m" } as never);
  await session.append({ type: "message", message: { role: "user", content: "Fix\nthe <login>", timestamp: 1 } });
  await say([call("c1", "edit", { path: "b.ts" }), call("c2", "read", { path: "c.ts" })]);
  await result("c1", false, { diff: "@@ -1,2 +1,2 @@\n-/* x\n+/* y\n z */" });
  await result("c2", false, {});
  await say([call("c3", "bash", { command: "npm test" })]);
  await result("c3", true, { exitCode: 2 });
  await say([{ type: "text", text: "Done." }]);
  await session.append({
    type: "compaction",
    summary: "## Goal",
    tokensBefore: 5_000,
    firstKeptEntryId: session.leaf,
  } as never);
  await opened.store.close();
  const to = join(home, "out.html");
  await exportSession(opened.store.path, { to, redaction, cwd: home });
  const text = readFileSync(to, "utf8");
  const facts = Array.from(
    text.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g),
    ([, name, value]) => `${name}: ${value}`,
  );
  expect(facts.slice(2, 5)).toEqual(["model: p/m", "content: 1 message, 3 tool calls, 1 file changed", "cost: $0.75"]);
  const contents = /<nav aria-label="Contents">(.*)<\/nav>/s.exec(text)?.[1]?.trim().split("\n");
  expect(contents).toEqual([
    '<a class="user" href="#m1">Fix the &#60;login&#62;</a>',
    '<a class="change" href="#m2">edit b.ts</a>',
    '<a class="failure" href="#m5">bash npm test</a>',
    '<a class="summary" href="#m8">Compaction: from 5,000 tokens</a>',
  ]);
  for (const target of ["m1", "m2", "m5", "m8"]) expect(text.split(`id="${target}"`)).toHaveLength(2);
  // The replies of one turn have one heading, and a comment over two lines is colored on both.
  expect(text.match(/<h2>p\/m<\/h2>/g)).toHaveLength(1);
  expect(text).toContain('<span class="gutter">2   </span><span class="hljs-comment">z */</span></span>');
  expect(text).toContain('<span class="failed">exit code 2</span>');
  expect(text).toContain("<details><summary>Summary sent to the model</summary>");
});

test("EXP3 in a Markdown export, fences are longer than any fence in the output that they contain", async () => {
  const { path } = await made();
  const to = join(home, "out.md");
  await exportSession(path, { to, redaction, cwd: home });
  const text = readFileSync(to, "utf8");
  expect(text).toContain("`````\n```\n# heading\n````\n`````");
});

test("EXP3 a Markdown export closes a fence that a reply left open", async () => {
  const { path } = await made(["```js\ncut off", "````\n```\n`````", "~~~\n```", "```inline``` and more", "the end"]);
  const to = join(home, "out.md");
  await exportSession(path, { to, redaction, cwd: home });
  const [, rest = ""] = readFileSync(to, "utf8").split("look at GONE");
  expect(rest.split("\n\n## User\n\n").slice(1)).toEqual([
    "```js\ncut off\n```",
    "````\n```\n`````",
    "~~~\n```\n~~~",
    "```inline``` and more",
    "the end\n",
  ]);
});

const odd: readonly unknown[] = [
  undefined,
  7,
  [
    null,
    { type: "citation" },
    { type: "text" },
    { type: "toolCall", name: 5 },
    { type: "image" },
    { type: "thinking" },
  ],
];

test("EXP6 a foreign file with malformed entries is exported without them", async () => {
  const path = join(home, "foreign.jsonl");
  const start = { type: "session", version: 3, id: "a", timestamp: "2026-01-01T00:00:00.000Z", cwd: `/w/${SECRET}` };
  const roles = ["user", "assistant", "toolResult", "bashExecution"].flatMap((role) =>
    odd.map((content) => ({ type: "message", message: { role, content } })),
  );
  const others = ["compaction", "branch_summary", "custom_message", "model_change"].map((type) => ({
    type,
    summary: 5,
    customType: 4,
    display: true,
  }));
  const end = { type: "message", message: { role: "user", content: "the end", timestamp: 1 } };
  const entries = [...roles, ...others, end].map((entry, at) => ({ ...entry, ...placed(at) }));
  writeFileSync(path, [start, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
  for (const to of ["out.html", "out.md", "out.jsonl"]) {
    expect(await exportSession(path, { to, redaction, cwd: home })).toMatchObject({ type: "exported" });
    const text = readFileSync(join(home, to), "utf8");
    expect(text).toContain("the end");
    expect(text).not.toContain(SECRET);
  }
});

function placed(at: number): object {
  return { id: `a${at}`, parentId: at === 0 ? null : `a${at - 1}`, timestamp: at % 2 === 0 ? 7 : "2026-01-01" };
}

test("EXP4 the file extension sets the format; without a path, the export is an HTML page named after the session", async () => {
  const { path, id } = await made();
  expect(await exportSession(path, { redaction, cwd: home })).toMatchObject({
    path: join(home, `pith-${id.slice(0, 8)}.html`),
    as: "html",
  });
  expect(await exportSession(path, { to: "a.jsonl", redaction, cwd: home })).toMatchObject({ as: "pi" });
  expect(await exportSession(path, { to: "a.pdf", redaction, cwd: home })).toEqual({
    type: "mistake",
    message: "a.pdf has no known file extension; use .html, .md or .jsonl (for pi)",
  });
  expect(await exportSession(path, { to: "a.txt", as: "markdown", redaction, cwd: home })).toMatchObject({
    path: join(home, "a.txt"),
    as: "markdown",
  });
  expect(await exportSession(path, { to: "none/a.md", redaction, cwd: home })).toMatchObject({
    message: `the folder ${join(home, "none")} does not exist; create it, or choose another file`,
  });
  const leafless = { to: "b.md", leaf: "nowhere", redaction, cwd: home };
  expect(await exportSession(path, leafless)).toEqual({
    type: "mistake",
    message:
      'no entry "nowhere" in this session, or several start with it; pith sessions show SESSION --tree lists the ids',
  });
});

test("EXP5 an HTML page embeds images and reports the missing ones", async () => {
  const { path } = await made();
  const kept = await keepBlob(path, Buffer.from("not really a picture"));
  if (kept.type !== "kept") throw new Error(kept.why);
  const opened = await openStore(path);
  if (opened.type !== "opened") throw new Error("no session");
  const session = await Session.open(opened.store, nodeRuntime);
  const block = (hash: string) => ({
    type: "text" as const,
    text: "[image/png]",
    pith: { blob: hash, mimeType: "image/png", bytes: 20 },
  });
  const content = [block(kept.hash), block("0".repeat(64))];
  const result = { role: "toolResult", toolCallId: "c1", toolName: "read", isError: false, timestamp: 1 } as const;
  await session.append({ type: "message", message: { role: "user", content, timestamp: 1 } });
  await session.append({ type: "message", message: { ...result, content: [block(kept.hash)] } });
  await opened.store.close();
  const to = join(home, "out.html");
  expect(await exportSession(path, { to, redaction, cwd: home })).toMatchObject({ missing: ["0".repeat(64)] });
  const shown = `src="data:image/png;base64,${Buffer.from("not really a picture").toString("base64")}"`;
  expect(readFileSync(to, "utf8").split(shown)).toHaveLength(3);
});
