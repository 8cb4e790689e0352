/** Lists of sessions: newest first, complete, cheap, and never stopped by one bad file. */

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { indexPath } from "../../../src/node/files.ts";
import { listSessions } from "../../../src/node/sessions/list-sessions.ts";
import { renameSession } from "../../../src/node/sessions/sessions.ts";
import { story } from "../../../src/testing/story.ts";
import { createTestHome, createTestSession, type TestHome } from "./test-home.ts";

const header = (more: object = {}): string =>
  JSON.stringify({ type: "session", version: 3, id: "p", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/x", ...more });
const user = (content: unknown, id = "a", parentId: string | null = null): string =>
  JSON.stringify({
    type: "message",
    id,
    parentId,
    timestamp: "2026-01-01T00:00:01.000Z",
    message: { role: "user", content, timestamp: 1 },
  });
const planted = ({ files }: TestHome, name: string, ...lines: readonly string[]): void =>
  files.addFile(`/pi/${name}`, Buffer.from(lines.map((line) => `${line}\n`).join("")));
const listed = ({ parts }: TestHome) => listSessions({ ...parts, folders: ["/pi"] });
const calls = ({ files }: TestHome, before: number): readonly string[] => files.log.slice(before);

test("lists the sessions of all directories or of one, the last modified first", async () => {
  const { parts } = createTestHome();
  const one = await createTestSession(parts, { cwd: "/one", id: "first" });
  const two = await createTestSession(parts, { cwd: "/two", id: "second" });
  await renameSession(one, "renamed", parts);
  expect(await listSessions(parts)).toMatchObject([
    {
      path: one,
      id: "first",
      cwd: "/one",
      name: "renamed",
      firstMessage: "hello",
      created: "2026-01-01T00:00:01.000Z",
    },
    { path: two, id: "second", cwd: "/two" },
  ]);
  expect((await listSessions({ ...parts, cwd: "/two" })).map(({ id }) => id)).toEqual(["second"]);
  expect(await listSessions({ ...parts, cwd: "/three" })).toEqual([]);
});

test("RES19 maxPerFolder reads only the files of a folder that started last or were modified last", async () => {
  const grounded = createTestHome();
  const paths: string[] = [];
  for (let at = 0; at < 8; at++) paths.push(await createTestSession(grounded.parts, { cwd: "/one", id: `s${at}` }));
  await renameSession(paths[1] ?? "", "an old one, written to again", grounded.parts);
  await listSessions(grounded.parts);
  const before = grounded.files.log.length;
  const items = await listSessions({ ...grounded.parts, cwd: "/one", maxPerFolder: 2 });
  expect(items.map(({ id }) => id)).toEqual(["s1", "s7", "s6"]);
  expect(calls(grounded, before).filter((call) => call.includes("s3"))).toEqual([]);
  expect((await listSessions({ ...grounded.parts, cwd: "/one" })).map(({ id }) => id)).toHaveLength(8);
});

test("of sessions modified at the same time the one that started later comes first", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-list-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const on = createTestHome();
  for (const name of ["b", "a", "c"]) planted(on, `${name}.jsonl`, header());
  const files = new Proxy(on.files, {
    get: (disk, act) => {
      if (act === "stat")
        return (path: string) => {
          const stat = disk.stat(path);
          return stat && { ...stat, modified: 7 };
        };
      const found: unknown = Reflect.get(disk, act, disk);
      return typeof found === "function" ? found.bind(disk) : found;
    },
  });
  expect((await listSessions({ ...on.parts, files, folders: ["/pi"] })).map(({ path }) => basename(path))).toEqual([
    "c.jsonl",
    "b.jsonl",
    "a.jsonl",
  ]);
});

describe("the first user message in the list", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["a text", user("fix the bug"), "fix the bug"],
    [
      "text blocks",
      user([
        { type: "image", data: "AA==", mimeType: "image/png" },
        { type: "text", text: "look" },
      ]),
      "look",
    ],
    ["with escape sequences and line ends", user("\u001b[31mred\u001b[0m\nline \u202eend"), "red line end"],
    ["longer than the list shows", user("x".repeat(1000)), `${"x".repeat(199)}…`],
    ["longer than what is read", user("y".repeat(600_000)), `${"y".repeat(199)}…`],
    [
      "before an image longer than what is read",
      user([
        { type: "text", text: 'see \\u00e9 "this"' },
        { type: "image", data: "A".repeat(600_000), mimeType: "image/png" },
      ]),
      'see \\u00e9 "this"',
    ],
    ["no content", user(null), ""],
    ["only spaces", user("  \n"), ""],
  ];
  test.each(cases)("is shown: %s", async (_, line, shown) => {
    const on = createTestHome();
    planted(
      on,
      "p.jsonl",
      header(),
      '{"type":"model_change","id":"m","parentId":null,"timestamp":"","provider":"p","modelId":"m"}',
      line,
    );
    expect((await listed(on))[0]?.firstMessage).toBe(shown);
  });

  test("HOME1 is shown for a long coloured log, wherever it is cut", async () => {
    for (let shift = 0; shift < 12; shift++) {
      const on = createTestHome();
      planted(on, "p.jsonl", header(), user(`${"a".repeat(shift)}${"\u001b[31mx".repeat(60_000)}`));
      expect((await listed(on))[0]?.firstMessage).toMatch(/^a*x+…?$/);
    }
  });

  test("is found after a system prompt of a hundred kilobytes", async () => {
    const on = createTestHome();
    const system = {
      type: "message",
      id: "s",
      parentId: null,
      timestamp: "",
      message: { role: "system", content: "z".repeat(100_000), timestamp: 1 },
    };
    planted(
      on,
      "p.jsonl",
      header(),
      JSON.stringify(system),
      user("hello", "a", "s"),
      user("w".repeat(400_000), "b", "a"),
    );
    expect((await listed(on))[0]?.firstMessage).toBe("hello");
  });
});

