/** Proves which names occur in what was covered, and how leniently that is asked. */

import { expect, test } from "vitest";
import { unknownName } from "../../../../src/summary/auditing/checks/names.ts";
import { beforeAll, lineAt } from "../../../../src/summary/auditing/story/place-lines.ts";
import { evidenceFor } from "../asked.ts";

const evidence = evidenceFor(
  [
    "user: look at src/auth/login.ts and the `retryLimit` in config.yaml, see https://docs.test/guide/start?x=1",
    "thinks: perhaps secretThought helps",
    "calls: edit path=packages/web/src/index.tsx newText=const\\nmaxRetries",
    'result: fixed in 3f2a91c4d5e6f708192a3b4c5d6e7f8091a2b3c4, v2.10.3, PROJ-42, #77, C:\\work\\tool.ps1, {"key":"a\\nsnake_case"}',
    "bash: npm run build --workspace=web -> done in out/bundle.js",
    "left: branch about orphan.go",
  ],
  {
    previous: "earlier work in legacy/old_module.py",
    words: "\n[entry:old1]\ncheck notes.txt\n",
    pins: ["never edit pinned.cfg"],
    ledger: "- ran tests/unit.rs",
    request: { id: "old2", text: "open request.md" },
  },
);

const noteOf = (text: string): string | undefined =>
  unknownName(lineAt(beforeAll, { text, number: 3 }), evidence)?.note;

test.each([
  "src/auth/login.ts",
  "./src/auth/login.ts",
  "login.ts and auth/login.ts",
  "/home/me/project/src/auth/login.ts",
  "src/auth/login.ts:42:7, (login.ts:42) **login.ts**. `login.ts`",
  "src/login.ts#L10-L20",
  "config.yaml",
  "`retryLimit` retryLimit() retryLimits",
  "packages/web/src/index.tsx",
  "maxRetries",
  "secretThought",
  "3f2a91c and 3f2a91c4d5",
  "v2.10.3 or 2.10.3",
  "PROJ-42, #77",
  "C:\\work\\tool.ps1 or work/tool.ps1",
  "snake_case",
  "`npm run build`",
  "--workspace",
  "out/bundle.js",
  "orphan.go",
  "legacy/old_module.py notes.txt pinned.cfg tests/unit.rs request.md",
  "https://docs.test/guide/start",
  "TypeScript, GitHub, Node.js, PostgreSQL, macOS and JavaScript need no one",
  "and/or, CI/CD, I/O, TCP/IP, 24/7, read/write, e.g. this, i.e. that, p.m., U.S.",
  "UTF-8, SHA-256, 3.5 seconds, 100 %, step-by-step, 12:30",
  "plain words and (entry:nowhere) [e99]",
  "修改了src/auth/login.ts文件",
  "",
])("AUD5 %j names what is there", (text) => {
  expect(noteOf(text)).toBeUndefined();
});

test.each([
  ["src/auth/logout.ts", "src/auth/logout.ts"],
  ["src/login/auth.ts", "src/login/auth.ts"],
  ["login.js", "login.js"],
  ["`retryCount`", "retryCount"],
  ["getUser() and set_user", "getUser, set_user"],
  ["https://docs.test/other", "https://docs.test/other"],
  ["https://evil.test/guide/start", "https://evil.test/guide/start"],
  ["9f2a91c", "9f2a91c"],
  ["v2.10.4", "v2.10.4"],
  ["2.11.3", "2.11.3"],
  ["PROJ-43 #78", "PROJ-43, #78"],
  ["--force", "--force"],
  ["@scope/pkg", "@scope/pkg"],
  ["$SECRET_KEY", "$SECRET_KEY"],
  ["`rm -rf everything`", "rm -rf everything"],
  ["ConfigLoader.open", "ConfigLoader.open"],
  [".env.local", ".env.local"],
  ["修改了src/else.ts文件", "src/else.ts"],
  ["a1.ts a2.ts a3.ts a4.ts a5.ts a6.ts", "a1.ts, a2.ts, a3.ts, a4.ts, a5.ts"],
])("AUD5 %j does not: %s", (text, names) => {
  expect(noteOf(text)).toBe(`line 3 names what does not occur in the log: ${names}`);
});

test("AUD5 a heading names nothing", () => {
  expect(noteOf("### src/else.ts")).toBeUndefined();
});

test("AUD5 ids, times and bytes of images are no names", () => {
  const image = { type: "image" as const, data: "fakeImageBytes", mimeType: "image/png" };
  const asked = evidenceFor([], {
    covered: [
      {
        type: "message",
        id: "someEntryId",
        parentId: "someParentId",
        timestamp: "2026",
        message: { role: "user", content: [image, { type: "text", text: "seenText" }], timestamp: 1 },
      },
    ],
  });
  const unknown = unknownName(
    lineAt(beforeAll, { text: "someEntryId someParentId fakeImageBytes seenText", number: 1 }),
    asked,
  );
  expect(unknown?.note).toBe("line 1 names what does not occur in the log: someEntryId, someParentId, fakeImageBytes");
});
