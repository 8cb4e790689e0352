/** Commands held against rules, honest ones and such as want to look like others. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of a shell.

import { describe, expect, test } from "vitest";
import { decide } from "../../../src/permissions/decide.ts";
import { act, command, ground, rules, sight } from "../ground.ts";

const allow = ["bash(git status)", "bash(git log:*)", "bash(npm test:*)", "bash(ls:*)", "bash(tail:*)", "bash(cd src)"];
const deny = ["bash(rm:*)", "bash(git push:*)", "bash(curl:*)", "bash(shutdown now)"];

const underAllow = (line: string): string =>
  decide(sight(act(command(line))), { mode: "ask", rules: rules({ allow }), ground }).type;
const underDeny = (line: string): string =>
  decide(sight(act(command(line))), { mode: "all", rules: rules({ deny }), ground }).type;

describe("PERM5 an allow counts for plain commands only, and for all of a line or none", () => {
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
  ])("not allowed: %j", (line) => {
    expect(underAllow(line)).toBe("asked");
  });

  test("a rule with more than one command means this very text", () => {
    const line = "npm run build 2>&1 > log; make";
    const held = { mode: "ask" as const, rules: rules({ allow: [`bash(${line})`] }), ground };
    expect(decide(sight(act(command(line))), held).type).toBe("allowed");
    for (const other of ["npm run build", "make", `${line}; rm -rf /`, `${line} x`])
      expect(decide(sight(act(command(other))), held).type).toBe("asked");
  });

  test("the rule bash allows every command", () => {
    const held = { mode: "ask" as const, rules: rules({ allow: ["bash"] }), ground };
    expect(decide(sight(act(command("for x in $(ls); do <<"))), held).type).toBe("allowed");
  });
});

describe("PERM6 a deny counts for any command of a line, and where one cannot tell, the user is asked", () => {
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
  ])("refused: %j", (line) => {
    expect(underDeny(line)).toBe("refused");
  });

  test.each([
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
    "case x in x) rm x;; esac",
    "f() { rm x; }; f",
    "i\\\nf rm x; then ls; fi",
    "echo $'\\n'",
    "echo ${X:-$(rm x)}",
    "echo 'unclosed",
    "rm\u00a0x",
    `echo ${"x".repeat(20_001)}`,
    `echo ${"$(".repeat(30)}rm x${")".repeat(30)}`,
  ])("asked: %j", (line) => {
    expect(underDeny(line)).toBe("asked");
  });

  test.each([
    "ls",
    "echo rm",
    "echo 'rm x'",
    "git rm x",
    "rmdir x",
    "git status",
    "git pull",
    "echo $HOME",
    'echo "$(date)"',
    "ls *.ts > out.txt",
    "npm test -- rm",
    "bash build.sh",
    "shutdown later",
    "timeout 5 ls",
  ])("let pass: %j", (line) => {
    expect(underDeny(line)).toBe("allowed");
  });

  test("a long line costs no more than its length", () => {
    const sudos = `${"sudo ".repeat(3_000)}ls`;
    expect(underDeny(sudos)).toBe("allowed");
    expect(underDeny("`".repeat(9_000))).not.toBe("refused");
  });
});
