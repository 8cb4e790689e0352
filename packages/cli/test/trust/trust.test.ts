/** When what a folder holds counts, and when somebody has to be asked again. */

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listTrustedFiles } from "@pith/host/trust/folder-trust";
import { afterEach, beforeEach, expect, test } from "vitest";
import { formatTrustNotice } from "../../src/trust/trust.ts";
import { names, TrustProject } from "../support/trust-project.ts";

let project: TrustProject;

beforeEach(() => {
  project = new TrustProject();
});

afterEach(() => project.remove());

const everything = {
  "repo/.pith/settings.json": "{}",
  "repo/.pith/skills/build/SKILL.md": "# Build",
  "repo/.agents/skills/test/SKILL.md": "# Test",
  "repo/.pith/prompts/review.md": "Review",
  "repo/.pith/agents/scout.md": "Scout",
  "repo/.pith/extensions/one.ts": "export {}",
  "repo/.pith/mcp.json": "{}",
  "repo/.mcp.json": "{}",
};

test("TRU1 in an untrusted folder the files that need trust are listed and not used", async () => {
  project.place({ ...everything, "repo/.pith/notes.txt": "no kind of ours", "repo/.claude/settings.json": "{}" });
  const folder = await project.check();
  expect(folder).toMatchObject({ type: "untrusted", reason: "never", changes: [] });
  expect(names(folder)).toEqual(Object.keys(everything).map((path) => path.slice("repo/".length)));
  expect(listTrustedFiles(folder, "settings")).toEqual([]);
});

test("TRU1 nothing in the folder itself can make it trusted", async () => {
  const claim = JSON.stringify({ version: 1, projects: { [project.root]: { trusted: "now", files: {} } } });
  project.place({ "repo/.pith/settings.json": '{"trust": true, "trusted": true}', "repo/.pith/trust.json": claim });
  expect((await project.check()).type).toBe("untrusted");
});

test("TRU2 trust for one run uses all files and stores nothing", async () => {
  project.place(everything);
  const folder = await project.check("repo", true);
  expect(listTrustedFiles(folder, "skills").map(({ name }) => name)).toEqual([
    ".pith/skills/build/SKILL.md",
    ".agents/skills/test/SKILL.md",
  ]);
  expect(readdirSync(project.home)).toEqual([]);
  expect((await project.check()).type).toBe("untrusted");
});

test("TRU3 trusted files are used until one byte changes; then the change is listed with a diff", async () => {
  project.place(everything);
  await project.trust();
  expect((await project.check()).type).toBe("trusted");
  project.place({ "repo/.pith/mcp.json": '{"servers": 1}\n', "repo/.pith/prompts/new.md": "New" });
  rmSync(join(project.root, ".pith/agents/scout.md"));
  const folder = await project.check();
  expect(folder).toMatchObject({ type: "untrusted", reason: "changed" });
  expect(folder.type === "untrusted" && folder.changes).toEqual([
    { type: "added", name: ".pith/prompts/new.md" },
    { type: "changed", name: ".pith/mcp.json", diff: expect.stringContaining("\n-{}\n") },
    { type: "removed", name: ".pith/agents/scout.md" },
  ]);
  await project.trust();
  expect((await project.check()).type).toBe("trusted");
});

test("TRU3 an invisible change, such as a byte order mark, counts as a change", async () => {
  project.place({ "repo/.pith/settings.json": "{}" });
  await project.trust();
  project.place({ "repo/.pith/settings.json": "\ufeff{}" });
  expect(await project.check()).toMatchObject({ changes: [{ type: "changed", name: ".pith/settings.json" }] });
});

test("TRU4 the bytes that were compared are used, even if the file changes afterwards", async () => {
  project.place({ "repo/.pith/settings.json": '{"model":"a/b"}' });
  await project.trust();
  const folder = await project.check();
  project.place({ "repo/.pith/settings.json": '{"model":"evil/one"}' });
  expect(listTrustedFiles(folder, "settings").map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
    '{"model":"a/b"}',
  ]);
});

