/** The texts of a project: which are read, from where, and how much of them. */

import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type ContextFiles,
  MAX_FILE_BYTES,
  MAX_TOTAL_BYTES,
  readContextFiles,
} from "../../src/resources/context-files.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pith-texts-")));
  mkdirSync(join(root, "home"));
  mkdirSync(join(root, "repo/.git"), { recursive: true });
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

test("TXT4 the user's AGENTS.md comes first, then those from the repository's root down; AGENTS.md wins over CLAUDE.md in a folder", async () => {
  place({
    "AGENTS.md": "above the repository",
    "home/AGENTS.md": "mine",
    "repo/AGENTS.md": "root",
    "repo/CLAUDE.md": "not this one",
    "repo/packages/AGENTS.md": "  \n",
    "repo/packages/a/CLAUDE.md": "a",
    "repo/packages/b/CLAUDE.md": "beside",
  });
  expect(await readFrom("repo/packages/a")).toEqual({
    texts: [
      { path: "home/AGENTS.md", text: "mine" },
      { path: "repo/AGENTS.md", text: "root" },
      { path: "repo/packages/a/CLAUDE.md", text: "a" },
    ],
    notes: [],
  });
});

test("TXT4 only the innermost repository is searched, and without one only the folder itself", async () => {
  place({ "repo/AGENTS.md": "outer", "repo/sub/.git": "gitdir: x", "repo/sub/AGENTS.md": "inner" });
  expect((await readFrom("repo/sub")).texts.map(({ text }) => text)).toEqual(["inner"]);
  place({ "free/AGENTS.md": "above", "free/deep/AGENTS.md": "here" });
  expect((await readFrom("free/deep")).texts.map(({ text }) => text)).toEqual(["here"]);
});

test.runIf(process.geteuid?.() === 0)("TXT5 a file in a parent folder of another owner is not read", async () => {
  place({ "repo/AGENTS.md": "theirs", "repo/mine/.git/HEAD": "", "repo/mine/AGENTS.md": "ours" });
  for (const path of ["repo/mine", "repo/mine/.git", "repo/mine/AGENTS.md"]) chownSync(join(root, path), 4711, 4711);
  expect((await readFrom("repo/mine")).texts.map(({ text }) => text)).toEqual(["ours"]);
});

test("TXT5 a link within the repository is followed, and one that leads out of it is reported and not read", async () => {
  place({ "secret.txt": "secret", "repo/docs/agents.md": "linked" });
  symlinkSync("docs/agents.md", join(root, "repo/AGENTS.md"));
  mkdirSync(join(root, "repo/sub"));
  symlinkSync("../../secret.txt", join(root, "repo/sub/AGENTS.md"));
  expect(await readFrom("repo/sub")).toEqual({
    texts: [{ path: "repo/AGENTS.md", text: "linked" }],
    notes: ["repo/sub/AGENTS.md resolves to a path outside the project, so it was not read"],
  });
});

test("TXT5 a home folder that is a repository is not searched, and a link into it is not followed", async () => {
  place({ ".git/HEAD": "", "AGENTS.md": "of the home", "home/keys.json": "secret", "work/notes.md": "mine" });
  symlinkSync("../home/keys.json", join(root, "work/AGENTS.md"));
  expect(await readFrom("work")).toEqual({
    texts: [],
    notes: ["work/AGENTS.md resolves to a path outside the project, so it was not read"],
  });
});

test("TXT5 a link to a file that needs permission is not followed", async () => {
  place({ "home/keys.json": "secret" });
  symlinkSync("home/keys.json", join(root, "AGENTS.md"));
  expect(await readFrom(".")).toEqual({
    texts: [],
    notes: ["AGENTS.md was not read, because reading it requires permission"],
  });
});

test("TXT5 a file that is not text is reported and not read", async () => {
  place({ "repo/AGENTS.md": "a\0\0b", "repo/sub/AGENTS.md/x": "" });
  expect(await readFrom("repo/sub")).toEqual({
    texts: [],
    notes: [
      "repo/AGENTS.md is not a text file, so it was not read",
      "repo/sub/AGENTS.md is not a regular file, so it was not read",
    ],
  });
});

test("TXT6 control characters in a file are shown as escapes, and @ names in it are not opened", async () => {
  place({ "repo/AGENTS.md": "\ufeffone\r\n\x1b[8mtwo\u{e0041}\u202e\n@secret.md\n", "repo/secret.md": "secret" });
  expect((await readFrom("repo")).texts).toEqual([
    { path: "repo/AGENTS.md", text: "one\n\\x1b[8mtwo\\u{e0041}\\u{202e}\n@secret.md\n" },
  ]);
});

test("TXT7 a long file is truncated with a note, and so are all files together, the nearest last", async () => {
  const long = "é ".repeat(20).concat("\n").repeat(1_000);
  place({ "home/AGENTS.md": long, "repo/AGENTS.md": long, "repo/a/AGENTS.md": "short\n", "repo/a/b/AGENTS.md": long });
  const { texts, notes } = await readFrom("repo/a/b");
  const sizes = texts.map(({ text }) => Buffer.byteLength(text));
  expect(texts.map(({ text }) => text.endsWith("AGENTS.md]"))).toEqual([true, true, false, true]);
  expect(texts[3]?.text).toMatch(/é \n\n\[truncated; the rest is in repo\/a\/b\/AGENTS\.md\]$/);
  expect(Math.max(...sizes)).toBeLessThan(MAX_FILE_BYTES + 100);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_TOTAL_BYTES + 300);
  expect(sizes[1]).toBeGreaterThan(MAX_FILE_BYTES - 200);
  expect(notes).toHaveLength(3);
  expect(notes[2]).toBe("repo/a/b/AGENTS.md is too long: only its first 32 KB are sent");
});

function place(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** With paths as they are from the ground. */
async function readFrom(cwd: string): Promise<ContextFiles> {
  const found = await readContextFiles({
    cwd: join(root, cwd),
    userHome: root,
    home: join(root, "home"),
    mayRead: async (path) => !path.endsWith("keys.json"),
  });
  return JSON.parse(JSON.stringify(found).replaceAll(`${root}/`, ""));
}