describe("the latest name in the file", () => {
  const info = (name: unknown, id: string): string =>
    JSON.stringify({ type: "session_info", id, parentId: null, timestamp: "", ...(name !== undefined && { name }) });
  const long = (id: string): string => user("x".repeat(300_000), id);

  test.each([
    ["with two names in the file", [info("one", "i"), user("x"), info("two", "j")], "two"],
    ["with a removed name", [info("one", "i"), info("", "j")], undefined],
    [
      "with a name at the end of a long file",
      [info("old", "i"), long("a"), long("b"), info("new", "j"), user("z", "c")],
      "new",
    ],
    ["with a name at the beginning of a long file", [info("old", "i"), long("a"), long("b")], "old"],
    ["with control characters in the name", [info("a\u001b[2J\nb", "i")], "a b"],
    ["with a name that is not text", [info(7, "i")], undefined],
    ["with a message that looks like a name", [user('{"type":"session_info","name":"fake"}')], undefined],
  ] as const)("has the expected value: %s", async (_, lines, name) => {
    const on = createTestHome();
    planted(on, "p.jsonl", header(), ...lines);
    expect((await listed(on))[0]?.name).toBe(name);
  });

  test("is found directly after the indexed part", async () => {
    const on = createTestHome();
    const text = `user: ${"x".repeat(600_000)}`;
    const path = await createTestSession(on.parts, { entries: story(text, text, text) });
    const kept = on.files.readBytes(indexPath(path)).slice();
    await renameSession(path, "just now", on.parts);
    const more = user("y".repeat(100_000), "later", null);
    on.files.addFile(path, Buffer.concat([on.files.readBytes(path), Buffer.from(`${more}\n`)]));
    on.files.addFile(indexPath(path), kept);
    expect((await listSessions(on.parts))[0]).toMatchObject({ name: "just now" });
  });

  test("is found in the middle of a long file through its index", async () => {
    const on = createTestHome();
    const text = `user: ${"x".repeat(300_000)}`;
    const path = await createTestSession(on.parts, { entries: story(text, text, "names: in the middle", text, text) });
    on.files.addFile("/pi/without-index.jsonl", on.files.readBytes(path));
    expect((await listed(on))[0]).not.toHaveProperty("name");
    expect(on.files.stat(indexPath(path))).not.toBeNull();
    const before = on.files.log.length;
    expect((await listSessions(on.parts))[0]).toMatchObject({ name: "in the middle" });
    expect(calls(on, before).filter((call) => call.startsWith(`read ${path}`)).length).toBeLessThan(10);
  });
});