test("TRU5 trust belongs to the real root of a repository: links and subfolders share it, a nested repository does not", async () => {
  project.place({ "repo/.pith/settings.json": "{}", "repo/a/b/file": "", "repo/inner/.pith/settings.json": "{}" });
  symlinkSync(project.root, join(project.base, "link"));
  await project.trust("link");
  for (const from of ["repo", "link", "repo/a/b", "link/a"]) expect((await project.check(from)).type).toBe("trusted");
  expect(await project.check("repo/inner")).toMatchObject({
    changes: [{ type: "added", name: "inner/.pith/settings.json" }],
  });
  mkdirSync(join(project.root, "inner/.git"));
  expect(await project.check("repo/inner")).toMatchObject({ type: "untrusted", reason: "never" });
});

test("TRU5 trusting the root again keeps a nested folder trusted", async () => {
  project.place({ "repo/.pith/settings.json": "{}", "repo/inner/.pith/settings.json": "{}" });
  await project.trust("repo/inner");
  expect((await project.check()).type).toBe("trusted");
  project.place({ "repo/.pith/settings.json": "{ }" });
  await project.trust();
  expect((await project.check("repo/inner")).type).toBe("trusted");
});

test("TRU6 Pith's home and the user's home are not projects", async () => {
  project.place({ "user/.pith/settings.json": "{}", "user/.agents/skills/mine/SKILL.md": "mine" });
  expect(names(await project.check("user"))).toEqual([]);
  expect(names(await project.check("user/.pith"))).toEqual([]);
});

test("TRU7 the trust file is private, and one that others can write trusts nothing", async () => {
  project.place({ "repo/.pith/settings.json": "{}" });
  await project.trust();
  const file = join(project.home, "trust.json");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o622);
  const folder = await project.check();
  expect(folder.type).toBe("untrusted");
  expect(folder.notes).toEqual([expect.stringMatching(/run chmod 600 on it\), so no folder is trusted$/)]);
});

test("TRU7 a damaged trust file trusts nothing and is replaced by the next trust; one of a newer version is kept", async () => {
  project.place({ "repo/.pith/settings.json": "{}" });
  const file = join(project.home, "trust.json");
  writeFileSync(file, '{"version":1,"projects":{"/a":[]}}', { mode: 0o600 });
  expect((await project.check()).notes).toEqual([`${file} is damaged, so no folder is trusted`]);
  expect(await project.trust()).toEqual({ type: "saved" });
  expect(readdirSync(project.home).filter((name) => name.startsWith("trust.json.damaged-"))).toHaveLength(1);
  writeFileSync(file, '{"version":2}');
  expect(await project.trust()).toMatchObject({ type: "failed" });
  expect(readFileSync(file, "utf8")).toBe('{"version":2}');
});

test("TRU7 trusting several folders at the same time stores all of them", async () => {
  const roots = Array.from({ length: 8 }, (_, at) => `r${at}`);
  project.place(Object.fromEntries(roots.map((root) => [`${root}/.pith/settings.json`, root])));
  await Promise.all(roots.map((root) => project.trust(root)));
  const results = await Promise.all(roots.map((root) => project.check(root)));
  expect(results.map(({ type }) => type)).toEqual(roots.map(() => "trusted"));
});

test("TRU8 a notice in one line says what is not used and how to use it; a folder without such files has none", async () => {
  expect(formatTrustNotice(await project.check())).toBeNull();
  project.place(everything);
  expect(formatTrustNotice(await project.check())).toBe(
    "this folder is not trusted, so its settings, skills, prompt templates, agents, extensions and MCP servers are not used; review them with: pith trust --show, then run: pith trust",
  );
  await project.trust();
  expect(formatTrustNotice(await project.check())).toBeNull();
  project.place({ "repo/.mcp.json": "{ }" });
  expect(formatTrustNotice(await project.check())).toMatch(
    /^\.mcp\.json has changed since this folder was trusted, so/,
  );
});

test("TRU8 files that are never used are mentioned if the notice has nothing else", async () => {
  mkdirSync(join(project.root, ".pith"));
  symlinkSync(project.userHome, join(project.root, ".pith/skills"));
  const notice = ".pith/skills resolves to a path outside the project, so it is not used";
  expect(formatTrustNotice(await project.check())).toBe(notice);
  symlinkSync(project.userHome, join(project.root, ".pith/prompts"));
  project.place({ "repo/.pith/settings.json": "{}" });
  expect(formatTrustNotice(await project.check())).toMatch(/^this folder is not trusted, so its settings are not used/);
  await project.trust();
  expect(formatTrustNotice(await project.check())).toBe(`${notice} (and 1 more; list them with: pith trust --show)`);
});
