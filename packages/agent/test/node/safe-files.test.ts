/** Tests node/safe-files.ts: resolving real paths. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { resolveRealPath } from "../../src/node/safe-files.ts";

test("PERM21 resolves links anywhere in a path, also to a missing file", async () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "pith-real-")));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const at = (name: string): string => join(top, name);
  mkdirSync(at("secret/deep"), { recursive: true });
  writeFileSync(at("secret/key"), "");
  symlinkSync(at("secret"), at("folder"));
  symlinkSync("secret/key", at("file"));
  symlinkSync("secret/new", at("dangling"));
  symlinkSync("dangling", at("twice"));
  symlinkSync("../../new", at("secret/deep/up"));
  symlinkSync("round", at("circle"));
  symlinkSync("circle", at("round"));
  const cases: readonly (readonly [string, string | null])[] = [
    [at("secret/key"), at("secret/key")],
    [at("folder/key"), at("secret/key")],
    [at("file"), at("secret/key")],
    [at("folder/a/b/c"), at("secret/a/b/c")],
    [at("dangling"), at("secret/new")],
    [at("twice"), at("secret/new")],
    [at("dangling/x"), at("secret/new/x")],
    [at("folder/deep/up"), at("new")],
    [`${top}/none/../secret/./key`, at("secret/key")],
    [at("circle"), null],
    [at("circle/x"), null],
    [at("file/x"), at("secret/key/x")],
    ["secret/key", null],
    [`${top}/a\0b`, null],
    ["/", "/"],
  ];
  for (const [path, leads] of cases) expect([path, await resolveRealPath(path)]).toEqual([path, leads]);
});
