/** Tests modes/interactive/panels/permission-subject.ts: load the subject, draw the subject. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { visibleWidth } from "@earendil-works/pi-tui";
import type { PermissionQuestion } from "@pith/agent";
import { Vault } from "@pith/context/secrets";
import { afterAll, describe, expect, test } from "vitest";
import {
  loadSubject,
  type PermissionSubject,
  renderSubject,
} from "../../../../src/modes/interactive/panels/permission-subject.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";

describe("load the subject", () => {
  const cwd = mkdtempSync(join(tmpdir(), "pith-matter-"));
  afterAll(() => rmSync(cwd, { recursive: true }));

  const { signal } = new AbortController();

  function question(
    tool: string,
    args: PermissionQuestion["arguments"],
    intent: PermissionQuestion["intent"] = null,
  ): PermissionQuestion {
    return { tool, arguments: args, intent, text: "", rules: [] };
  }

  test("MAN2 the question shows the diff of an edit, the command of bash and the URL of fetch", async () => {
    writeFileSync(join(cwd, "a.ts"), "one\ntwo\nthree\n");
    const edit = question("edit", { path: "a.ts", edits: [{ oldText: "two", newText: "2" }] });
    expect(await loadSubject(edit, { cwd }, signal)).toEqual({
      kind: "change",
      path: "a.ts",
      isNew: false,
      diff: "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    });
    const write = question("write", { path: "new/b.ts", content: "one\n" });
    expect(await loadSubject(write, { cwd }, signal)).toMatchObject({ isNew: true, diff: "@@ -0,0 +1,1 @@\n+one\n" });
    const command = { type: "command", command: "ls", isConfined: false } as const;
    expect(await loadSubject(question("bash", {}, command), { cwd }, signal)).toEqual({
      kind: "command",
      command: "ls",
    });
    const url = "https://example.com";
    const fetch = question("fetch", { url }, { type: "fetch", url });
    expect(await loadSubject(fetch, { cwd }, signal)).toEqual({ kind: "address", url });
  });

  test("PERM31 a question about a connection shows the command that makes it", async () => {
    const intent = { type: "network", host: "example.com", port: 443, command: "npm install" } as const;
    const networkQuestion = question("bash", { command: "npm install" }, intent);
    expect(await loadSubject(networkQuestion, { cwd }, signal)).toEqual({ kind: "command", command: "npm install" });
    const unknown = question("bash", { host: "example.com" }, { ...intent, command: null });
    expect(await loadSubject(unknown, { cwd }, signal)).toEqual({ kind: "other", text: "host: example.com" });
  });

  test("MAN2 an edit without a possible diff shows the arguments of the call", async () => {
    const edit = question("edit", { path: "a.ts", edits: [{ oldText: "nowhere", newText: "2" }] });
    expect(await loadSubject(edit, { cwd }, signal)).toEqual({
      kind: "other",
      text: 'path: a.ts\nedits: [{"oldText":"nowhere","newText":"2"}]',
    });
  });

  test("MAN2 secrets in the file or in the call are redacted", async () => {
    const secret = ["sk", "ant", "api03", "q8Zr2LxVw7TfN4bYk1HsJ6mPcE9aDg3uRo5iWtXvBnQzKyLp"].join("-");
    writeFileSync(join(cwd, "keys.ts"), `const key = "${secret}";\nold\n`);
    const vault = new Vault({ digest: () => "0123456789abcdef", environment: { ANTHROPIC_API_KEY: secret } });
    const args = vault.redact({
      path: "keys.ts",
      edits: [{ oldText: `${secret}";\nold`, newText: `${secret}";\nnew` }],
    });
    const matter = await loadSubject(question("edit", args), { cwd, vault }, signal);
    expect(matter).toMatchObject({ kind: "change", isNew: false });
    expect(JSON.stringify(matter)).not.toContain(secret);
    expect(JSON.stringify(matter)).toContain("+new");
  });
});

describe("draw the subject", () => {
  const theme = createTheme("none");

  test("MAN2 a change is shown as a diff with its size, readable without colors", () => {
    const diff = "@@ -1,3 +1,3 @@\n zero\n@@ -9,3 +9,3 @@\n one\n-two\n+2\n \tthree";
    expect(renderSubject({ kind: "change", path: "a.txt", isNew: false, diff }, { width: 60, theme })).toEqual([
      " \x1b[1ma.txt  +1 −1\x1b[0m",
      "     zero",
      "   ⋯",
      "     one",
      "   - two",
      "   + 2",
      "         three",
    ]);
  });

  test("MAN2 hostile text in the subject has no control sequences and no line wider than the screen", () => {
    const hostile = `rm -rf /\x1b[2J\u202e${"漢".repeat(120)}\x9b31m`;
    const matters: readonly PermissionSubject[] = [
      { kind: "command", command: hostile },
      { kind: "address", url: `https://example.com/${hostile}` },
      { kind: "other", text: hostile },
      { kind: "change", path: hostile, isNew: true, diff: `+${hostile}\n ${hostile}` },
    ];
    for (const matter of matters)
      for (const width of [20, 33, 80])
        for (const line of renderSubject(matter, { width, theme })) {
          expect(visibleWidth(line)).toBeLessThanOrEqual(width);
          expect(line.replaceAll("\x1b[1m", "").replaceAll("\x1b[0m", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
        }
  });

  test("MAN2 a large diff is rendered once and then cached", () => {
    const diff = Array.from({ length: 5_000 }, (_, at) => `+line ${at} of a file that goes on and on`).join("\n");
    const matter: PermissionSubject = { kind: "change", path: "big.txt", isNew: true, diff };
    const first = renderSubject(matter, { width: 80, theme });
    expect(renderSubject(matter, { width: 80, theme })).toBe(first);
    expect(renderSubject(matter, { width: 60, theme })).not.toBe(first);
  });

  test("MAN2 a very long line is wrapped without losing a character", () => {
    for (const command of [`echo ${"x".repeat(100_000)}!`, `echo ${"漢👍".repeat(20_000)}!`]) {
      const lines = renderSubject({ kind: "command", command }, { width: 40, theme });
      for (const line of lines) expect(visibleWidth(line)).toBeLessThanOrEqual(40);
      expect(lines.map((line) => line.slice(3)).join("")).toBe(command);
    }
  });
});
