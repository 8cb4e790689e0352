/** Tests ledger/find-checks.ts: which commands are tests, builds and checks, and how one ended. */

import { describe, expect, test } from "vitest";
import { findChecks, findOutcome } from "../../src/ledger/find-checks.ts";
import { expectLinearTime } from "../support/expect-speed.ts";

describe("LED5 tests, builds and checks are recognized by program and subcommand", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["npm test", "test npm test"],
    ["npm run test:unit -- a", "test npm run test:unit -- a"],
    ["pnpm check", "check pnpm check"],
    ["pnpm -C packages/a run lint", "check pnpm -C packages/a run lint"],
    ["yarn build", "build yarn build"],
    ["npm run version:minor", ""],
    ["npm install", ""],
    ["pnpm add vitest", ""],
    ["cargo build --release", "build cargo build --release"],
    ["cargo clippy", "check cargo clippy"],
    ["go test ./...", "test go test ./..."],
    ["go run .", ""],
    ["pytest -q tests", "test pytest -q tests"],
    ["python3 -m pytest", "test python3 -m pytest"],
    ["uv run pytest", "test uv run pytest"],
    ["npx tsc --noEmit", "check npx tsc --noEmit"],
    ["tsc -b", "build tsc -b"],
    ["pnpm exec biome ci .", "check pnpm exec biome ci ."],
    ["node --test test", "test node --test test"],
    ["node build.js", ""],
    ["make", "build make"],
    ["make -j8", "build make -j8"],
    ["make test", "test make test"],
    ["make install", ""],
    ["mvn clean package", "build mvn clean package"],
    ["./gradlew test", "test ./gradlew test"],
    ["cmake --build out", "build cmake --build out"],
    ["timeout 60 vitest run", "test timeout 60 vitest run"],
    ["CI=1 npm test", "test CI=1 npm test"],
    ["scripts/with-env pnpm test", "test scripts/with-env pnpm test"],
    ["echo npm test", ""],
    ["cat test", ""],
    ["git commit -m 'npm test'", ""],
    ["cd packages/a && npm test 2>&1 | tail -5", "test cd packages/a && npm test"],
    ["for i in 1 2; do node --test; done", "test node --test"],
    ["npm run lint && npm test", "check npm run lint, test npm test"],
    ["cat > a.sh <<'X'\nnpm test\nX\n", ""],
    ["", ""],
  ];
  test.each(cases)("LED5 %j", (line, found) => {
    const checks = findChecks(line, 0).map(({ kind, command }) => `${kind} ${command}`);
    expect(checks.join(", ")).toBe(found);
  });
});

describe("LED5 an exit code counts only if it is that of the check", () => {
  const cases: readonly (readonly [string, number, readonly (number | null)[]])[] = [
    ["npm test", 1, [1]],
    ["cd a && npm test", 1, [1]],
    ["npm test && git status", 0, [0]],
    ["npm test && git status", 1, [null]],
    ["npm test | tail -5", 0, [null]],
    ["npm test; git status", 0, [null]],
    ["npm test && git log | head -1", 0, [0]],
    ["(npm test && ls) | tail -5", 0, [null]],
    ["{ npm test && ls; } | tail -5", 0, [null]],
    ["if ./a; then npm test; fi", 0, [null]],
    ["ls && (cd a && npm test)", 0, [0]],
    ['npm test && git commit -m "$(cat a)"', 0, [0]],
    ["npm test || true", 0, [null]],
    ["npm run lint && npm test", 0, [0, 0]],
    ["npm run lint && npm test", 2, [null, 2]],
  ];
  test.each(cases)("LED5 %s, which ends with %i", (line, code, expected) => {
    expect(findChecks(line, code).map(({ exitCode }) => exitCode)).toEqual(expected);
  });
});

describe("LED5 the outcome is the line with the counts", () => {
  const cases: readonly (readonly [string, string, string | null])[] = [
    [
      "node --test",
      "✔ a\nℹ tests 34\nℹ suites 0\nℹ pass 33\nℹ fail 1\nℹ duration_ms 42.1\n\n✖ b\n  [ 201 ]",
      "tests 34, pass 33, fail 1",
    ],
    [
      "the last of several runs",
      "ℹ tests 47\nℹ pass 47\nℹ fail 0\nℹ tests 47\nℹ pass 46\nℹ fail 1",
      "tests 47, pass 46, fail 1",
    ],
    ["TAP", "# tests 3\n# pass 3\n# fail 0", "tests 3, pass 3"],
    ["none at all", "ℹ tests 0\nℹ pass 0\nℹ fail 0", "tests 0"],
    [
      "vitest",
      "\u001b[32m Test Files \u001b[39m 5 passed (5)\n      Tests  196 passed (196)\n   Start at  10:54:04\n   Duration  10.48s",
      "Tests 196 passed (196)",
    ],
    ["pytest", "..F.\n=== 1 failed, 12 passed in 0.34s ===", "=== 1 failed, 12 passed in 0.34s ==="],
    [
      "cargo",
      "test result: ok. 5 passed; 0 failed; finished in 0.00s\n",
      "test result: ok. 5 passed; 0 failed; finished in 0.00s",
    ],
    [
      "jest",
      "Tests: 1 failed, 3 passed, 4 total\nSnapshots: 0 total\nTime: 1.2 s",
      "Tests: 1 failed, 3 passed, 4 total",
    ],
    ["tsc", "a.ts(1,2): error TS1: no\nFound 3 errors in 2 files.", "Found 3 errors in 2 files."],
    ["another language", "12 Tests bestanden, 1 fehlgeschlagen\n", "12 Tests bestanden, 1 fehlgeschlagen"],
    ["versions and times", "> a@1.2.2 build\n> tsc\nat 10:00:01 on 2026-11-16\nsrc/a.ts:12:3", null],
    ["its exit code alone", "(no output)\nCommand exited with code 1", null],
    ["silence", "", null],
  ];
  test.each(cases)("LED5 in the output of %s", (_, output, outcome) => expect(findOutcome(output)).toBe(outcome));

  test.each(["1 ", "tests 1\n", "a", "\n", ": "])("LED3 time is linear: %j", (words) => {
    expectLinearTime(
      () => findOutcome(words.repeat(250_000 / words.length)),
      () => findOutcome(words.repeat(1_000_000 / words.length)),
    );
  });
});
