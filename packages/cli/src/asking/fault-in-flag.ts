/** What is wrong with a flag of the command line, and what to write instead. */

import { type Flag, flags, takes } from "./flags.ts";
import { nearest } from "./nearest.ts";

/** A flag as it was found. */
export interface FoundFlag {
  readonly name: string;
  /** As it was written, with its dashes. */
  readonly rawName: string;
  /** The argument it stands in. */
  readonly written: string;
  readonly value: string | undefined;
  /** Whether the value stands in the same argument. */
  readonly inlineValue: boolean | undefined;
}

/** Null when it is right. */
export function faultIn({ name, rawName, written, value, inlineValue }: FoundFlag): string | null {
  const flag: Flag | undefined = Object.hasOwn(flags, name) ? flags[name as keyof typeof flags] : undefined;
  if (!flag) return unknown(rawName, written);
  if (flag.type === "boolean") return value === undefined ? null : `${rawName} takes nothing, not "${value}"`;
  if (value === undefined || value === "") return `${rawName} takes ${takes[name]}`;
  if (value.startsWith("-") && !inlineValue)
    return `${rawName} takes ${takes[name]}, not "${value}"; if you mean it, write --${name}="${value}"`;
  return null;
}

function unknown(rawName: string, written: string): string {
  if (/\s/.test(written))
    return `"${written}" begins with a dash; to say it, write -- before it: pith -p -- "${written}"`;
  const near = rawName.startsWith("--") ? nearest(rawName, names) : null;
  return `there is no flag ${rawName}${near === null ? "; pith --help names them all" : `; did you mean ${near}?`}`;
}

const names = Object.keys(flags).map((name) => `--${name}`);
