/** Tests the rules that a question offers to remember. */

import { describe, expect, test } from "vitest";
import { createQuestion, describeRule, suggestRules } from "../../src/permissions/question.ts";
import type { Intent } from "../../src/tool.ts";
import {
  act,
  change,
  command,
  connected,
  fetched,
  look,
  outside,
  permissionPaths,
  port,
  rule,
  secretly,
  sight,
} from "../support/permission-requests.ts";

const { root, home } = permissionPaths;
const offered = (intent: Intent | null): readonly string[] =>
  suggestRules(sight(act(intent)), permissionPaths).map(({ text }) => text);

test("PERM12 a file in the sandbox's private /tmp is named by the path that the user knows", () => {
  const paths = { ...permissionPaths, temporaryFolders: ["/tmp/pith-abc"] };
  const ask = (writtenPath: string): string => {
    const request = act(change("/tmp/pith-abc/notes/x.txt"), { tool: "write", arguments: { path: writtenPath } });
    return createQuestion(sight(request), { action: "change-inside", reason: "mode" }, paths).text;
  };
  expect(ask("/tmp/notes/x.txt")).toBe("Allow this write to /tmp/notes/x.txt (in the sandbox's private /tmp)?");
  // A written path that names another file is never shown.
  expect(ask("/tmp/other.txt")).toBe("Allow this write to /tmp/pith-abc/notes/x.txt?");
});

describe("PERM10 the rules offered with a question are few, narrow and sufficient", () => {
  test.each([
    ["npm test", ["bash(npm test)"]],
    ["npm run build -- --watch", ["bash(npm run build -- --watch)"]],
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

  test("a command outside the sandbox gets rules for outside the sandbox", () => {
    expect(offered(outside("npm test"))).toEqual(["outside(npm test)"]);
    expect(offered(outside("ls -la"))).toEqual(["outside(ls -la)"]);
  });

  test("files, their folders, hosts and tools get rules", () => {
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

test("PERM34 the question about a page names the host that is connected to, whatever the spelling", () => {
  const { text } = createQuestion(
    sight(act(fetched("http://d\u043ecs.example.com/a"))),
    { action: "fetch", reason: "mode" },
    permissionPaths,
  );
  expect(text).toContain("http://xn--dcs-sed.example.com/a");
});

describe("PERM35 a prefix rule is offered only for harmless commands, and the exact line for others", () => {
  const beginnings: Readonly<Record<string, string>> = {
    ...{ "ls -la src": "ls", ls: "ls", pwd: "pwd", "stat a.ts": "stat", "echo done": "echo", "which node": "which" },
    ...{
      "git status --short": "git status",
      "git ls-files src": "git ls-files",
      "git rev-parse HEAD": "git rev-parse",
    },
    ...{ "uname -a": "uname", whoami: "whoami", "id -u": "id", nproc: "nproc", "realpath a": "realpath" },
    ...{ "basename /a/b": "basename", "dirname /a/b": "dirname", "readlink a": "readlink" },
  };
  const reading: Readonly<Record<string, string>> = {
    ...{ "cat a.ts": "cat", "head -5 a.ts": "head", "tail -n 20 log": "tail", "wc -l a.ts": "wc", "du -sh .": "du" },
    ...{ "grep -rn todo src": "grep", "cut -d: -f1 a": "cut", "nl a.ts": "nl", "tac a.ts": "tac" },
  };
  const exact = [
    ...[
      "sed -n 1,5p a.ts",
      "sed -i s/a/b/ a.ts",
      "awk 1 a.ts",
      "tee log",
      "cp a b",
      "mv a b",
      "tar xf a.tar",
      "rm a",
      "dd if=a of=b",
    ],
    ...[
      "psql app",
      "sqlite3 app.db",
      "mysql app",
      "redis-cli get a",
      "npm exec eslint .",
      "npx eslint .",
      "uv run pytest",
    ],
    ...[
      "git grep todo",
      "git log --oneline",
      "git diff",
      "git show HEAD",
      "git blame a.ts",
      "git branch",
      "git stash list",
    ],
    ...[
      "git remote -v",
      "git tag",
      "git config -l",
      "git -C . status",
      "git commit -m x",
      "git checkout main",
      "git fetch",
    ],
    ...[
      "npm test",
      "npm run build",
      "pnpm test",
      "yarn build",
      "make",
      "make test",
      "cargo test",
      "cargo build",
      "go test ./x",
    ],
    ...[
      "pytest -q",
      "tsc --noEmit",
      "vitest run",
      "python3 x.py",
      "node x.js",
      "docker ps",
      "kubectl get pods",
      "ssh host ls",
    ],
    ...[
      "find . -name a",
      "fd a",
      "rg todo",
      "tree",
      "sort a",
      "uniq a",
      "file a",
      "diff a b",
      "less a",
      "more a",
      "date",
      "printf a",
    ],
    ...[
      "cd src",
      "env",
      "printenv",
      "export A=b",
      "test -f a",
      "xargs ls",
      "time ls",
      "sudo ls",
      "/bin/ls",
      "./ls",
      "history",
    ],
    ...[
      "curl example.com",
      "wget example.com",
      "scp a host:b",
      "rsync a b",
      "nc host 80",
      "jq . a.json",
      "zip a.zip a",
      "touch a",
    ],
  ];

  test.each(exact)("only the exact line for %s", (line) => {
    for (const isConfined of [true, false]) {
      const texts = offered(command(line, isConfined));
      expect(texts.filter((text) => text.includes("*"))).toEqual([]);
      expect(texts.every((text) => text === `bash(${line})`)).toBe(true);
    }
  });

  test.each(Object.entries(beginnings))("the exact line and a prefix for %s", (line, beginning) => {
    for (const isConfined of [true, false])
      expect(offered(command(line, isConfined))).toEqual([`bash(${line})`, `bash(${beginning}:*)`]);
  });

  test.each(Object.entries(reading))("a prefix only in a sandbox for %s", (line, beginning) => {
    expect(offered(command(line, true))).toEqual([`bash(${line})`, `bash(${beginning}:*)`]);
    expect(offered(command(line, false))).toEqual([`bash(${line})`]);
  });

  test("and no prefix for a line of several commands", () => {
    expect(offered(command("ls | wc -l", true))).toEqual(["bash(ls | wc -l)"]);
    expect(offered(command("ls > files", true))).toEqual(["bash(ls > files)"]);
  });
});

test.each([
  ["bash(npm test)", "this exact command"],
  ["bash(ls:*)", "ls with any arguments"],
  ["outside(npm test)", "this exact command outside the sandbox"],
  ["edit(src/a.ts)", "changes to this file"],
  ["edit(src/**)", "changes to all files in this folder"],
  ["read(.env)", "reads of this file"],
  ["network(example.com)", "this host, for all commands and pages"],
  ["fetch(example.com)", "all pages on this host"],
  ["fetch(*.example.com)", "all pages on hosts under example.com"],
  ["network(localhost:5432)", "this port, for all commands"],
  ["publish(3000)", "this port, for all commands"],
  ["own(server/tool)", "this tool, with any arguments"],
  ["own(server/*)", "all tools on this server, with any arguments"],
  ["own", "all own calls"],
])("PERM37 a question says what %s permits", (text, expected) => {
  expect(describeRule(rule(text))).toBe(expected);
});
