/** Tests permissions/rules.ts: command pattern, host pattern, path pattern, rule. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of a shell.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide } from "../../src/permissions/decide.ts";
import { resolveRequest } from "../../src/permissions/request.ts";
import { matchesGlob, parseRule } from "../../src/permissions/rules.ts";
import {
  act,
  change,
  command,
  fetched,
  look,
  permissionPaths,
  realPath,
  rules,
  sight,
} from "../support/permission-requests.ts";

describe("command pattern", () => {
  const allow = [
    "bash(git status)",
    "bash(git log:*)",
    "bash(npm test:*)",
    "bash(ls:*)",
    "bash(tail:*)",
    "bash(cd src)",
  ];
  const deny = ["bash(rm:*)", "bash(git push:*)", "bash(npm publish:*)", "bash(curl:*)", "bash(shutdown now)"];

  const underAllow = (line: string): string =>
    decide(sight(act(command(line))), { mode: "ask", rules: rules({ allow }), paths: permissionPaths }).type;
  const underDeny = (line: string): string =>
    decide(sight(act(command(line))), { mode: "all", rules: rules({ deny }), paths: permissionPaths }).type;

  describe("PERM5 an allow rule applies only to plain commands, and to all of a line or none", () => {
    test.each([
      "git status",
      "  git   status  ",
      "git status\n",
      "git 'status'",
      'g"it" status',
      "git \\\n status",
      "git log",
      "git log --oneline -5",
      "git log 'a; rm -rf /'",
      'git log "a && b | c"',
      "git log \\;",
      "npm test -- src/a.test.ts",
      "git status && npm test",
      "git status; git log; ls",
      "npm test 2>&1 | tail -20",
      "ls -la 2>/dev/null",
      "ls >/dev/null 2>&1 || git status",
      "cd src && npm test",
      "git status & ls",
      "ls a#b",
    ])("allowed: %j", (line) => {
      expect(underAllow(line)).toBe("allowed");
    });

    test.each([
      "",
      "git",
      "git status -s",
      "git statusx",
      "gitstatus",
      "npm tester",
      "npm testx -- a",
      "lsof",
      "git status; rm -rf /",
      "git status && rm -rf /",
      "git status || rm -rf /",
      "git status | sh",
      "git status |& sh",
      "git status & rm -rf /",
      "git status\nrm -rf /",
      "git status;rm -rf /",
      "git log $(rm -rf /)",
      "git log `rm -rf /`",
      'git log "$(rm -rf /)"',
      'git log "`rm -rf /`"',
      "git log $HOME",
      'git log "$HOME"',
      "git log ${IFS}",
      "git log > .bashrc",
      "git log >> .bashrc",
      "git log >| x",
      "git log &> x",
      "git log >& x",
      "git log > /dev/nullx",
      "git log > /dev/null > x",
      "git log 2>&1 1>x",
      "ls < /etc/shadow",
      "ls <<< x",
      "ls <<EOF\nrm -rf /\nEOF",
      "ls <(rm -rf /)",
      "ls >(rm -rf /)",
      "PATH=/tmp/evil git status",
      "A=1 git status",
      "A+=1 git status",
      "env git status",
      "/tmp/evil/git status",
      "./git status",
      "git status # all is well",
      "# git status",
      "(git status)",
      "{ git status; }",
      "! git status",
      "if git status; then ls; fi",
      "for x in a; do ls; done",
      "while git status; do ls; done",
      "case x in x) ls;; esac",
      "function git { rm -rf /; }; git status",
      "git() { rm -rf /; }; git status",
      "ls() { rm -rf /; }",
      "alias ls=rm; ls",
      "eval 'git status'",
      "time git status",
      "git log 'unclosed",
      'git log "unclosed',
      "git log \\",
      "git log $'\\x3b rm'",
      'git log $"x"',
      "git log $((1+1))",
      "git log $[1+1]",
      "git log ${x:-$(rm -rf /)}",
      "ls *.ts",
      "ls ?",
      "ls [ab]",
      "ls {a,b}",
      "ls ~/.ssh",
      "ls a=~/.ssh",
      "ls -- -x=~y",
      "git status\u00a0",
      "git st\\\natus",
      "git\u00a0status",
      "git\u2003status",
      "git status\r",
      "git status\u0000",
      "git status\u200b; rm -rf /",
      "git log \u202etxt",
      "git status ;; ls",
      "git status )",
      "[[ a && b ]]",
      "[ -f x ]",
      "coproc ls",
      "ls @(a|b)",
      "ls !(a)",
      "ls [",
      "ls \"$'a'\"",
      "ls $'a'",
      "ls ~/a",
      "ls 'a\u00a0b'",
      'ls "a\\\nb"',
      "ls $((1))",
      "ls ${#x}",
      "ls <<'E'\nE",
      "2>&1 case x",
      "ls\n# all is well\nls",
      "case x in x) ls;; esac",
      "x=(ls) ls",
    ])("not allowed: %j", (line) => {
      expect(underAllow(line)).toBe("asked");
    });

    test("a rule with more than one command applies to exactly that text", () => {
      const line = "npm run build 2>&1 > log; make";
      const held = { mode: "ask" as const, rules: rules({ allow: [`bash(${line})`] }), paths: permissionPaths };
      expect(decide(sight(act(command(line))), held).type).toBe("allowed");
      for (const other of ["npm run build", "make", `${line}; rm -rf /`, `${line} x`])
        expect(decide(sight(act(command(other))), held).type).toBe("asked");
    });

    test("the rule bash allows every command", () => {
      const held = { mode: "ask" as const, rules: rules({ allow: ["bash"] }), paths: permissionPaths };
      expect(decide(sight(act(command("for x in $(ls); do <<"))), held).type).toBe("allowed");
    });
  });

  describe("PERM6 a deny rule applies to any command of a line, and a doubtful line needs a question", () => {
    test.each([
      "rm x",
      "rm",
      "rm -rf $HOME",
      "rm *",
      "ls; rm x",
      "ls && rm x",
      "ls || rm x",
      "ls | rm x",
      "ls & rm x",
      "ls\nrm x",
      "(rm x)",
      "(ls; (rm x))",
      "{ rm x; }",
      "! rm x",
      "echo $(rm x)",
      'echo "a $(rm x) b"',
      "echo `rm x`",
      'echo "`rm x`"',
      "echo `echo \\`rm x\\``",
      "X=$(rm x)",
      "case x in x) rm x;; esac",
      "cat <<EOF\n$(rm x)\nEOF",
      "X=1 rm x",
      "X=1 Y=2 rm x",
      "echo $(echo $(rm x))",
      "cat <(rm x)",
      "ls > $(rm x)",
      "if true; then rm x; fi",
      "if rm x; then ls; else ls; fi",
      "for x in a b; do rm $x; done",
      "while true; do rm x; done",
      "until rm x; do ls; done",
      "time rm x",
      "r'm' x",
      '"rm" x',
      "\\rm x",
      "r\\m x",
      "/bin/rm x",
      "../../bin/rm x",
      "sudo rm x",
      "sudo -u bob /bin/rm x",
      "env A=1 rm x",
      "nohup nice -n 5 rm x",
      "timeout 5 rm x",
      "ls | xargs rm",
      "find . -name a -exec rm {} +",
      "command rm x",
      "exec rm x",
      "rm x # harmless",
      "# harmless\nrm x",
      ">log rm x",
      "2>&1 rm x",
      ">&-rm x",
      "ls <&- | 2>&-rm x",
      "git push",
      "git push --force origin main",
      "shutdown now",
      "ls \\\n; rm x",
      "git -C . push",
      "git --no-pager push",
      "git -c a=b -C sub --git-dir x push --force",
      "/usr/bin/git -p push",
      "sudo git -C . push",
      "taskset 1 git push",
      "setpriv --reuid=1 git push",
      "nsenter -t 1 git push",
      "chrt 1 git push",
      "flock /tmp/l git push",
      "prlimit --nproc=1 rm x",
      "systemd-run --user rm x",
      "find . -exec git -C {} push ;",
    ])("refused: %j", (line) => {
      expect(underDeny(line)).toBe("refused");
    });

    test.each([
      "echo rm",
      "echo 'rm x'",
      "git rm x",
      "docker rm x",
      "npm test -- rm",
      "export PATH=$PATH:x",
      "PATH=. ls",
      "SOMETHING=1 ls",
      "NODE_OPTIONS='--require ./x.js' npm test",
      "NODE_OPTIONS='--no-warnings --require ./x.js' npm test",
      "NODE_OPTIONS='--require ./x.js --no-warnings' npm test",
      "$X x",
      "${X} x",
      "$(echo rm) x",
      "`echo rm` x",
      "git $X",
      "git pu$Y",
      "r{m,n} x",
      "shutdown $WHEN",
      "sh -c 'rm x'",
      "bash -lc 'rm x'",
      "echo 'rm x' | sh",
      "eval 'rm x'",
      "source x.sh",
      "env -S 'rm x'",
      "sudo bash -c 'rm x'",
      "xargs sh -c 'rm x'",
      "cat <<EOF\nrm x\nEOF",
      "f() { rm x; }; f",
      "i\\\nf rm x; then ls; fi",
      "echo ${X:-$(rm x)}",
      "echo 'unclosed",
      "rm\u00a0x",
      "git -C . $X",
      "npm --prefix . publish",
      "git -c alias.p=push p",
      "git -c core.pager='git push' log",
      "git submodule foreach 'git push'",
      "git rebase -x 'git push' main",
      "git bisect run git push",
      "git bisect run ./check.sh",
      "trap 'git push' EXIT",
      "alias p='git push'",
      "script -qc 'git push' /dev/null",
      "xargs -a f git",
      "ls | xargs git",
      "parallel git ::: push",
      "watch 'git push'",
      "su -c 'git push'",
      "ssh host 'git push'",
      "tmux new 'git push'",
      "awk 'BEGIN{system(\"git push\")}'",
      "awk '{print | \"sh\"}' f",
      "awk -f x.awk f",
      "sed 's/a/git push/e' f",
      "sed '1e git push' f",
      "perl -e 'system q(git push)'",
      "perl -ne 'print' f",
      "python3 -c 'import os'",
      "python3.12 -c 'import os'",
      "python3 - x",
      "echo 'x' | python3",
      "node -e 'x'",
      "node --eval=x",
      "node -pe 1",
      "php -r 'x;'",
      "deno eval x",
      "find . -exec sh -c 'git push' ;",
      "make --eval='x:;git push'",
      "make CC='git push;' all",
      "tar --to-command='git push' -xf x.tar",
      "test -v 'a[$(git push)]'",
      "[ -v 'a[`git push`]' ]",
      "printf -v 'a[$(git push)]' x",
      'printf -v "$X" x',
      "read 'a[$(git push)]'",
      "unset 'a[$(git push)]'",
      "declare 'a[$(git push)]=1'",
      "declare -i x=y",
      "a['$(git push)']=1",
      "a[x]=1",
      "exec {a['$(git push)']}>f",
      "X=-v; test $X 'a[$(git push)]'",
      "let 'a[$(git push)]'",
      "mapfile -C 'git push' < f",
      `echo ${"x".repeat(20_001)}`,
      `echo ${"$(".repeat(30)}rm x${")".repeat(30)}`,
    ])("needs a question: %j", (line) => {
      expect(underDeny(line)).toBe("asked");
    });

    test.each([
      "ls",
      "rmdir x",
      "echo $'\\n'",
      "cat <<'EOF'\nsome text\nEOF",
      "git status",
      "git pull",
      "echo $HOME",
      'echo "$(date)"',
      "ls *.ts > out.txt",
      "bash build.sh",
      "NODE_OPTIONS='--no-warnings --max-old-space-size=4096' npm test",
      "shutdown later",
      "timeout 5 ls",
      "git -C . status",
      "git --no-pager log -5",
      "git -c core.pager=cat -c user.name=x log",
      "git commit -m 'do not push'",
      "git log --grep push",
      "awk '{print $1}' f",
      "awk -F: '{print $1}' \"$f\"",
      "sed -n '1,5p' f",
      "sed -i 's/one/the/g; s/x/e/' f",
      'python3 x.py "$f"',
      "python3 -m pytest",
      "node --test",
      "node --version",
      "perl x.pl",
      "make test",
      "printf '%s\\n' \"$x\"",
      "test -f a",
      'test "$x" = y',
      "a[0]=1",
      "read -r line",
      "ls | xargs wc -l",
      "tar -xzf x.tgz",
    ])("allowed: %j", (line) => {
      expect(underDeny(line)).toBe("allowed");
    });

    test("a long line takes linear time", () => {
      const sudos = `${"sudo ".repeat(3_000)}ls`;
      expect(underDeny(sudos)).toBe("allowed");
      expect(underDeny("`".repeat(9_000))).not.toBe("refused");
    });
  });
});

describe("host pattern", () => {
  const underAllow = (rule: string, url: string): string =>
    decide(sight(act(fetched(url))), { mode: "ask", rules: rules({ allow: [rule] }), paths: permissionPaths }).type;

  describe("PERM9 a host rule matches the host in any spelling", () => {
    test.each([
      ["fetch(example.com)", "https://example.com/x?y#z"],
      ["fetch(example.com)", "http://EXAMPLE.com:8080/"],
      ["fetch(example.com)", "https://example.com./"],
      ["fetch(Example.COM)", "https://user:word@example.com/"],
      ["fetch(*.example.com)", "https://a.b.example.com/"],
      ["fetch(127.0.0.1)", "http://2130706433/"],
      ["fetch(bücher.example)", "https://xn--bcher-kva.example/"],
      ["fetch([::1])", "http://[0:0::1]/"],
      ["fetch", "https://anything.example/"],
    ])("%s allows %s", (rule, url) => {
      expect(underAllow(rule, url)).toBe("allowed");
    });

    test.each([
      ["fetch(example.com)", "https://www.example.com/"],
      ["fetch(example.com)", "https://example.com.evil.example/"],
      ["fetch(example.com)", "https://example.com@evil.example/"],
      ["fetch(example.com)", "https://evil.example/example.com"],
      ["fetch(example.com)", "https://evil.example\\@example.com/"],
      ["fetch(*.example.com)", "https://example.com/"],
      ["fetch(*.example.com)", "https://notexample.com/"],
      ["fetch(example.com)", "file://example.com/etc/passwd"],
      ["fetch(example.com)", "example.com"],
      ["fetch(example.com)", ""],
    ])("%s does not allow %s", (rule, url) => {
      expect(underAllow(rule, url)).toBe("asked");
    });

    test("a deny rule applies in every mode, and an invalid URL needs a question", () => {
      const held = {
        mode: "all" as const,
        rules: rules({ allow: ["fetch"], deny: ["fetch(*.example.com)"] }),
        paths: permissionPaths,
      };
      const urls = ["https://A.example.com/", "https://other.example/", "nonsense"];
      expect(urls.map((url) => decide(sight(act(fetched(url))), held).type)).toEqual(["refused", "allowed", "asked"]);
    });
  });
});

describe("path pattern", () => {
  const { root, home } = permissionPaths;
  const isAllowed = (rule: string, path: string): boolean =>
    decide(sight(act(change(path))), { mode: "ask", rules: rules({ allow: [rule] }), paths: permissionPaths }).type ===
    "allowed";

  describe("PERM8 a path rule matches one path in any spelling", () => {
    test.each([
      ["edit(src/**)", `${root}/src/a/b.ts`],
      ["edit(src/**)", `${root}/src`],
      ["edit(src)", `${root}/src/a/b.ts`],
      ["edit(./src/)", `${root}/src/a`],
      ["edit(src/*.ts)", `${root}/src/a.ts`],
      ["edit(**/*.md)", `${root}/README.md`],
      ["edit(**/*.md)", `${root}/docs/a/b.md`],
      ["edit(src/**/test/?.ts)", `${root}/src/x/y/test/a.ts`],
      ["edit(app/[id]/page.ts)", `${root}/app/[id]/page.ts`],
      ["edit(~/notes)", `${home}/notes/x`],
      ["edit(/etc/hosts)", "/etc/hosts"],
      ["write(src)", `${root}/src/a`],
    ])("%s allows %s", (rule, path) => {
      expect(isAllowed(rule, path)).toBe(true);
    });

    test.each([
      ["edit(src/**)", `${root}/srcx/a`],
      ["edit(src/**)", `${root}/lib/src/a`],
      ["edit(src/*)", `${root}/src/a/b`],
      ["edit(src/*.ts)", `${root}/src/a.tsx`],
      ["edit(src)", `${root}/SRC/a`],
      ["edit(**)", `${home}/x`],
      ["edit(/etc/host)", "/etc/hosts"],
      ["edit(~/notes)", "/notes/x"],
      ["read(src)", `${root}/src/a`],
      ["grep(src)", `${root}/src/a`],
    ])("%s does not allow %s", (rule, path) => {
      expect(isAllowed(rule, path)).toBe(false);
    });

    test("an allow rule applies to the target of a link, a deny rule to the target and the link", async () => {
      const through = await resolveRequest(act(change(`${root}/out/x`)), realPath);
      const held = (some: Parameters<typeof rules>[0]) =>
        decide(through, { mode: "ask", rules: rules(some), paths: permissionPaths }).type;
      expect(held({ allow: ["edit(out)"] })).toBe("asked");
      expect(held({ allow: ["edit(~/elsewhere)"] })).toBe("allowed");
      expect(held({ deny: ["edit(out)"] })).toBe("refused");
      expect(held({ deny: ["edit(~/elsewhere)"] })).toBe("refused");
    });

    test("read rules apply to all reading tools, edit and write rules to all changing tools", () => {
      const grep = sight(act(look(`${root}/secret`), { tool: "grep" }));
      const write = sight(act(change(`${root}/secret`), { tool: "write" }));
      const held = (deny: string) => ({ mode: "all" as const, rules: rules({ deny: [deny] }), paths: permissionPaths });
      expect(decide(grep, held("read(secret)")).type).toBe("refused");
      expect(decide(grep, held("edit(secret)")).type).toBe("allowed");
      expect(decide(write, held("edit(secret)")).type).toBe("refused");
      expect(decide(write, held("read(secret)")).type).toBe("allowed");
    });

    test("a rule on something that a tool does not declare needs a question", () => {
      const own = sight(act(null));
      expect(decide(own, { mode: "all", rules: rules({ deny: ["own(x)"] }), paths: permissionPaths }).type).toBe(
        "asked",
      );
    });

    test("globs match like regular expressions, in linear time", () => {
      const glob = fc.array(fc.constantFrom("a", "b", "*", "?", "ab", "**"), { maxLength: 6 });
      const names = fc.array(fc.constantFrom("a", "b", "ab", "ba", "aab"), { maxLength: 6 });
      fc.assert(
        fc.property(glob, names, (some, path) => {
          const written = path.map((name) => `${name}/`).join("");
          expect(matchesGlob(some, path)).toBe(asRegExp(some).test(written));
        }),
        { numRuns: 1_000 },
      );
      expect(matchesGlob(["*a".repeat(200)], ["a".repeat(4_000).concat("b")])).toBe(false);
    });
  });

  function asRegExp(glob: readonly string[]): RegExp {
    const parts = glob.map((name) =>
      name === "**" ? "(?:[^/]+/)*" : `${name.replaceAll("*", "[^/]*").replaceAll("?", "[^/]")}/`,
    );
    return new RegExp(`^${parts.join("")}$`);
  }
});

