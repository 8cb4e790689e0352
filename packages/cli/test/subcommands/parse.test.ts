/** Tests subcommands/parse.ts: find subcommand, parse flags. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Subcommand } from "../../src/args/subcommand.ts";
import { findSubcommand, parseCall } from "../../src/subcommands/parse.ts";
import { subcommands } from "../../src/subcommands/subcommands.ts";

describe("find subcommand", () => {
  test.each([
    [["sessions", "list", "--all"], { subcommand: { name: "sessions list" }, rest: ["--all"] }],
    [["doctor"], { subcommand: { name: "doctor" }, rest: [] }],
    [["sessions"], { type: "group", name: "sessions" }],
    [["sessions", "--help"], { type: "group", rest: ["--help"] }],
    [["sessions", "lsit"], { message: "unknown command: pith sessions lsit; did you mean pith sessions list?" }],
    [["frobnicate", "--help"], { message: "unknown command: pith frobnicate; pith --help lists all subcommands" }],
    [["frobnicate", "-h"], { message: "unknown command: pith frobnicate; pith --help lists all subcommands" }],
    [["docter"], { message: expect.stringContaining("did you mean pith doctor?") }],
    [["compcat", "last"], { message: expect.stringContaining("did you mean pith compact?") }],
  ] as const)("SUB3 %j is a subcommand, or a mistake that names the closest one", (args, found) => {
    expect(findSubcommand(args, subcommands)).toMatchObject(found);
  });

  test.each([[["explain"]], [["doctor who is it"]], [["docter", "-p"]], [["session", "--mode", "json"]], [[]]])(
    "SUB3 %j is a prompt for the model",
    (args) => {
      expect(findSubcommand(args, subcommands)).toEqual({ type: "none" });
    },
  );
});

describe("parse flags", () => {
  const copy: Subcommand = {
    name: "copy",
    argumentHint: "FILE [FILE]",
    argumentCount: { min: 1, max: 2 },
    description: "copies",
    jsonShape: "{}",
    flags: {
      to: { type: "string", short: "t", valueHint: "FOLDER", description: "where to" },
      as: { type: "string", valueHint: "KIND", values: ["text", "page", "pi"], description: "what" },
      tag: { type: "string", multiple: true, valueHint: "WORD", description: "marks it" },
      yes: { type: "boolean", short: "y", description: "at once" },
    },
    examples: ["pith copy a"],
    run: async () => ({ type: "success", text: "", data: null }),
  };

  test("SUB1 arguments and flags are parsed by the table of the subcommand", () => {
    const read = parseCall(copy, ["a", "-t", "there", "--tag", "one", "--as=page", "--tag=two", "-y", "b", "--json"]);
    const flags = { to: "there", as: "page", tag: ["one", "two"], yes: true, json: true };
    expect(read).toEqual({ type: "call", isJson: true, arguments: ["a", "b"], flags });
    expect(parseCall(copy, ["a", "--nonsense", "--help"])).toEqual({ type: "help" });
    expect(parseCall(copy, ["--", "--help"])).toMatchObject({ type: "call", arguments: ["--help"] });
  });

  test.each([
    [[], "pith copy requires FILE [FILE]; see pith copy --help"],
    [["a", "b", "c"], 'unexpected argument "c": pith copy takes only FILE [FILE]; see pith copy --help'],
    [["a", "--tto", "x"], "pith copy has no flag --tto; did you mean --to?"],
    [["a", "--whatever"], "pith copy has no flag --whatever; see pith copy --help"],
    [["a", "--to"], "--to requires FOLDER"],
    [["a", "--to", "--yes"], '--to requires FOLDER, not the flag "--yes"; to use it as the value, write --to="--yes"'],
    [["a", "--as", "pdf"], '--as must be text, page or pi, not "pdf"'],
    [["a", "--yes=no"], '--yes takes no value, but got "no"'],
  ] as const)("SUB1 %j is a mistake that says what to write", (args, message) => {
    expect(parseCall(copy, args)).toEqual({ type: "mistake", message });
  });

  test("SUB2 no value is ever parsed as a flag (S9)", () => {
    const property = fc.property(fc.string(), (value) => {
      const behind = parseCall(copy, ["--", value]);
      expect(behind).toMatchObject({ type: "call", arguments: [value], flags: {} });
      fc.pre(value !== "");
      expect(parseCall(copy, [`--to=${value}`, "--", "a"])).toMatchObject({ arguments: ["a"], flags: { to: value } });
    });
    fc.assert(property, { numRuns: 10_000 });
  });
});
