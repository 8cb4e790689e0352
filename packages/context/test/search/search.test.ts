/** Search over all sessions: what is found, in which order, and how it is shown. */

import { dirname } from "node:path";
import { expect, test } from "vitest";
import { searchSessions } from "../../src/search/search.ts";
import type { Redaction } from "../../src/session/session.ts";
import { ground, message, result, timeOf, user } from "./ground.ts";

test("FIND3 messages, calls, results, summaries and names are found; thinking, signatures, images and system prompts are not", async () => {
  const on = ground();
  const placed = (id: string, entry: object): object => ({ id, parentId: null, timestamp: timeOf(1), ...entry });
  const words = (word: string): object[] => [{ type: "text", text: `${word} zebra` }];
  on.session("s", [
    user("asked", "zebra"),
    message("answered", {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "quagga", thinkingSignature: "quagga" },
        { type: "text", text: "zebra", textSignature: "quagga" },
      ],
    }),
    message("called", {
      role: "assistant",
      content: [{ type: "toolCall", id: "c", name: "edit", arguments: { path: "a", edits: [{ newText: "zebra" }] } }],
    }),
    message("failed", { role: "assistant", content: [], errorMessage: "zebra overloaded" }),
    result("resulted", "zebra"),
    message("shell", { role: "bashExecution", command: "ls", output: "zebra" }),
    message("noted", { role: "custom", customType: "x", content: "zebra" }),
    message("pictured", { role: "user", content: [{ type: "image", data: "quagga", mimeType: "image/png" }] }),
    message("system", { role: "system", content: "quagga", sections: { a: "quagga" } }),
    placed("compacted", { type: "compaction", summary: "zebra", firstKeptEntryId: "asked", tokensBefore: 1 }),
    placed("left", { type: "branch_summary", fromId: "root", summary: "zebra" }),
    placed("told", { type: "custom_message", customType: "x", content: words("x"), display: true }),
    placed("named", { type: "session_info", name: "zebra hunt" }),
    placed("labelled", { type: "label", targetId: "asked", label: "zebra" }),
    placed("state", { type: "custom", customType: "x", data: { quagga: "quagga" } }),
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

test("FIND3 the first and last 16 Ki characters of long output are found, and far more of messages", async () => {
  const on = ground();
  const filler = (letters: number): string => "filler ".repeat(letters / 7);
  const long = `beginning ${filler(20_000)} middle ${filler(20_000)} end`;
  on.session("s", [result("output", long), user("paste", long)]);
  expect(await on.ids("beginning")).toEqual(["output", "paste"]);
  expect(await on.ids("end")).toEqual(["output", "paste"]);
  expect(await on.ids("middle")).toEqual(["paste"]);
});

test("a hit contains its session, entry, time and a snippet", async () => {
  const on = ground();
  const path = on.session("s", [
    user("one", `${"before ".repeat(50)}the retry queue is full${" after".repeat(50)}`),
    { type: "session_info", id: "two", parentId: "one", timestamp: timeOf(2), name: "old name" },
    { type: "session_info", id: "three", parentId: "two", timestamp: timeOf(3), name: "the name" },
  ]);
  const [hit] = await on.find("retry queue");
  expect(hit).toMatchObject({
    session: { id: "s", path, name: "the name", cwd: "/code/one" },
    entry: "one",
    kind: "user",
    time: timeOf(1),
  });
  const { text, marks } = hit?.snippet ?? { text: "", marks: [] };
  expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(["retry", "queue"]);
  expect(text).toMatch(/^….*before the retry queue is full after.*…$/);
});

test("FIND11 hits contain no terminal control characters", async () => {
  const on = ground();
  on.session("s", [user("one", "\u001b]0;title\u0007 \u001b[31mneedle\u001b[0m\u202e\u{e0041}\nnext\u0085line")]);
  const [hit] = await on.find("needle");
  expect(hit?.snippet).toEqual({ text: "needle nextline", marks: [[0, 6]] });
});

test("FIND4 user text ranks before output, phrases before separate words, new before old", async () => {
  const on = ground();
  const month = 30 * 86_400;
  on.session("s", [
    result("output", "broker restarts", 3 * month),
    user("old", "broker restarts", 1),
    user("scattered", "restarts of the broker", 3 * month),
    user("new", "broker restarts", 3 * month),
  ]);
  expect((await on.find("broker restarts")).map(({ entry }) => entry)).toEqual(["new", "old", "scattered", "output"]);
});

test("FIND4 only the newest 2,000 matches are ranked, and the result says that there are more", async () => {
  const on = ground();
  const lines = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => result(`e${from + at}`, "common", from + at));
  on.session("s", [user("oldest", "common", 0), ...lines(1, 2_000)]);
  const found = await searchSessions("common", { env: on.env, limit: 3 });
  expect(found).toMatchObject({ type: "searched", more: true, hits: [{ entry: "e2000" }, { entry: "e1999" }, {}] });
  expect(await searchSessions("oldest common", { env: on.env })).toMatchObject({ more: false, hits: [] });
  const allButOne = await searchSessions("common", { env: on.env, since: Date.parse(timeOf(1)), limit: 1 });
  expect(allButOne).toMatchObject({ more: false, hits: [{ entry: "e2000" }] });
});

test("the limit bounds the number of hits, also a limit of zero", async () => {
  const on = ground();
  on.session("s", [
    user("one", "needle"),
    user("two", "needle"),
    user("three", "a".repeat(3_000)),
    user("four", "中".repeat(3_000)),
  ]);
  expect(await on.find("needle", { limit: 1 })).toHaveLength(1);
  expect(await on.find("needle", { limit: 0 })).toEqual([]);
  expect(await on.ids("a".repeat(100))).toEqual(["three"]);
  expect(await on.ids("中".repeat(1_900))).toEqual(["four"]);
});

test("sessions of one directory, of other folders, and since a time", async () => {
  const on = ground();
  on.session("one", [user("a", "needle", 10), user("b", "needle", 20)]);
  on.session("two", [user("c", "needle", 30)], { cwd: "/code/two" });
  expect(await on.ids("needle")).toEqual(["a", "b", "c"]);
  expect(await on.ids("needle", { cwd: "/code/two" })).toEqual(["c"]);
  expect(await on.ids("needle", { cwd: "/code/none" })).toEqual([]);
  expect(await on.ids("needle", { since: Date.parse(timeOf(20)) })).toEqual(["b", "c"]);
  const elsewhere = ground();
  elsewhere.session("three", [user("d", "needle")]);
  const [there] = await elsewhere.find("needle");
  const folders = [dirname(there?.session.path ?? "")];
  expect(await on.ids("needle", { folders })).toEqual(["d"]);
  expect(await on.ids("needle")).toEqual(["a", "b", "c"]);
});

test("FIND10 redacted text is neither in the index nor in a hit, also in old sessions", async () => {
  const on = ground();
  const redaction: Redaction = {
    redact: (value) => (typeof value === "string" ? (value.replaceAll("hunter2", "[secret]") as typeof value) : value),
  };
  on.session("s", [
    user("one", "the password is hunter2, keep it"),
    { type: "session_info", id: "two", parentId: "one", timestamp: timeOf(2), name: "about hunter2" },
  ]);
  expect(await on.ids("hunter2", { redaction })).toEqual([]);
  expect(await on.ids("hunter2")).toEqual([]);
  const [hit] = await on.find("password", { redaction });
  expect(hit?.snippet.text).toBe("the password is [secret], keep it");
  expect(hit?.session.name).toBe("about [secret]");
});
