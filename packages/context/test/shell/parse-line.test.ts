/** Tests shell/parse-line.ts: what it parses, what it rejects, and that another bash parser agrees. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are variables of a shell.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { forEachChild, parse, type SyntaxNode } from "unbash";
import { describe, expect, test } from "vitest";
import type { ShellCommand } from "../../src/shell/parse-line.ts";
import { parseShellLine } from "../../src/shell/parse-line.ts";
import { expectLinearTime } from "../support/expect-speed.ts";

const written = ({
  operator,
  depth,
  words,
  assignments: settings,
  inputPaths: readsFrom,
  outputPaths: writesTo,
  heredocBodies: inputs,
}: ShellCommand): string =>
  [
    `${depth}${operator === "\n" ? "↵" : operator}`,
    ...settings.map(({ name, value }) => `${name}=${value}`),
    ...words.map((word) => (word === null ? "?" : JSON.stringify(word).slice(1, -1))),
    ...readsFrom.map((word) => `<${word}`),
    ...writesTo.map((word) => `>${word}`),
    ...inputs.map((word) => `<<${JSON.stringify(word)}`),
  ].join(" ");

describe("SHELL1 a line becomes its commands, with their words, operators, depth and redirections", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["", []],
    ["# nothing", []],
    ["ls -la 'a b' \"c\"d \\e", ["0 ls -la a b cd e"]],
    ["a && b || c; d & e | f |& g\nh", ["0 a", "0&& b", "0|| c", "0; d", "0& e", "0| f", "0|& g", "0↵ h"]],
    ["CI=1 X=$Y npm test", ["0 CI=1 X=null npm test"]],
    ["x=(a\nb) y", ["0 x=null y"]],
    ["echo $(a; b) `c` <(d)", ["1 a", "1; b", "1 c", "1 d", "0 echo ? ? ?"]],
    ["(a; (b)) > f", ["1 a", "2; b", "0 >f"]],
    ["{ a; } < f", ["0 a", "0 <f"]],
    ["cat <a >b 2>>c &>d 2>&1 >&-", ["0 cat <a >b >c >d"]],
    ["cat <<'E' > f; b\n$x `y`\nE\nc", ['0 cat >f <<"$x `y`\\n"', "0; b", "0↵ c"]],
    ["cat <<-E\n\ta $(b)\n\tE", ["0 cat <<null", "1 b"]],
    ["cat <<A <<\\B\na\nA\nb\nB\n", ['0 cat <<"a\\n" <<"b\\n"']],
    ["cat <<< 'a b'", ['0 cat <<"a b"']],
    ["if a; then b; elif c; then d; else e; fi", ["0 a", "0; b", "0; c", "0; d", "0; e"]],
    ["for f in *.ts $(a); do b $f; done | c", ["1 a", "0; b ?", "0| c"]],
    ["while read -r l; do a; done < f", ["0 read -r l", "0; a", "0 <f"]],
    ["case $x in a|b) c;; (*) d; esac", ["0 c", "0; d"]],
    ["! a; time -p b", ["0 a", "0; b"]],
    ["[ -f a ] && [[ -n $b && c == *.d ]]", ["0 [ -f a ]", "0&& [[ -n ? && c == ?"]],
    ["echo $((1 + (x * 2))) $(( $(a) ))", ["1 a", "0 echo ? ?"]],
    ["echo ${x} ${#x} ${x%.ts} ${x:-a b} ${x//a/b}", ["0 echo ? ? ? ? ?"]],
    ["git st\\\natus \\\n -s", ["0 git status -s"]],
    ["echo $'a\\x62\\n' $'\\u00e9'", ["0 echo ab\\n é"]],
    ["cat ~/a b~ c=~/d ~e", ["0 cat ~/a b~ c=~/d ?"]],
    ["a # b\nc", ["0 a", "0↵ c"]],
    ["git commit -m \"$(cat <<'E'\nit's (odd\nE\n)\"", ['1 cat <<"it\'s (odd\\n"', "0 git commit -m ?"]],
  ];
  test.each(cases)("SHELL1 %j", (line, commands) => {
    expect(parseShellLine(line)?.commands.map(written)).toEqual(commands);
  });

  test("the outline leaves out the bodies of here-documents, and nothing else", () => {
    expect(parseShellLine("cat <<'E' > a\nb\nE\nc <<D\nd\nD")?.outline).toBe("cat <<'E' > a\nc <<D\n");
    expect(parseShellLine("a '<<E'\nb")?.outline).toBe("a '<<E'\nb");
  });

  test("the known prefix of a word ends at its first expansion", () => {
    expect(parseShellLine('a --b=$C d"e$F"g *h')?.commands[0]?.knownPrefixes).toEqual(["a", "--b=", "de", ""]);
  });
});

describe("SHELL2 an ambiguous part makes the whole line unreadable", () => {
  test.each([
    "echo 'a",
    'echo "a',
    "echo `a",
    "echo $(a",
    "a )",
    "a ;; b",
    "a && ",
    "| a",
    "a \\\u0000",
    "a\u00a0b",
    "a\r",
    "f() { a; }",
    "function f { a; }",
    "coproc a",
    "select x in a; do b; done",
    "((x))",
    "for ((;;)); do a; done",
    "[[ a =~ b ]]",
    "a[x]=1",
    "x=([a]=b)",
    "echo $[1]",
    'echo $"a"',
    "echo ${!x}",
    "echo ${x@P}",
    "echo ${x:-$(a)}",
    "echo ${x[0]}",
    "echo $((a[0]))",
    "echo $((a) )",
    "echo @(a|b)",
    "exec {x}>f",
    "i\\\nf a; then b; fi",
    "echo 2\\\n>f",
    "echo $\\\n(a)",
    'echo "$\\\n(a)"',
    "cat <<E\na",
    "cat <<E\na\\\nE\n",
    "cat <<$E\na\n$E\n",
    "cat <<E $(b)\nE\n",
    "echo $(cat <<E\na\nE)\nE\n)",
    "fi",
    "if a; done",
    "{ a }",
    "a".repeat(200_001),
    `${"$(".repeat(30)}a${")".repeat(30)}`,
    `${"{ ".repeat(30)}a${"; }".repeat(30)}`,
    "a;".repeat(5_001),
  ])("SHELL2 %j", (line) => {
    expect(parseShellLine(line)).toBeNull();
  });

  test("SHELL2 parsing takes linear time", () => {
    const slow = [
      "`",
      "$(",
      "((",
      '"',
      "'",
      "\\\n",
      "<<E\n",
      "${x:-",
      "$((",
      "{ ",
      "case a in ",
      "a=(",
      "[[ ",
      "2>",
      "a;",
      "x ",
      "#",
      "~",
      "[",
      "$'\\",
    ];
    for (const piece of slow) {
      const line = (length: number) => piece.repeat(length / piece.length);
      const [small, large] = [line(40_000), line(160_000)];
      expectLinearTime(
        () => parseShellLine(small),
        () => parseShellLine(large),
      );
    }
  });
});

/** The words of every simple command, as unbash parses them. */
function unbashCommands(line: string): readonly (readonly string[])[] | null {
  const found: string[][] = [];
  let hasError = false;
  const visit = (node: SyntaxNode): void => {
    if ("errors" in node && (node.errors?.length ?? 0) > 0) hasError = true;
    if (node.type === "Command" && node.name) {
      const words = node.args.map((word) =>
        word.type === "Word" ? word.value : `${word.name}=${word.value.type === "Word" ? word.value.value : ""}`,
      );
      found.push([node.name.value, ...words]);
    }
    forEachChild(node, visit);
  };
  visit(parse(line));
  return hasError ? null : found;
}