describe("LOG4 files that are not sessions", () => {
  test.each([
    ["an empty file", ""],
    ["zeros", "\u0000".repeat(500)],
    ["not JSON", "hello\nworld\n"],
    ["JSON without a header", '{"a":1}\n'],
    ["a list", "[1,2]\n"],
    ["a megabyte without a line end", "x".repeat(1_000_000)],
    ["half a header", header().slice(0, 40)],
    ["a header whose id is no text", header({ id: 7 })],
  ])("%s is listed as damaged, beside the others", async (_, text) => {
    const on = createTestHome();
    planted(on, "good.jsonl", header(), user("hello"));
    on.files.addFile("/pi/2026-01-01T00-00-00-000Z_bad.jsonl", Buffer.from(text));
    const [bad, good] = await listed(on);
    expect(bad).toMatchObject({ id: "bad", damaged: expect.stringMatching(/; /), firstMessage: "" });
    expect(good).toMatchObject({ id: "p", firstMessage: "hello" });
  });

  test("links and unreadable files are listed as damaged; folders and other files are not listed", async () => {
    const on = createTestHome();
    planted(on, "good.jsonl", header());
    on.files.addLink("/pi/link.jsonl");
    on.files.makeFolder("/pi/folder.jsonl");
    for (const other of ["good.jsonl.bak", "good.jsonl.new", "notes.txt", ".jsonl"]) planted(on, other, header());
    expect((await listed(on)).map(({ path, damaged }) => [path, damaged?.slice(0, 13)])).toEqual([
      ["/pi/link.jsonl", "this is not a"],
      ["/pi/good.jsonl", undefined],
    ]);
    on.files.failEvery("EACCES", ["open"]);
    planted(on, "good.jsonl", header(), user("x"));
    expect((await listed(on)).find(({ path }) => path === "/pi/good.jsonl")?.damaged).toContain("permissions");
    on.files.clearFaults();
    expect((await listed(on)).find(({ path }) => path === "/pi/good.jsonl")).not.toHaveProperty("damaged");
  });

  test("an unreadable folder does not prevent listing the others", async () => {
    const on = createTestHome();
    await createTestSession(on.parts, { cwd: "/one", id: "a" });
    on.files.failEvery("EIO", ["read"]);
    expect(await listSessions(on.parts)).toMatchObject([{ damaged: expect.any(String) }]);
    on.files.failEvery("EACCES", ["list"]);
    expect(await listSessions({ ...on.parts, folders: ["/pi", "/other"] })).toEqual([]);
  });

  test("a session with a damaged middle or end is listed normally", async () => {
    const on = createTestHome();
    planted(on, "torn.jsonl", header(), "garbage", user("hello"), '{"type":"mess');
    expect(await listed(on)).toMatchObject([{ id: "p", firstMessage: "hello" }]);
    expect((await listed(on))[0]).not.toHaveProperty("damaged");
  });
});

test("all formats of pi are listed: version 1, a byte order mark, UTF-16", async () => {
  const on = createTestHome();
  const old = [
    { type: "session", id: "one", timestamp: "", cwd: "/x" },
    { type: "message", message: { role: "user", content: "v1" } },
  ];
  const text = old.map((line) => `${JSON.stringify(line)}\n`).join("");
  on.files.addFile("/pi/a.jsonl", Buffer.from(text));
  on.files.addFile("/pi/b.jsonl", Buffer.from(`\ufeff${text}`));
  on.files.addFile("/pi/c.jsonl", Buffer.from(`\ufeff${text}`, "utf16le"));
  expect((await listed(on)).map(({ id, firstMessage }) => [id, firstMessage])).toEqual([
    ["one", "v1"],
    ["one", "v1"],
    ["one", "v1"],
  ]);
});

