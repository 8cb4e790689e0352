/** Tests ledger/open-errors.ts: which errors are open, and what closes them. */

import { describe, expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import { collectLedger } from "../../src/ledger/collect-ledger.ts";
import { emptyLedger, MAX_LEDGER_ITEMS } from "../../src/ledger/ledger.ts";
import {
  bashCallEntries,
  createEntries,
  type EntryFields,
  text,
  toolCallEntries,
  userBashEntry,
} from "../context/tool-work.ts";

type Work = EntryFields | readonly EntryFields[];

const open = (...work: readonly Work[]): readonly string[] => errorsIn(createEntries(...work));
const errorsIn = (entries: readonly Entry[]): readonly string[] =>
  collectLedger(entries).errors.map(({ source, text: line }) => `${source}: ${line}`);
const failing = (command: string, output = "Error: boom", code = 1): Work =>
  bashCallEntries(command, { ...text(`${output}\n\nexit code ${code}`), isError: true });
const change = (path: string, result: EntryFields): Work =>
  toolCallEntries({ name: "edit", arguments: { path, newText: "x" } }, result);

test("LED7 an error is open until the same command succeeds", () => {
  expect(open(failing("./deploy"))).toEqual(["./deploy: Error: boom"]);
  expect(open(failing("./deploy"), bashCallEntries("./deploy"))).toEqual([]);
  expect(open(failing("./deploy"), bashCallEntries("./deploy --dry"))).toHaveLength(1);
  expect(open(bashCallEntries("./deploy"), failing("./deploy"))).toHaveLength(1);
});

test.each(["stopped", "denied"])("LED7 RUN18 a call that was %s is not an open error", (outcome) => {
  const result = { ...text("the user did not permit it"), isError: true, details: { pith: { [outcome]: true } } };
  expect(open(bashCallEntries("./deploy", result))).toEqual([]);
  expect(open(change("a.ts", result as EntryFields))).toEqual([]);
});

test("LED7 the newest failure of a command replaces the older one", () => {
  expect(open(failing("make", "Error: one"), failing("make", "Error: two"))).toEqual(["make: Error: two"]);
});

describe("LED7 a later success of the same command", () => {
  const cases: readonly (readonly [string, string, string, boolean])[] = [
    ["with its output filtered", "npm test", "npm test 2>&1 | tail -20", true],
    ["followed by git status", "npm test", "npm test; git status --short", true],
    ["after another command", "git commit -m x", "git add . && git commit -m x", true],
    ["in the same folder", "cd a && npm test", "cd a && npm test", true],
    ["in another folder", "cd a && npm test", "cd b && npm test", false],
    ["which is the check of its line", "sed -i s/a/b/ a && npm test", "npm test", true],
    ["the last of two, which runs only after the first", "./a && ./b", "./b", true],
    ["the first of two, which may not be the one that failed", "./a && ./b", "./a", false],
    ["a commit with another message", "git add -A && git commit -qm x", "git add a && git commit -m y", true],
    ["before another command with a pipe", "./a", "./a && git log --oneline | head -1", true],
    ["with other blanks", "npm  test", "npm test", true],
    ["in a here-document", "cat > a <<X\n./a\nX\n./b", "cat > a <<X\n./a\nX\n./b", true],
  ];
  test.each(cases)("LED7 closes the error only if it is the failed command: %s", (_, failed, succeeded, isClosed) => {
    expect(open(failing(failed), bashCallEntries(succeeded))).toHaveLength(isClosed ? 0 : 1);
  });
});

describe("LED7 the error of a line is attributed to the command that failed", () => {
  const fatal = "fatal: unable to auto-detect email address";
  const cases: readonly (readonly [string, string, string])[] = [
    ["npm test && git commit -m x", fatal, "git commit -m x"],
    ["git init && ls -la && node --version", "fatal: cannot copy", "git init"],
    ["cp a b && ./c", "cp: cannot stat 'a'", "cp a b"],
    ["./a && foo --all", "bash: line 1: foo: command not found", "foo --all"],
    ["npm ci && ./c", "npm error code E404", "npm ci"],
    ["node --test && git commit -m x", "✖ the lock (1 ms)", "node --test"],
    ["./a && ./b", "Error: boom", "./a && ./b"],
    ["git add -A && git commit -m x", fatal, "git add -A && git commit -m x"],
    ["./a; ./b", "Error: boom", "./b"],
  ];
  test.each(cases)("LED7 in %s", (line, output, source) => {
    expect(open(failing(line, output)).map((each) => each.slice(0, each.lastIndexOf(`: ${output}`)))).toEqual([source]);
  });

  test("LED7 a later success of that command closes it, and a success of another one does not", () => {
    const failed = failing("npm test && git commit -m x", `5 passed\n${fatal}`, 128);
    expect(open(failed, bashCallEntries("npm test"))).toHaveLength(1);
    expect(open(failed, bashCallEntries("git add -A && git commit -qm y && git log | head -1"))).toEqual([]);
  });

  test("LED7 closes the errors of the earlier commands in the line, which have succeeded", () => {
    expect(open(failing("./a"), failing("./a && cp b c", "cp: cannot stat 'b'"))).toEqual([
      "cp b c: cp: cannot stat 'b'",
    ]);
  });

  test("LED7 a search without a match is not an error of the command before it", () => {
    expect(open(failing("./a && ./b | grep -c lock", "0"))).toEqual([]);
  });

  test("LED7 the start of a background job closes no error; its end does", () => {
    const start = bashCallEntries("npm test", { ...text("job-1 has started"), details: { job: "job-1" } });
    const poll = (exitCode: number | null): Work =>
      toolCallEntries(
        { name: "bash", arguments: { job: "job-1" } },
        { ...text("Error: boom"), toolName: "bash", details: { job: "job-1", exitCode }, isError: exitCode === 1 },
      );
    expect(open(failing("npm test"), start, poll(null))).toHaveLength(1);
    expect(open(failing("npm test"), start, poll(0))).toEqual([]);
    expect(open(start, poll(1))).toEqual(["npm test: Error: boom"]);
    expect(collectLedger(createEntries(start, poll(null))).checks).toEqual([]);
    expect(collectLedger(createEntries(start, poll(1))).checks).toMatchObject([{ command: "npm test", exitCode: 1 }]);
  });
});

describe("LED7 a later success of a wider check", () => {
  const cases: readonly (readonly [string, string, string, boolean])[] = [
    ["with a path less", "node --test test/", "node --test", true],
    ["with several paths less", "npm test src/a src/b", "npm test src/a", true],
    ["with its output filtered", "node --test test/", "node --test 2>&1 | tail -20", true],
    ["with a path more", "node --test", "node --test test/", false],
    ["with another path", "node --test test/", "node --test src/", false],
    ["of another kind", "cargo test --all", "cargo", false],
    ["by another program", "npm test src/a", "node --test", false],
    ["of a command that is not a check", "./deploy --all", "./deploy", false],
  ];
  test.each(cases)(
    "LED7 closes the error only if it includes the failed check: %s",
    (_, failed, succeeded, isClosed) => {
      expect(open(failing(failed), bashCallEntries(succeeded))).toHaveLength(isClosed ? 0 : 1);
    },
  );

  test("LED7 closes nothing if it fails itself", () => {
    expect(open(failing("node --test test/"), failing("node --test", "Error: bang"))).toEqual([
      "node --test test/: Error: boom",
      "node --test: Error: bang",
    ]);
  });
});

describe("LED7 a check whose exit code is hidden is judged by its output", () => {
  test("LED7 with an error line it failed, without one it succeeded", () => {
    const output = text("src/a.ts(1,2): error TS2304: Cannot find name 'a'.");
    expect(open(bashCallEntries("npx tsc | head", output))).toEqual([
      "npx tsc: src/a.ts(1,2): error TS2304: Cannot find name 'a'.",
    ]);
    expect(open(failing("npx tsc"), bashCallEntries("npx tsc | head", text("ok")))).toEqual([]);
    expect(open(failing("npx tsc"), bashCallEntries("npx tsc | head", output))).toHaveLength(1);
  });

  test("LED7 another command neither opens nor closes an error by its output", () => {
    const output = text("TypeError: x is not a function");
    expect(open(bashCallEntries("./a | tail", output), bashCallEntries("./b", output))).toEqual([]);
    expect(open(failing("./a"), bashCallEntries("./a | tail", output))).toHaveLength(1);
  });
});

test("LED7 a read-only command opens no error, nor does one after the work", () => {
  expect(open(failing("grep -c lock a.log"), failing("cat missing"))).toEqual([]);
  expect(open(failing("./a; ls | grep -c lock", "0"))).toEqual([]);
  expect(open(toolCallEntries({ arguments: { path: "missing.ts" } }, { ...text("ENOENT"), isError: true }))).toEqual(
    [],
  );
});

test("LED7 a command that was stopped or still runs opens and closes nothing", () => {
  expect(open(bashCallEntries("make", { ...text("Command aborted"), isError: true }))).toEqual([]);
  expect(open(userBashEntry("make", { cancelled: true, exitCode: null }))).toEqual([]);
  expect(open(failing("make"), bashCallEntries("make", { details: { exitCode: null } }))).toHaveLength(1);
});

test("LED7 a failed change of a file is closed by any change of that file", () => {
  const refused = { ...text("a.ts has changed since it was read\nread it again"), isError: true };
  expect(open(change("a.ts", refused))).toEqual(["a.ts: a.ts has changed since it was read"]);
  expect(open(change("a.ts", refused), change("b.ts", {}))).toHaveLength(1);
  expect(open(change("a.ts", refused), change("a.ts", {}))).toEqual([]);
  expect(open(change("a.ts", refused), bashCallEntries("sed -i s/a/b/ a.ts"))).toEqual([]);
  expect(open(change("a.ts", refused), toolCallEntries({ arguments: { path: "a.ts", content: "" } }, {}))).toEqual([]);
});

test("LED7 an error of another tool is closed by its next success", () => {
  const fetched = (result: EntryFields): Work =>
    toolCallEntries({ name: "fetch", arguments: { url: "x" } }, { toolName: "fetch", ...result });
  const refused = { ...text("HTTP 404"), isError: true };
  expect(open(fetched(refused))).toEqual(["fetch: HTTP 404"]);
  expect(open(fetched(refused), fetched({}))).toEqual([]);
});

describe("LED7 the text of an error", () => {
  const textOf = (output: string): string | undefined => open(failing("./a", output))[0]?.slice("./a: ".length);

  test("LED7 is its last two error lines, each kind once", () => {
    const output = "error: one\nError: two\nfatal: line 1\nfatal: line 2\nand on";
    expect(textOf(output)).toBe("Error: two … fatal: line 2");
  });

  test("LED7 is the last line with a word if no line looks like an error", () => {
    expect(textOf("one\nit went wrong\n\n}\n")).toBe("it went wrong");
    expect(textOf("(no output)")).toBe("exit code 1");
  });

  test("LED7 has no color codes and no line breaks, and is short", () => {
    expect(textOf("\u001b[31mError: boom\u001b[0m")).toBe("Error: boom");
    expect(textOf(`Error: ${"x".repeat(900)}`)?.length).toBeLessThanOrEqual(120);
  });
});

test("LED9 a command is shown on one line, without the bodies of here-documents", () => {
  const line = "mkdir -p a && cat > a/b.mjs <<'X'\nimport secret;\nX\n\nnode a/b.mjs";
  expect(open(failing(line))).toEqual(["node a/b.mjs: Error: boom"]);
  const chain = "mkdir -p a && cat > a/b.mjs <<'X' && node a/b.mjs\nimport secret;\nX";
  expect(open(failing(chain))).toEqual(["mkdir -p a && cat > a/b.mjs <<'X' && node a/b.mjs: Error: boom"]);
});

test("LED3 the newest errors are kept", () => {
  const work = Array.from({ length: 40 }, (_, at) => failing(`./run ${at}`));
  expect(open(...work)).toEqual(
    Array.from(
      { length: MAX_LEDGER_ITEMS.errors },
      (_, at) => `./run ${40 - MAX_LEDGER_ITEMS.errors + at}: Error: boom`,
    ),
  );
});

test("LED7 LED10 a success closes the error of a whole line that an earlier version recorded", () => {
  const errors = [
    { kind: "command", source: "git init && ls -la && node --version", text: "fatal: cannot copy" },
    { kind: "command", source: "git add -A && git commit -qm x && git log | head -1", text: "fatal: no email" },
  ] as const;
  const after = createEntries(bashCallEntries("git init"), bashCallEntries("git add b && git commit -m y"));
  expect(collectLedger(after, {}, { ...emptyLedger, errors }).errors).toEqual([]);
});

test("LED7 later runs close errors of an earlier ledger", () => {
  const before = collectLedger(
    createEntries(failing("make"), failing("./a"), change("a.ts", { ...text("no"), isError: true })),
  );
  const after = createEntries(bashCallEntries("make"), change("a.ts", {}));
  expect(collectLedger(after, {}, before).errors).toEqual([{ kind: "command", source: "./a", text: "Error: boom" }]);
});
