/** Search over all sessions: what is found, in which order, and how it is shown. */

import { statSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { searchSessions } from "../../src/search/search.ts";
import type { Redaction } from "../../src/session/session.ts";
import { appendLines, createSearchHome, messageLine, timeAtSecond, toolResultLine, userLine } from "./search-home.ts";

test("FIND3 messages, calls, results, summaries and names are found; thinking, signatures, images and system prompts are not", async () => {
  const on = createSearchHome();
  const createEntry = (id: string, entry: object): object => ({
    id,
    parentId: null,
    timestamp: timeAtSecond(1),
    ...entry,
  });
  const words = (word: string): object[] => [{ type: "text", text: `${word} zebra` }];
  on.session("s", [
    userLine("asked", "zebra"),
    messageLine("answered", {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "quagga", thinkingSignature: "quagga" },
        { type: "text", text: "zebra", textSignature: "quagga" },
      ],
    }),
    messageLine("called", {
      role: "assistant",
      content: [{ type: "toolCall", id: "c", name: "edit", arguments: { path: "a", edits: [{ newText: "zebra" }] } }],
    }),
    messageLine("failed", { role: "assistant", content: [], errorMessage: "zebra overloaded" }),
    toolResultLine("resulted", "zebra"),
    messageLine("shell", { role: "bashExecution", command: "ls", output: "zebra" }),
    messageLine("noted", { role: "custom", customType: "x", content: "zebra" }),
    messageLine("pictured", { role: "user", content: [{ type: "image", data: "quagga", mimeType: "image/png" }] }),
    messageLine("system", { role: "system", content: "quagga", sections: { a: "quagga" } }),
    createEntry("compacted", { type: "compaction", summary: "zebra", firstKeptEntryId: "asked", tokensBefore: 1 }),
    createEntry("left", { type: "branch_summary", fromId: "root", summary: "zebra" }),
    createEntry("told", { type: "custom_message", customType: "x", content: words("x"), display: true }),
    createEntry("named", { type: "session_info", name: "zebra hunt" }),
    createEntry("labelled", { type: "label", targetId: "asked", label: "zebra" }),
    createEntry("state", { type: "custom", customType: "x", data: { quagga: "quagga" } }),
  ]);
  expect(await on.ids("zebra")).toEqual([
    "answered",
    "asked",
    "called",
    "compacted",
    "failed",
    "labelled",
    "left",
    "named",
    "noted",
    "resulted",
    "shell",
    "told",
  ]);
  expect(await on.ids("quagga")).toEqual([]);
  expect(await on.ids("edit")).toEqual(["called"]);
});

test("FIND3 the first and last 32 Ki characters of long output are found, and far more of messages", async () => {
  const on = createSearchHome();
  const filler = (letters: number): string => "filler ".repeat(letters / 7);
  const long = `beginning ${filler(40_000)} middle ${filler(40_000)} end`;
  on.session("s", [toolResultLine("output", long), userLine("paste", long)]);
  expect(await on.ids("beginning")).toEqual(["output", "paste"]);
  expect(await on.ids("end")).toEqual(["output", "paste"]);
  expect(await on.ids("middle")).toEqual(["paste"]);
});

test("a hit contains its session, entry, time and a snippet", async () => {
  const on = createSearchHome();
  const path = on.session("s", [
    userLine("one", `${"before ".repeat(50)}the retry queue is full${" after".repeat(50)}`),
    { type: "session_info", id: "two", parentId: "one", timestamp: timeAtSecond(2), name: "old name" },
    { type: "session_info", id: "three", parentId: "two", timestamp: timeAtSecond(3), name: "the name" },
  ]);
  const [hit] = await on.find("retry queue");
  expect(hit).toMatchObject({
    session: { id: "s", path, name: "the name", cwd: "/code/one" },
    entry: "one",
    kind: "user",
    time: timeAtSecond(1),
  });
  const { text, marks } = hit?.snippet ?? { text: "", marks: [] };
  expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(["retry", "queue"]);
  expect(text).toMatch(/^….*before the retry queue is full after.*…$/);
});

