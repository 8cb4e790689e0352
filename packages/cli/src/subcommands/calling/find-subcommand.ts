/** Which subcommand the first words of a command line name. */

import { type Mistake, mistake } from "../../asking/mistake.ts";
import { nearest } from "../../asking/nearest.ts";
import type { Subcommand } from "../subcommand.ts";

export type Found =
  | { readonly type: "subcommand"; readonly subcommand: Subcommand; readonly rest: readonly string[] }
  /** Only the first word of several, such as `sessions`. */
  | { readonly type: "group"; readonly name: string; readonly rest: readonly string[] }
  | Mistake
  /** These words are meant for somebody else. */
  | { readonly type: "none" };

export function findSubcommand(args: readonly string[], all: readonly Subcommand[]): Found {
  const [first = "", second = ""] = args;
  const one = all.find(({ name }) => name === first);
  if (one) return { type: "subcommand", subcommand: one, rest: args.slice(1) };
  const group = all.filter(({ name }) => name.startsWith(`${first} `));
  if (first === "" || group.length === 0) return stranger(args, all);
  const two = group.find(({ name }) => name === `${first} ${second}`);
  if (two) return { type: "subcommand", subcommand: two, rest: args.slice(2) };
  if (second === "" || second.startsWith("-")) return { type: "group", name: first, rest: args.slice(1) };
  const words = group.map(({ name }) => name.slice(first.length + 1));
  const near = nearest(second, words);
  const advice = near === null ? `there are ${words.join(", ")}` : `did you mean pith ${first} ${near}?`;
  return mistake(`there is no pith ${first} ${second}; ${advice}`);
}

/** A lone word that is almost a subcommand was meant as one; a sentence, and what is to be printed, was not. */
function stranger(args: readonly string[], all: readonly Subcommand[]): Found {
  const [first = ""] = args;
  const isSaid = args.some((each) => SAYING.test(each)) || /\s/.test(first);
  const near = isSaid ? null : nearest(first, [...new Set(all.map(({ name }) => name.split(" ")[0] ?? name))]);
  if (near === null) return { type: "none" };
  return mistake(`there is no pith ${first}; did you mean pith ${near}? To say it to the model: pith -p "${first}"`);
}

const SAYING = /^(?:-[a-z]*p[a-z]*|--print|--mode.*)$/;
