/** Tests node/search/ripgrep.ts: how ripgrep is ended, and what happens if it is missing, too old or fails. */

import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { findUsableRipgrep, startRipgrep } from "../../../src/node/search/ripgrep.ts";
import { createSearchFolder, formatHits, grepLines, searchOptions } from "../../support/file-tools.ts";

function program(path: string, script: string): string {
  writeFileSync(path, `#!/bin/bash\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

test("SEEK7 an abort soon ends ripgrep and everything it started", async () => {
  const { at, root } = createSearchFolder();
  const sleeper = program(at("rg"), "trap '' TERM; sleep 900 & echo $! >child; echo $$; wait");
  const stop = new AbortController();
  const { output } = startRipgrep({ program: sleeper, options: [], folder: root, signal: stop.signal });
  const read = async (): Promise<number> => {
    let pid = 0;
    try {
      for await (const chunk of output) {
        pid = Number(chunk.toString());
        stop.abort(new Error("enough"));
      }
    } catch (error) {
      expect(error).toEqual(new Error("enough"));
    }
    return pid;
  };
  const pid = await read();
  const pids = [pid, Number(readFileSync(at("child"), "utf8"))];
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

function isAlive(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : ") X";
  return !/\) [ZX]/.test(stat);
}

test("SEEK7 ripgrep ends when the reader stops", async () => {
  const { at, root } = createSearchFolder();
  const talker = program(at("rg"), "echo $$; while :; do echo more; done");
  const { output } = startRipgrep({ program: talker, options: [], folder: root, signal: searchOptions().signal });
  let pid = 0;
  for await (const chunk of output) {
    pid = Number.parseInt(chunk.toString(), 10);
    break;
  }
  await expect.poll(() => isAlive(pid)).toBe(false);
});

test("SEEK2 a missing, too old or fake ripgrep is not used", async () => {
  const { at, root, put, search } = createSearchFolder();
  const trust = { searchPath: process.env.PATH ?? "", root };
  put({ x: "needle" });
  const old = program(at("old"), "echo ripgrep 12.1.1");
  const other = program(at("other"), "echo GNU grep 3");
  for (const one of [old, other, at("nowhere")]) expect(await findUsableRipgrep(one, trust)).not.toBe(one);
  expect(await findUsableRipgrep(program(at("new"), "echo 'ripgrep 13.0.0 (rev x)'"), trust)).toBe(at("new"));
  expect(await grepLines(search(at("nowhere")), { path: "x" })).toEqual(["x:1:needle"]);
});

test("SEEK17 a ripgrep in PATH is not used if the project or another user could have written it", async () => {
  const { at, put } = createSearchFolder();
  put({ "work/bin/x": "", "temporary/x": "", "machine/x": "" });
  for (const folder of ["work/bin", "temporary", "machine"]) program(at(`${folder}/rg`), "echo ripgrep 15.0.0");
  mkdirSync(at("links"));
  symlinkSync(at("work/bin/rg"), at("links/rg"));
  const from = (folders: string) =>
    findUsableRipgrep(undefined, { searchPath: folders, root: at("work"), temporary: [at("temporary")] });
  const strange = ["", ".", "work/bin", at("work/bin"), at("temporary"), at("links"), at("machine/../work/bin")];
  for (const folders of [...strange, strange.join(":")]) expect(await from(folders)).toBe(null);
  expect(await from(`${strange.join(":")}:${at("machine")}`)).toBe(at("machine/rg"));
});

test("SEEK10 a failure of ripgrep is reported instead of an empty result", async () => {
  const { at, search } = createSearchFolder();
  const here = search(
    program(at("rg"), 'test "$1" = --version && echo ripgrep 15.0.0 && exit; echo "rg: it broke" >&2; exit 2'),
  );
  expect(await grepLines(here, {})).toEqual(["refused: the search failed: rg: it broke"]);
  await expect(here.find({ folder: ".", glob: "*" }, searchOptions())).rejects.toThrow(
    "the search failed: rg: it broke",
  );
  rmSync(at("rg"));
  await sleep(0);
  expect(formatHits(await here.grep({ pattern: "x", path: "." }, searchOptions()))).toEqual([
    expect.stringContaining("the search failed"),
  ]);
});