describe("the second listing", () => {
  const files = async () => {
    const on = createTestHome();
    for (const name of ["a", "b", "c"]) planted(on, `${name}.jsonl`, header({ id: name }), user(`from ${name}`));
    return { on, first: await listed(on), cache: "/pi/.pith/list.json" };
  };

  test("HOME1 opens no unchanged session, and returns the same items", async () => {
    const { on, first } = await files();
    const before = on.files.log.length;
    expect(await listed(on)).toEqual(first);
    expect(calls(on, before).filter((call) => /^(open|read) .*\.jsonl/.test(call))).toEqual([]);
    expect(calls(on, before).filter((call) => /^(create|rename|append)/.test(call))).toEqual([]);
    expect(calls(on, before).filter((call) => /^stat .*\.jsonl/.test(call))).toHaveLength(3);
  });

  test("notices changed, replaced, new and removed files", async () => {
    const { on } = await files();
    planted(
      on,
      "a.jsonl",
      header({ id: "a" }),
      user("from a"),
      '{"type":"session_info","id":"i","parentId":"a","timestamp":"","name":"new"}',
    );
    on.files.remove("/pi/b.jsonl");
    planted(on, "b.jsonl", header({ id: "B" }), user("from B"));
    planted(on, "d.jsonl", header({ id: "d" }));
    on.files.remove("/pi/c.jsonl");
    const now = await listed(on);
    expect(now.map(({ id, name }) => [id, name])).toEqual([
      ["d", undefined],
      ["B", undefined],
      ["a", "new"],
    ]);
    expect(await listed(on)).toEqual(now);
  });

  test.each([
    ["missing", null],
    ["empty", ""],
    ["torn", '{"version":1,"listed":{"a.jsonl":{"iden'],
    ["of another version", '{"version":2,"listed":{}}'],
    ["foreign", "[1,2,3]"],
    ["of another shape", '{"version":1,"listed":{"a.jsonl":{"identity":"1:3","size":1,"item":7}}}'],
  ])("rebuilds a cache that is %s", async (_, text) => {
    const { on, first, cache } = await files();
    if (text === null) on.files.remove(cache);
    else on.files.addFile(cache, Buffer.from(text));
    expect(await listed(on)).toEqual(first);
    const before = on.files.log.length;
    expect(await listed(on)).toEqual(first);
    expect(calls(on, before).filter((call) => /^open .*\.jsonl/.test(call))).toEqual([]);
  });

  test("S12 ignores a cache with control characters", async () => {
    const { on, first, cache } = await files();
    const text = Buffer.from(on.files.readBytes(cache)).toString();
    on.files.addFile(
      cache,
      Buffer.from(text.replace("from a", "\\u001b[2Jfrom a").replace('"id":"b"', '"id":"\\u202eb"')),
    );
    expect(await listed(on)).toEqual(first);
  });

  test("works without a cache if the folder is read-only or the disk is full", async () => {
    const { on, first, cache } = await files();
    on.files.remove(cache);
    on.files.failEvery("EROFS", ["create"]);
    expect(await listed(on)).toEqual(first);
    on.files.clearFaults();
    on.files.freeBytes = 20;
    expect(await listed(on)).toEqual(first);
    expect(on.files.listPaths().filter((path) => path.includes(".new"))).toEqual([]);
  });
});

test("a forbidden folder on the real disk does not stop the listing", async () => {
  const home = mkdtempSync(join(tmpdir(), "pith-list-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const env = { PITH_HOME: home };
  const path = await createTestSession({ env }, { cwd: "/one", id: "a" });
  await createTestSession({ env }, { cwd: "/two", id: "b" });
  writeFileSync(join(home, "sessions", "stray.txt"), "x");
  chmodSync(dirname(path), 0o000);
  // Root may enter everything; then both are listed.
  const ids = (await listSessions({ env })).map(({ id }) => id);
  chmodSync(dirname(path), 0o700);
  expect(ids).toContain("b");
});