test("FIND11 hits contain no terminal control characters", async () => {
  const on = createSearchHome();
  on.session("s", [userLine("one", "\u001b]0;title\u0007 \u001b[31mneedle\u001b[0m\u202e\u{e0041}\nnext\u0085line")]);
  const [hit] = await on.find("needle");
  expect(hit?.snippet).toEqual({ text: "needle nextline", marks: [[0, 6]] });
});

test("FIND4 user text ranks before output, phrases before separate words, new before old", async () => {
  const on = createSearchHome();
  const month = 30 * 86_400;
  on.session("s", [
    toolResultLine("output", "broker restarts", 3 * month),
    userLine("old", "broker restarts", 1),
    userLine("scattered", "restarts of the broker", 3 * month),
    userLine("new", "broker restarts", 3 * month),
  ]);
  expect((await on.find("broker restarts")).map(({ entry }) => entry)).toEqual(["new", "old", "scattered", "output"]);
});

test("FIND4 only the newest 2,000 matches are ranked, and the result says that there are more", async () => {
  const on = createSearchHome();
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => toolResultLine(`e${from + at}`, "common", from + at));
  on.session("s", [userLine("oldest", "common", 0), ...lines(1, 2_000)]);
  const found = await searchSessions("common", { env: on.env, limit: 3 });
  expect(found).toMatchObject({ type: "searched", more: true, hits: [{ entry: "e2000" }, { entry: "e1999" }, {}] });
  expect(await searchSessions("oldest common", { env: on.env })).toMatchObject({ more: false, hits: [] });
  const allButOne = await searchSessions("common", { env: on.env, since: Date.parse(timeAtSecond(1)), limit: 1 });
  expect(allButOne).toMatchObject({ more: false, hits: [{ entry: "e2000" }] });
});

test("the limit bounds the number of hits, also a limit of zero", async () => {
  const on = createSearchHome();
  on.session("s", [
    userLine("one", "needle"),
    userLine("two", "needle"),
    userLine("three", "a".repeat(3_000)),
    userLine("four", "中".repeat(3_000)),
  ]);
  expect(await on.find("needle", { limit: 1 })).toHaveLength(1);
  expect(await on.find("needle", { limit: 0 })).toEqual([]);
  expect(await on.ids("a".repeat(100))).toEqual(["three"]);
  expect(await on.ids("中".repeat(1_900))).toEqual(["four"]);
});

test("a search can be limited to a directory, to a folder of another program, and to a time", async () => {
  const on = createSearchHome();
  on.session("one", [userLine("a", "needle", 10), userLine("b", "needle", 20)]);
  on.session("two", [userLine("c", "needle", 30)], { cwd: "/code/two" });
  expect(await on.ids("needle")).toEqual(["a", "b", "c"]);
  expect(await on.ids("needle", { cwd: "/code/two" })).toEqual(["c"]);
  expect(await on.ids("needle", { cwd: "/code/none" })).toEqual([]);
  const since = Date.parse(timeAtSecond(20));
  expect(await on.ids("needle", { since })).toEqual(["b", "c"]);
  expect(await on.ids("a needle", { since, match: "any" })).toEqual(["b", "c"]);
  const elsewhere = createSearchHome();
  elsewhere.session("three", [userLine("d", "needle")]);
  const [there] = await elsewhere.find("needle");
  const folders = [dirname(there?.session.path ?? "")];
  expect(await on.ids("needle", { folders })).toEqual(["d"]);
  expect(await on.ids("needle")).toEqual(["a", "b", "c"]);
});

