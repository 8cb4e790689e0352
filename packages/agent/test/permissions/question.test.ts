/** What could be remembered with a yes. */

import { describe, expect, test } from "vitest";
import { offeredRules } from "../../src/permissions/question.ts";
import type { Intent } from "../../src/tool.ts";
import { act, change, command, fetched, ground, look, outside, sight } from "./ground.ts";

const { root, home } = ground;
const offered = (intent: Intent | null): readonly string[] =>
  offeredRules(sight(act(intent)), ground).map(({ text }) => text);

describe("PERM10 the rules offered with a question are few, narrow, and do what they are offered for", () => {
  test.each([
    ["npm test", ["bash(npm test)", "bash(npm test:*)"]],
    ["npm run build -- --watch", ["bash(npm run build -- --watch)", "bash(npm run build:*)", "bash(npm run:*)"]],
    ["ls -la src", ["bash(ls -la src)", "bash(ls:*)"]],
    ["npm test 2>&1 | tee log", ["bash(npm test 2>&1 | tee log)"]],
    ["rm -rf build", ["bash(rm -rf build)"]],
    ["sudo make install", ["bash(sudo make install)"]],
    ["python3 x.py", ["bash(python3 x.py)"]],
    ["./run.sh", ["bash(./run.sh)"]],
    ["ls *.ts", []],
    ["make\nmake install", []],
    ["echo \u202e", []],
    ["git push origin :*", []],
    ["x".repeat(201), []],
  ])("%j", (line, texts) => {
    expect(offered(command(line))).toEqual(texts);
  });

  test("a command that leaves the sandbox is offered as such", () => {
    expect(offered(outside("npm test"))).toEqual(["outside(npm test)", "outside(npm test:*)"]);
  });

  test("files, their folders, hosts and tools", () => {
    expect(offered(change(`${root}/src/a.ts`))).toEqual(["edit(src/a.ts)", "edit(src/**)"]);
    expect(offered(change(`${root}/a.ts`))).toEqual(["edit(a.ts)"]);
    expect(offered(change(`${root}/.git/hooks/x`))).toEqual(["edit(.git/hooks/x)"]);
    expect(offered(look(`${home}/.ssh/config`))).toEqual([`read(${home}/.ssh/config)`]);
    expect(offered(change("/etc/hosts"))).toEqual(["edit(/etc/hosts)"]);
    expect(offered(change(`${root}/*`))).toEqual([]);
    expect(offered(change(`${root}/~/x`))).toEqual([]);
    expect(offered(change(`${root}/a`, `${root}/b`))).toEqual([]);
    expect(offered(fetched("https://Example.com/x"))).toEqual(["fetch(example.com)"]);
    expect(offered(null)).toEqual(["own"]);
  });
});
