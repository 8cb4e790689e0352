/** Which subcommand is meant by what was typed. */

import { expect, test } from "vitest";
import { findSubcommand } from "../../../src/subcommands/calling/find-subcommand.ts";
import { subcommands } from "../../../src/subcommands/subcommands.ts";

test.each([
  [["sessions", "list", "--all"], { subcommand: { name: "sessions list" }, rest: ["--all"] }],
  [["doctor"], { subcommand: { name: "doctor" }, rest: [] }],
  [["sessions"], { type: "group", name: "sessions" }],
  [["sessions", "--help"], { type: "group", rest: ["--help"] }],
  [["sessions", "lsit"], { message: "there is no pith sessions lsit; did you mean pith sessions list?" }],
  [["docter"], { message: expect.stringContaining("did you mean pith doctor?") }],
  [["compcat", "last"], { message: expect.stringContaining("did you mean pith compact?") }],
] as const)("SUB3 %j names a subcommand, or what was meant", (args, found) => {
  expect(findSubcommand(args, subcommands)).toMatchObject(found);
});

test.each([[["explain"]], [["doctor who is it"]], [["docter", "-p"]], [["session", "--mode", "json"]], [[]]])(
  "SUB3 %j is left to the model",
  (args) => {
    expect(findSubcommand(args, subcommands)).toEqual({ type: "none" });
  },
);
