/** Tests node/sandbox/guarded-paths.ts: guarded names in subfolders, and restored links. */

import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findNestedNames } from "../../../src/node/sandbox/guarded-paths.ts";
import { createSandboxFolders, ranIn, sandboxOptions } from "../../support/sandbox-folders.ts";

test("BOX5 finds guarded names in subfolders, except in packages, links and deep folders", () => {
  const { workspace } = createSandboxFolders();
  const at = (name: string): string => join(workspace, name);
  for (const name of ["a/.vscode", "a/b/.git", "node_modules/x/.idea", "a/b/c/d/.zed"])
    mkdirSync(at(name), { recursive: true });
  writeFileSync(at("a/.mcp.json"), "{}");
  symlinkSync("b", at("a/.claude"));
  expect(findNestedNames(workspace).toSorted()).toEqual([at("a/.mcp.json"), at("a/.vscode"), at("a/b/.git")]);
});

test("BOX5 guarded names in subfolders and the configuration of a nested repository cannot be changed", async () => {
  const { workspace, ...place } = createSandboxFolders();
  mkdirSync(join(workspace, "a/.vscode"), { recursive: true });
  const git = join(workspace, "a/.git");
  mkdirSync(git);
  writeFileSync(join(git, "config"), "[core]\n");
  const { text } = await ranIn(
    sandboxOptions({ workspace, ...place }),
    "for f in .vscode/tasks.json .git/config .git/commondir .git/hooks/pre-commit new; do echo x 2>/dev/null >a/$f && echo $f; done; mv a b && echo moved",
  );
  expect(text.split("\n").filter((line) => !line.startsWith("/bin/bash") && !line.startsWith("mv:"))).toEqual([
    "new",
    "",
  ]);
});

test("BOX32 a link is restored in its own folder, even if a command replaced that folder by a link", async () => {
  const folders = createSandboxFolders();
  const { workspace, outside } = folders;
  mkdirSync(join(workspace, "settings"));
  symlinkSync("/etc/hostname", join(workspace, "settings/data"));
  mkdirSync(join(outside, "data"));
  writeFileSync(join(outside, "data/precious"), "as it was\n");
  await ranIn(
    sandboxOptions(folders, { guarded: [join(workspace, "settings/data")] }),
    `mv settings away; rm away/data; ln -s ${outside} settings`,
  );
  expect(readFileSync(join(outside, "data/precious"), "utf8")).toBe("as it was\n");
  expect(readlinkSync(join(workspace, "away/data"))).toBe("/etc/hostname");
});
