/** Tests shell lines that run a denied program, which never pass without a question, and ordinary lines, few of which need one. */

import { describe, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { actsOnRemote } from "../../src/permissions/classify-commands.ts";
import { allowsCommand, type CommandPattern, matchCommand, parseCommandPattern } from "../../src/permissions/rules.ts";
import { DENY_RULES, findIdleLines, type HostileLine, readHonestLines, readHostileLines } from "./shell-lines.ts";

const built = readHostileLines("hostile-lines.txt");
const fresh = readHostileLines("fresh-lines.txt");
const wrapped = readHostileLines("wrapped-lines.txt");
/** They need programs and rights that not every machine has. */
const runners = readHostileLines("runner-lines.txt");
const shellLines = [...built, ...fresh, ...wrapped];
const all = [...shellLines, ...runners];

/** The same lines with the program's name in a variable of the environment, which only the shell that runs the text knows. */
const hidden = shellLines.flatMap((hostile): readonly HostileLine[] => {
  const line = hostile.line.replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll(/r\\m|r""m|\brm\b/g, "$HIDDEN"));
  // As a program that was quoted, it is no variable.
  const isHidden = line !== hostile.line && !/\br\\?m\b|r""m|r''m|^\$?'/.test(line);
  return isHidden && hostile.denied === "rm" ? [{ ...hostile, line }] : [];
});

const pattern = (text: string): CommandPattern => {
  const parsed = parseCommandPattern(text);
  if (parsed.type === "mistake") throw new Error(parsed.message);
  return parsed;
};

function passesUnasked({ denied, line }: HostileLine): boolean {
  return matchCommand(pattern(`${denied}:*`), line) === "no";
}

describe("SHELL4 no line that runs a denied program is allowed without a question", () => {
  test("among the collected lines", () => {
    expect(all.length).toBeGreaterThanOrEqual(1_700);
    expect(all.filter(passesUnasked).map(({ line }) => line)).toEqual([]);
  });

  test("among lines without the program's name", () => {
    expect(hidden.length).toBeGreaterThan(100);
    expect(hidden.filter(passesUnasked).map(({ line }) => line)).toEqual([]);
  });

  test("with allow rules for the other programs in the line", () => {
    const harmless = ["ls", "echo", "true", "cat", "git log", "git status", "cd", "find", "sed"].map((each) =>
      pattern(`${each}:*`),
    );
    const read = (line: string) => allowsCommand(harmless, line);
    const passing = all.filter(({ line }) => read(line)).map(({ line }) => line);
    // Whoever allows `find` and `sed` with any words allows what these run.
    expect(passing.filter((line) => !/^(?:echo [^;&]*\| )?(?:find|sed) /.test(line))).toEqual([]);
  });

  // Hundreds of processes: all of them with `pnpm test:hostile`, a share of them each time.
  const share = isLong ? 1 : 30;
  const runnable = isLong ? all : shellLines;
  const first = Math.floor(Math.random() * share);

  test("and each of these lines really runs the program in bash", async () => {
    expect(await findIdleLines(runnable.filter((_, at) => at % share === first))).toEqual([]);
  });
});

describe("PERM28 lines that push or publish", () => {
  test.each([
    "npx vitest run src/push.test.ts",
    "chmod +x scripts/build.sh && scripts/build.sh",
    "gcc -o a a.c && ./a",
    "git subtree add --prefix=d o main",
    'node -e "console.log(1)" | head -1',
  ])("%j needs no question", (line) => {
    expect(actsOnRemote(line)).toBe("no");
  });

  const acting = all.filter(({ denied }) => denied === "git push" || denied === "npm publish");

  test("are recognized or need a question, with few exceptions", () => {
    const missed = acting.filter(({ line }) => actsOnRemote(line) === "no").map(({ line }) => line);
    console.log(`${missed.length} of ${acting.length} lines that push or publish are not recognized`);
    expect(acting.length).toBeGreaterThan(200);
    expect(missed.length / acting.length).toBeLessThanOrEqual(0.02);
  });
});

describe("SHELL5 few ordinary commands need a question", () => {
  const rules = DENY_RULES.map(pattern);

  test("with deny rules at most one in ten of recorded commands, without them one in twenty", () => {
    const lines = readHonestLines();
    const unsure = lines.filter((line) => {
      const matches = rules.map((rule) => matchCommand(rule, line));
      return matches.includes("maybe") && !matches.includes("yes");
    });
    const share = unsure.length / lines.length;
    console.log(`${unsure.length} of ${lines.length} honest commands are asked about: ${(share * 100).toFixed(1)}%`);
    expect(lines.length).toBeGreaterThan(400);
    expect(share).toBeLessThanOrEqual(0.1);
    const remote = lines.filter((line) => actsOnRemote(line) === "maybe");
    console.log(`${remote.length} of ${lines.length} honest commands may act on a remote`);
    expect(remote.length / lines.length).toBeLessThanOrEqual(0.05);
  });

  test.each([
    "CI=1 npm test",
    "NODE_ENV=test FORCE_COLOR=0 npx vitest run src",
    "LANG=C sort f | uniq -c",
    "GIT_PAGER=cat git log -3",
    "cat > notes.md <<'EOF'\nText with `code` and $5.\nEOF",
    "cat > a.ts <<EOF\nexport const a = 1;\nEOF\nnpx tsc --noEmit",
    '[ -f a ] && cat a || echo "none"',
    '[[ -n "$X" ]] && echo "$X"',
    'for f in src/*.ts; do wc -l "$f"; done',
    "i=0; while [ $i -lt 3 ]; do i=$((i+1)); done",
    "npm test 2>&1 | tail -20",
    "git add -A && git commit -m 'Do not push yet'",
    "git commit -m \"$(cat <<'EOF'\nFix the lock\n\nIt was held too long.\nEOF\n)\"",
    "sed -n '10,20p;25q' a.ts",
    "sed -i 's/one/e/g;/^$/d' a.ts",
    "sed -E -e 's/a(b)/\\1/' -e '$!N;P;D' a",
    "awk -F, '$1 > 5 || $2 == \"x\" { print $1 }' f",
    "find . -name '*.ts' -not -path './node_modules/*' -exec grep -l x {} +",
    "find src -type f | xargs grep -n todo",
    "tar -xzf a.tgz -C out --strip-components=1",
    "python3 -m pytest -q tests",
    "node --test test/a.test.ts",
    "bash scripts/build.sh --fast",
    "make -j4 test",
    "git -C packages/a log --oneline -5",
    "git diff --stat HEAD~1 -- src",
    "git log --grep=push --format=%s",
    "npx eslint . --fix",
    'timeout 60 npx tsc -p "$P"',
    "case $X in a) ls;; *) pwd;; esac",
    "cp -r a b && ls b",
    "chmod +x run.sh && ./run.sh",
    "bash -eo pipefail scripts/build.sh",
    "python3 -W ignore a.py && python3 --version",
    "node --import tsx a.ts && node -v",
    "sed -l 9 -n p a.ts",
    "make -f ci.mk test",
    "git config user.name ann && git config --get user.email && git config remote.origin.url",
    "git -c merge.conflictstyle=diff3 merge topic",
    "git init d && git -C d status",
    "pnpm --filter @a/b test > out.txt; cat out.txt",
    "node a.js > out.txt && cat out.txt",
  ])("no question for %j", (line) => {
    expect(rules.map((rule) => matchCommand(rule, line))).toEqual(rules.map(() => "no"));
  });
});
