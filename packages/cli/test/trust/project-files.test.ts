/** What is read of a folder that wants to harm whoever reads it. */

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readBytes, readProjectFiles, scanLimits } from "../../../host/src/trust/project-files.ts";
import { names, TrustProject } from "../support/trust-project.ts";

let project: TrustProject;

beforeEach(() => {
  project = new TrustProject();
});

afterEach(() => project.remove());

test("TRU9 links out of the project, pipes, devices and cycles are reported and not opened; links inside are followed", async () => {
  project.place({
    "secret/skills/leak/SKILL.md": "not yours",
    "repo/.agents/skills/fine/SKILL.md": "fine",
    "repo/docs/shared/SKILL.md": "inside",
    "repo/.pith/prompts/ok.md": "ok",
  });
  const at = (path: string): string => join(project.root, path);
  symlinkSync(join(project.base, "secret/skills"), at(".pith/skills"));
  symlinkSync(at("docs/shared"), at(".agents/skills/inside"));
  symlinkSync(at(".agents"), at(".agents/skills/circle"));
  symlinkSync("/dev/zero", at(".pith/settings.json"));
  symlinkSync("/proc/self/environ", at(".pith/prompts/environ.md"));
  symlinkSync("gone", at(".pith/prompts/gone.md"));
  execFileSync("mkfifo", [at(".mcp.json")]);
  const folder = await project.check();
  expect(names(folder)).toEqual([
    ".agents/skills/fine/SKILL.md",
    ".agents/skills/inside/SKILL.md",
    ".pith/prompts/ok.md",
  ]);
  expect(folder.project.unread).toEqual([
    { name: ".pith/settings.json", why: "resolves to a path outside the project" },
    { name: ".pith/skills", why: "resolves to a path outside the project" },
    { name: ".agents/skills/circle/skills", why: "links to one of its parent folders" },
    { name: ".pith/prompts/environ.md", why: "resolves to a path outside the project" },
    { name: ".mcp.json", why: "is not a regular file" },
  ]);
});

test("TRU9 a .pith folder that links out of the project is not followed", async () => {
  project.place({ "elsewhere/settings.json": "{}" });
  symlinkSync(join(project.base, "elsewhere"), join(project.root, ".pith"));
  expect(names(await project.check())).toEqual([]);
});

test("TRU9 a missing folder has no files", async () => {
  expect(names(await project.check("repo/gone/deeper"))).toEqual([]);
});

test("TRU9 reading is limited in file size, number of files and depth", async () => {
  project.place({ "repo/.pith/settings.json": "{}", "repo/.pith/prompts/a.md": "a" });
  writeFileSync(join(project.root, ".pith/prompts/huge.md"), "");
  truncateSync(join(project.root, ".pith/prompts/huge.md"), 2 ** 40);
  mkdirSync(join(project.root, ".pith/extensions", ...Array.from({ length: 20 }, () => "deep")), { recursive: true });
  const many = join(project.root, ".pith/skills/many");
  mkdirSync(many, { recursive: true });
  for (let at = 0; at <= scanLimits.folderItems; at += 1) symlinkSync("gone", join(many, `${at}`));
  const { files, unread } = await readProjectFiles({
    cwd: project.root,
    home: project.home,
    userHome: project.userHome,
  });
  expect(files.map(({ name }) => name)).toEqual([".pith/settings.json", ".pith/prompts/a.md"]);
  expect(unread.map(({ why }) => why)).toEqual([
    "contains more than 1000 items",
    "exceeds the size limit for project files",
    "is more than 8 folders deep",
  ]);
});

test("TRU9 the number of folders that are searched is limited", async () => {
  for (let at = 0; at < 100; at += 1) mkdirSync(join(project.root, `many/${at}`), { recursive: true });
  mkdirSync(join(project.root, ".pith/skills"), { recursive: true });
  for (let at = 0; at < 25; at += 1) symlinkSync(join(project.root, "many"), join(project.root, `.pith/skills/${at}`));
  const { project: holds } = await project.check();
  expect(holds.unread.map(({ why }) => why)).toEqual(["exceeds the limit of 2000 files and folders"]);
});

test("TRU9 a folder replaced by a link between listing and opening is not read", async () => {
  project.place({ "repo/.pith/settings.json": "{}", "secret/settings.json": "secret" });
  const real = join(project.root, ".pith/settings.json");
  renameSync(join(project.root, ".pith"), join(project.root, "before"));
  symlinkSync(join(project.base, "secret"), join(project.root, ".pith"));
  await expect(readBytes(real, 1000)).rejects.toMatchObject({ code: "EMOVED" });
  rmSync(join(project.root, ".pith"));
  mkdirSync(join(project.root, ".pith"));
  symlinkSync(join(project.base, "secret/settings.json"), real);
  await expect(readBytes(real, 1000)).rejects.toMatchObject({ code: "EMOVED" });
});

test("TRU9 a folder that is constantly replaced by a link never leads to a read outside", async () => {
  project.place({ "repo/.pith/settings.json": "{}", "repo/.pith/prompts/a.md": "mine" });
  project.place({ "secret/settings.json": SECRET, "secret/prompts/a.md": SECRET });
  symlinkSync(join(project.base, "secret"), join(project.root, "link"));
  const exchanging = spawn(process.execPath, ["-e", EXCHANGE], { cwd: project.root });
  const ended = new Promise((resolve) => exchanging.on("close", resolve));
  const contents: string[] = [];
  for (let reads = 0; reads < 300; reads += 1) {
    const { project: holds } = await project.check();
    contents.push(...holds.files.map(({ bytes }) => Buffer.from(bytes).toString()));
  }
  exchanging.kill();
  await ended;
  expect(new Set(contents)).toEqual(new Set(["{}", "mine"]));
});

const SECRET = "not yours";

/** Each of the two in the place of the other, in turn. */
const EXCHANGE = `
  const { renameSync } = require("node:fs");
  for (;;) {
    renameSync(".pith", "real");
    renameSync("link", ".pith");
    renameSync(".pith", "link");
    renameSync("real", ".pith");
  }
`;