test("FIND10 redacted text is neither in the index nor in a hit, also in old sessions", async () => {
  const on = createSearchHome();
  const redaction: Redaction = {
    redact: (value) => (typeof value === "string" ? (value.replaceAll("hunter2", "[secret]") as typeof value) : value),
  };
  on.session("s", [
    userLine("one", "the password is hunter2, keep it"),
    { type: "session_info", id: "two", parentId: "one", timestamp: timeAtSecond(2), name: "about hunter2" },
  ]);
  expect(await on.ids("hunter2", { redaction })).toEqual([]);
  expect(await on.ids("hunter2")).toEqual([]);
  const [hit] = await on.find("password", { redaction });
  expect(hit?.snippet.text).toBe("the password is [secret], keep it");
  expect(hit?.session.name).toBe("about [secret]");
});

test("FIND14 a search in one session finds and indexes nothing else", async () => {
  const on = createSearchHome();
  const path = on.session("one", [userLine("here", "the falcon"), toolResultLine("result", "the falcon again")]);
  on.session("two", [userLine("elsewhere", "the falcon")]);
  const progress: number[] = [];
  const onProgress = ({ total }: { readonly total: number }): number => progress.push(total);
  expect(await on.ids("falcon", { session: path, onProgress })).toEqual(["here", "result"]);
  expect(Math.max(...progress)).toBe(statSync(path).size);
  appendLines(path, userLine("later", "a falcon, later"));
  expect(await on.ids("falcon", { session: path })).toEqual(["here", "later", "result"]);
  expect(await on.ids("falcon")).toEqual(["elsewhere", "here", "later", "result"]);
});

test("FIND14 a search can be limited to a tool and to a path", async () => {
  const on = createSearchHome();
  const call = (id: string, name: string, path: string): object =>
    messageLine(id, {
      role: "assistant",
      content: [{ type: "toolCall", id: `${id}-call`, name, arguments: { path } }],
    });
  on.session("s", [
    call("read", "read", "src/a.ts"),
    call("edit", "my-edit_tool", "src/a.ts"),
    call("other", "read", "src/b.ts"),
    toolResultLine("result", "text of a file"),
    userLine("talk", "read src/a.ts with my edit tool"),
  ]);
  expect(await on.ids("", { tool: "read" })).toEqual(["other", "read", "result"]);
  expect(await on.ids("", { tool: "my-edit_tool" })).toEqual(["edit"]);
  expect(await on.ids("", { file: "src/a.ts" })).toEqual(["edit", "read", "talk"]);
  expect(await on.ids("", { file: "src/a.ts", tool: "read" })).toEqual(["read"]);
  expect(await on.ids("talk", { file: "src/a.ts" })).toEqual([]);
  expect(await on.ids("")).toEqual([]);
});

test("FIND14 a search for a path finds a result that names the file only in its details", async () => {
  const on = createSearchHome();
  const read = (id: string, path: string): object =>
    messageLine(id, {
      role: "toolResult",
      toolCallId: "c",
      toolName: "read",
      content: [{ type: "text", text: "text of a file" }],
      details: { pith: { path } },
      isError: false,
    });
  on.session("s", [read("one", "/code/one/src/a.ts"), read("two", "/code/one/src/b.ts")]);
  expect(await on.ids("", { file: "src/a.ts" })).toEqual(["one"]);
  expect(await on.ids("text", { file: "src/b.ts" })).toEqual(["two"]);
});

test("FIND14 an entry with some of the words is found, and the rarest word counts most", async () => {
  const on = createSearchHome();
  const common = Array.from({ length: 30 }, (_, index) =>
    userLine(`common${index}`, `which port does it use ${index}`),
  );
  on.session("s", [...common, toolResultLine("rare", "falcon: 8443"), userLine("both", "falcon port")]);
  const found = await on.find("which port does the falcon use", { match: "any", limit: 3 });
  expect(found.map(({ entry }) => entry)).toEqual(["both", "rare"]);
  expect(await on.ids("which port does the falcon use")).toEqual([]);
  expect((await on.find("which port", { match: "any", limit: 50 })).length).toBe(31);
  const [second] = await on.find("which port", { match: "any", limit: 1, offset: 1 });
  expect(second?.entry).toMatch(/^common/);
});