describe("rule", () => {
  const nameOf = (text: string): string => {
    const parsed = parseRule(text);
    return parsed.type === "mistake" ? parsed.code : "none";
  };

  describe("PERM7 a rule that cannot be parsed is an error with a code", () => {
    test.each([
      ["", "empty"],
      ["  ", "empty"],
      ["bash()", "empty"],
      ["bash(:*)", "empty"],
      ["(x)", "missing-tool"],
      ["*", "missing-tool"],
      ["Bash(rm:*)", "unknown-tool"],
      ["Edit(a.txt)", "unknown-tool"],
      ["shell", "unknown-tool"],
      ["mcp__x", "unknown-tool"],
      ["constructor", "unknown-tool"],
      ["outside()", "empty"],
      ["outside(npm *)", "wildcard"],
      ["bash(x", "parentheses"],
      ["bash x", "parentheses"],
      ["bash(x) y", "parentheses"],
      ["bash(a\nb)", "invisible-character"],
      ["edit(a\u202eb)", "invisible-character"],
      ["bash(*)", "wildcard"],
      ["bash(npm run *)", "wildcard"],
      ["bash(git push*)", "wildcard"],
      ["bash(ls *.ts)", "wildcard"],
      ["bash(a; b:*)", "not-a-simple-command"],
      ["bash($X:*)", "not-a-simple-command"],
      ["bash(A=1 b:*)", "not-a-simple-command"],
      ["edit(../x)", "path"],
      ["edit(a/../../x)", "path"],
      ["edit({a,b})", "path"],
      ["edit(~bob/x)", "path"],
      ["edit(a**)", "wildcard"],
      ["fetch(https://example.com)", "host"],
      ["fetch(example.com/x)", "host"],
      ["fetch(example.com:80)", "host"],
      ["fetch(a@b)", "host"],
      ["fetch(exam*.com)", "wildcard"],
      ["fetch(*)", "wildcard"],
      ["fetch(*.*.com)", "wildcard"],
      ["network(https://example.com)", "host"],
      ["network(example.com:443)", "host"],
      ["network(localhost:0)", "port"],
      ["network(localhost:70000)", "port"],
      ["network(localhost:x)", "port"],
      ["publish(localhost:3000)", "port"],
      ["publish(3000.5)", "port"],
    ])("%j: %s", (text, name) => {
      expect(nameOf(text)).toBe(name);
    });

    test("an error shows the rule and what to write", () => {
      expect(parseRule("bash(npm run *)")).toEqual({
        type: "mistake",
        code: "wildcard",
        message: "bash(npm run *): * is only allowed at the end, as in npm test:*",
      });
    });

    test("an unknown tool in a rule is reported with a suggestion", () => {
      expect(parseRule("Bash(rm:*)")).toMatchObject({ message: "unknown tool Bash; did you mean bash?" });
      expect(parseRule("shell")).toMatchObject({
        message:
          "unknown tool shell; known tools: read, write, edit, bash, outside, grep, find, ls, fetch, network, publish",
      });
    });

    test.each([
      "grep",
      "bash(git status)",
      "bash(npm test:*)",
      "edit(src/**)",
      "read(~/notes)",
      "fetch(*.example.com)",
      "outside",
      "outside(npm test:*)",
      "network",
      "network(*.example.com)",
      "network(localhost:5432)",
      "publish(3000)",
      "mcp__x",
    ])("%s keeps its text", (text) => {
      expect(parseRule(` ${text} `, { tools: ["mcp__x"] })).toMatchObject({ type: "rule", rule: { text } });
    });
  });
});
