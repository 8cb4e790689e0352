/** Values that look like flags, wherever a value may stand on a command line. */

import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { type CliArgs, flags, parseCliArgs } from "../../../src/args/args.ts";
import { parseCall } from "../../../src/subcommands/parse.ts";
import { trustSubcommand } from "../../../src/subcommands/subcommands.ts";
import { hostileStrings } from "./hostile-strings.ts";

const COUNT = 10_000;
const values = [...hostileStrings.filter(({ length }) => length < 5000), ...fuzzed(COUNT, 20_260_801)].slice(0, COUNT);

describe("PATH9 none of ten thousand values is parsed as a flag", () => {
  test("after --", () => {
    expect(values.filter((value) => !isWished(["-p", "--", value], { prompt: value.trim() }))).toEqual([]);
  });

  test("after = in the argument of its flag", () => {
    const isIts = (value: string): boolean => value === "" || isNamed(["-p", "a", `--session=${value}`], value);
    expect(values.filter((value) => !isIts(value))).toEqual([]);
  });

  test("as the argument after its flag, where it is the value or a mistake", () => {
    const args = (value: string): readonly string[] => ["-p", "a", "--session", value];
    const isRefused = (value: string): boolean => /^--session takes /.test(mistakeIn(args(value)));
    expect(values.filter((value) => !isRefused(value) && !isNamed(args(value), value))).toEqual([]);
    expect(values.filter((value) => value.startsWith("-") && !isRefused(value))).toEqual([]);
  });

  test("after -- in the arguments of a subcommand", () => {
    const isTaken = (value: string): boolean =>
      isDeepStrictEqual(parseCall(trustSubcommand, ["--show", "--", value]), {
        ...{ type: "call", isJson: false, arguments: [value] },
        flags: { show: true },
      });
    expect(values.filter((value) => !isTaken(value))).toEqual([]);
  });
});

function isNamed(args: readonly string[], name: string): boolean {
  return isWished(args, { prompt: "a", session: { type: "named", name } });
}

/** This, and nothing else that a flag could have said. */
function isWished(args: readonly string[], expected: Partial<CliArgs>): boolean {
  const read = parseCliArgs(args);
  return read.type === "args" && isDeepStrictEqual(read.args, { ...silence, ...expected });
}

const silence: CliArgs = silent();

function silent(): CliArgs {
  const read = parseCliArgs(["-p"]);
  if (read.type !== "args") throw new Error("-p alone is no wish");
  return read.args;
}

function mistakeIn(args: readonly string[]): string {
  const read = parseCliArgs(args);
  return read.type === "mistake" ? read.message : "";
}

/** Made of pieces that mean something to those who read command lines; the same for each seed. */
function fuzzed(count: number, seed: number): readonly string[] {
  let state = seed;
  const upTo = (most: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
  const names = Object.keys(flags);
  const pieces = [
    "-",
    "--",
    "=",
    " ",
    "\n",
    "\t",
    "'",
    '"',
    "\\",
    "@",
    "/",
    "..",
    "~",
    "a",
    "\u2014",
    "\u0000",
    "-p",
    ...names,
  ];
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + upTo(6) }, () => pieces[upTo(pieces.length)] ?? "").join(""),
  );
}
