/** What could be remembered with a yes. */

import { describe, expect, test } from "vitest";
import { offeredRules, questionOf } from "../../src/permissions/question.ts";
import type { Intent } from "../../src/tool.ts";
import { act, change, command, connected, fetched, ground, look, outside, port, secretly, sight } from "./ground.ts";

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
    expect(offered(connected("registry.example.com"))).toEqual(["network(registry.example.com)"]);
    expect(offered(connected("2001:db8::1"))).toEqual(["network([2001:db8::1])"]);
    expect(offered(port(5432, "host"))).toEqual(["network(localhost:5432)"]);
    expect(offered(port(3000, "publish"))).toEqual(["publish(3000)"]);
    expect(offered(secretly("npm publish", ["npm"], ["example.com"]))).toEqual([]);
    expect(offered(null)).toEqual(["own"]);
  });
});

test("PERM34 the question about a page names the host that is dialled, however it was written", () => {
  const { text } = questionOf(
    sight(act(fetched("http://d\u043ecs.example.com/a"))),
    { matter: "fetch", because: "mode" },
    ground,
  );
  expect(text).toContain("http://xn--dcs-sed.example.com/a");
});