/** The commands that only one of the two parsers finds. Null if either does not parse the line. */
function differences(line: string): readonly string[] | null {
  const parsed = parseShellLine(line);
  if (parsed === null || MISREAD.test(line)) return null;
  const others = unbashCommands(line);
  // The grammar of `[[ … ]]` is not checked: with a mistake in it bash runs nothing.
  if (others === null) return line.includes("[[") ? null : ["unbash finds a mistake"];
  const rest = [...others];
  const ours = parsed.commands.map(({ words }) => words).filter(([name]) => name !== undefined && name !== "[[");
  const missing = ours.filter((words) => {
    const at = rest.findIndex(
      (other) => other.length === words.length && words.every((word, index) => word === null || word === other[index]),
    );
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
  return [
    ...missing.map((words) => `ours: ${JSON.stringify(words)}`),
    ...rest.map((words) => `unbash: ${JSON.stringify(words)}`),
  ];
}

/** Bash takes `>&-rm` for two words and `a<(b)` for one; unbash 6.0.3 does not. */
const MISREAD = /[<>]&-[^\s;&|]|[^\s;&|()<>][<>]\(/;

describe("SHELL3 unbash, another bash parser, finds the same commands and words in every parsed line", () => {
  const sets = ["hostile-lines.txt", "fresh-lines.txt"].flatMap((name) => {
    const text = readFileSync(new URL(`../../../agent/test/permissions/${name}`, import.meta.url), "utf8");
    const rows = text.split("\n").filter((row) => row !== "" && !row.startsWith("#"));
    return rows.map((row) => (row.split("\t")[1] ?? "").replaceAll("␤", "\n").replaceAll("␉", "\t"));
  });

  test("in lines that hide commands", () => {
    const different = sets.flatMap((line) => {
      const found = differences(line) ?? [];
      return found.length > 0 ? [{ line, found }] : [];
    });
    expect(different).toEqual([]);
    expect(sets.filter((line) => parseShellLine(line) !== null).length).toBeGreaterThan(sets.length / 2);
  });

  test("in generated lines", () => {
    const tokens = [
      ...["aq", "bq", "cq", " ", " ", " ", "'", '"', "\\", "\n", ";", "&", "|", "&&", "||", "(", ")", "{ ", "; }"],
      ...[
        "$",
        "`",
        "<",
        ">",
        ">&",
        "2>&1",
        ">/dev/null",
        "&>",
        "#",
        "=",
        "*",
        "?",
        "[ ",
        " ]",
        "~",
        "! ",
        "$(",
        "q=1 ",
        "-x",
      ],
      ...[
        "if ",
        "; then ",
        "; fi",
        "; do ",
        "; done",
        "while ",
        "for q in ",
        "case q in ",
        "q) ",
        ";; esac",
        "[[ ",
        " ]]",
      ],
      ...[
        "<<E ",
        "\nE\n",
        "<<'E' ",
        "<<<",
        "$'\\n'",
        "$((1+",
        "))",
        "${q}",
        "${q:-",
        "}",
        "\\\n",
        "time ",
        "é",
        "<(",
        "q=(",
        ",",
        "{",
      ],
    ];
    const line = fc.array(fc.constantFrom(...tokens), { minLength: 1, maxLength: 12 }).map((some) => some.join(""));
    const lines = [...new Set(fc.sample(line, { numRuns: 20_000, seed: 22 }))];
    const understood = lines.filter((each) => (parseShellLine(each)?.commands.length ?? 0) > 0);
    const different = understood.flatMap((each) => {
      const found = differences(each) ?? [];
      return found.length > 0 ? [{ line: each, found }] : [];
    });
    expect(different).toEqual([]);
    expect(understood.length).toBeGreaterThan(500);
  });
});
