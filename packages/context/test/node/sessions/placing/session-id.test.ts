/** Ids of the user's own: what is safe everywhere passes, and nothing else. */

import { describe, expect, test } from "vitest";
import { createSession } from "../../../../src/node/sessions/create-session.ts";
import { fileName, idInName } from "../../../../src/node/sessions/placing/file-name.ts";
import { wrongId } from "../../../../src/node/sessions/placing/session-id.ts";
import { ground, session } from "../ground.ts";

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
  ..."a. a.. .a -a - --help --settings=x _a a* a? a|b a<b a>b a\"b a'b a`b a$b $(a) a;b a&b a%00b %2e%2e%2f".split(" "),
  ..."a#b a!b a@b a,b a=b a+b a(b) a[b] a{b} a^b é e\u0301 ａ а 漢 😀 ⅰ COM\u00b9".split(" "),
  "x".repeat(65),
  "x".repeat(10_000),
];

describe("S10 ids of the user's own", () => {
  test.each(good)("%j is good", (id) => expect(wrongId(id)).toBeNull());
  test.each(nasty)("%j is refused", (id) => expect(wrongId(id)).toMatch(/^("|a session id ).+/));
});

test("S10 a session with a nasty id is not created, and the disk stays as it was", async () => {
  const { files, parts } = ground();
  for (const id of nasty)
    expect(await createSession({ cwd: "/w", id, ...parts })).toMatchObject({ type: "unavailable", code: "EINVAL" });
  expect(files.paths()).toEqual([]);
});

test("an id that is taken, in whatever folder, is not given twice", async () => {
  const { parts } = ground();
  await session(parts, { cwd: "/one", id: "mine" });
  expect(await createSession({ cwd: "/two", id: "mine", ...parts })).toMatchObject({
    type: "unavailable",
    why: expect.stringContaining("there already"),
  });
});

test("a file is named as pi names its own, and tells its id again", () => {
  const name = fileName("login-bug", 1767225600123);
  expect(name).toBe("2026-01-01T00-00-00-123Z_login-bug.jsonl");
  expect(idInName(name)).toBe("login-bug");
  for (const other of ["a.jsonl", `${name}.bak`, `x${name}`, "2026-01-01_a.jsonl", ".jsonl"])
    expect(idInName(other)).toBeNull();
});
