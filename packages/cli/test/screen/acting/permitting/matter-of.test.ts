/** What a question is about, found out. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Question } from "@pith/agent";
import { Vault } from "@pith/context/secrets";
import { afterAll, expect, test } from "vitest";
import { matterOf } from "../../../../src/screen/acting/permitting/matter-of.ts";

const cwd = mkdtempSync(join(tmpdir(), "pith-matter-"));
afterAll(() => rmSync(cwd, { recursive: true }));

const { signal } = new AbortController();

function question(tool: string, asked: Question["arguments"], intent: Question["intent"] = null): Question {
  return { tool, arguments: asked, intent, text: "", rules: [] };
}

test("MAN2 for an edit the diff of the file is shown, for a command the command, for a page its address", async () => {
  writeFileSync(join(cwd, "a.ts"), "one\ntwo\nthree\n");
  const edit = question("edit", { path: "a.ts", edits: [{ oldText: "two", newText: "2" }] });
  expect(await matterOf(edit, { cwd }, signal)).toEqual({
    kind: "change",
    path: "a.ts",
    isNew: false,
    diff: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
  });
  const write = question("write", { path: "new/b.ts", content: "one\n" });
  expect(await matterOf(write, { cwd }, signal)).toMatchObject({ isNew: true, diff: "@@ -0,0 +1,1 @@\n+one\n" });
  const command = { type: "command", command: "ls", isConfined: false } as const;
  expect(await matterOf(question("bash", {}, command), { cwd }, signal)).toEqual({ kind: "command", command: "ls" });
  const url = "https://example.com";
  const fetch = question("fetch", { url }, { type: "fetch", url });
  expect(await matterOf(fetch, { cwd }, signal)).toEqual({ kind: "address", url });
});

test("MAN2 where no diff can be made the call itself is shown", async () => {
  const edit = question("edit", { path: "a.ts", edits: [{ oldText: "nowhere", newText: "2" }] });
  expect(await matterOf(edit, { cwd }, signal)).toEqual({
    kind: "other",
    text: 'path: a.ts\nedits: [{"oldText":"nowhere","newText":"2"}]',
  });
});

test("MAN2 a secret in the file or in the call is not shown", async () => {
  const secret = ["sk", "ant", "api03", "q8Zr2LxVw7TfN4bYk1HsJ6mPcE9aDg3uRo5iWtXvBnQzKyLp"].join("-");
  writeFileSync(join(cwd, "keys.ts"), `const key = "${secret}";\nold\n`);
  const vault = new Vault({ digest: () => "0123456789abcdef", environment: { ANTHROPIC_API_KEY: secret } });
  const asked = vault.redacted({
    path: "keys.ts",
    edits: [{ oldText: `${secret}";\nold`, newText: `${secret}";\nnew` }],
  });
  const matter = await matterOf(question("edit", asked), { cwd, vault }, signal);
  expect(matter).toMatchObject({ kind: "change", isNew: false });
  expect(JSON.stringify(matter)).not.toContain(secret);
  expect(JSON.stringify(matter)).toContain("+new");
});
