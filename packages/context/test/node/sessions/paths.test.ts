/** Tests node/sessions/paths.ts: folder name, home, session id. */

import { homedir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sessionFileName, sessionIdFromFileName } from "../../../src/node/files.ts";
import {
  pithHome,
  sessionFolderName,
  sessionIdProblem,
  sessionsFolder,
  trashFolder,
} from "../../../src/node/sessions/paths.ts";
import { createSession } from "../../../src/node/sessions/sessions.ts";
import { createTestHome, createTestSession } from "./test-home.ts";

describe("folder name", () => {
  test("a folder name shows the path and ends in ten digits of its hash", () => {
    expect(sessionFolderName("/home/me/my project")).toMatch(/^home-me-my-project-[0-9a-f]{10}$/);
    expect(sessionFolderName("/home/me/プロジェクト")).toMatch(/^home-me-プロジェクト-[0-9a-f]{10}$/);
    expect(sessionFolderName("/")).toMatch(/^[0-9a-f]{10}$/);
    expect(sessionFolderName("/a/.hidden/..x")).toMatch(/^a-.hidden-..x-[0-9a-f]{10}$/);
    expect(sessionFolderName("/home/me/../me/x/")).toBe(sessionFolderName("/home/me/x"));
  });

  test("a long path is cut at its start, and the name fits on every disk", () => {
    const name = sessionFolderName(`/start/${"x".repeat(300)}/end`);
    expect(name).toMatch(/^x{76}-end-[0-9a-f]{10}$/);
    expect(Buffer.byteLength(sessionFolderName(`/${"漢".repeat(300)}`))).toBeLessThan(255);
  });

  test("similar paths do not share a folder", () => {
    const alike = ["/a/b", "/a-b", "/a:b", "/a\\b", "/a/b.", "/A/b", "/a b", "/a\tb", "/a/\u00e9", "/a/e\u0301"];
    expect(new Set(alike.map(sessionFolderName)).size).toBe(alike.length);
  });

  test("the name of any path is one safe path segment", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 120 }), (path) => {
        const name = sessionFolderName(`/${path.replaceAll("\0", "")}`);
        expect(name).not.toMatch(/[/\\:*?"<>|\p{Cc}]|^\.|^-|[. ]$/u);
        expect(Buffer.byteLength(name)).toBeLessThan(255);
      }),
      { numRuns: 100 },
    );
  });
});

describe("home", () => {
  test("home is $PITH_HOME, or .pith in the user's home", () => {
    expect(sessionsFolder({ PITH_HOME: "/elsewhere" })).toBe("/elsewhere/sessions");
    expect(trashFolder({ PITH_HOME: "/elsewhere/" })).toBe("/elsewhere/trash");
    expect(sessionsFolder({})).toBe(join(homedir(), ".pith/sessions"));
    expect(sessionsFolder({ PITH_HOME: "" })).toBe(join(homedir(), ".pith/sessions"));
  });

  test("a relative home is resolved from the user's home, never from the working directory", () => {
    expect(pithHome({ PITH_HOME: "mine" })).toBe(join(homedir(), "mine"));
  });
});

describe("session id", () => {
  const good = [
    ..."a 7 login-bug Login_Bug.2 0191b5b5-22d5-7df0-86d0-ff0b110fbd9d console a.con com com10".split(" "),
    "x".repeat(64),
  ];
  const nasty = [
    ..."CON con Con.txt PRN aux AUX.tar.gz nul NUL. COM1 com9.log LPT1 lpt0 COM0".split(" "),
    ..." |a b|a\tb|a\nb|a\r\nb|a\u0000b|\u0000|\u001b[2J|a\u202eb|a\u200bb|\ufeffa|\ud800|".split("|"),
    ...". .. ... a..b ../a ..\\a a/../b a/b /a a/ \\a a\\b C: C:\\a c:a //server/share \\\\?\\a ~ ~/a ~root file:///a".split(
      " ",
    ),
    ..."a. a.. .a -a - --help --settings=x _a a* a? a|b a<b a>b a\"b a'b a`b a$b $(a) a;b a&b a%00b %2e%2e%2f".split(
      " ",
    ),
    ..."a#b a!b a@b a,b a=b a+b a(b) a[b] a{b} a^b é e\u0301 ａ а 漢 😀 ⅰ COM\u00b9".split(" "),
    "x".repeat(65),
    "x".repeat(10_000),
  ];

  describe("S10 ids given by the user", () => {
    test.each(good)("%j is accepted", (id) => expect(sessionIdProblem(id)).toBeNull());
    test.each(nasty)("%j is rejected", (id) => expect(sessionIdProblem(id)).toMatch(/^("|a session id ).+/));
  });

  test("S10 a session with an invalid id is not created, and the disk stays unchanged", async () => {
    const { files, parts } = createTestHome();
    for (const id of nasty)
      expect(await createSession({ cwd: "/w", id, ...parts })).toMatchObject({ type: "unavailable", code: "EINVAL" });
    expect(files.listPaths()).toEqual([]);
  });

  test("an id that is used in any folder is rejected", async () => {
    const { parts } = createTestHome();
    await createTestSession(parts, { cwd: "/one", id: "mine" });
    expect(await createSession({ cwd: "/two", id: "mine", ...parts })).toMatchObject({
      type: "unavailable",
      why: expect.stringContaining("already exists"),
    });
  });

  test("a file is named as in pi, and its id can be read from the name", () => {
    const name = sessionFileName("login-bug", 1767225600123);
    expect(name).toBe("2026-01-01T00-00-00-123Z_login-bug.jsonl");
    expect(sessionIdFromFileName(name)).toBe("login-bug");
    for (const other of ["a.jsonl", `${name}.bak`, `x${name}`, "2026-01-01_a.jsonl", ".jsonl"])
      expect(sessionIdFromFileName(other)).toBeNull();
  });
});
