/** Logs: a time, numbers and ids in every line. */

import { between, type Random } from "@pith/bench/random";
import { digits, filled, pick } from "../languages/filled.ts";
import { enough, type Output, type OutputParts } from "./output.ts";

export function log({ language, letters, next }: OutputParts): Output {
  const lead = pick(leads, next);
  const begun = Date.UTC(2026, 4, 3) + between(next, 0, 9e8);
  const line = (text: string, at: number): string =>
    `${lead(new Date(begun + at * 4_000 + between(next, 3, 3_900)), next)} ${text}`;
  return {
    before: "",
    pieces: enough(letters, (at) => line(filled(pick(language.logs, next), language, next), at)),
    between: "\n",
    after: "\n",
    planted: (text, at) => (/^\[?\d{4}-\d\d/.test(text) ? text : line(text, at)),
  };
}

type Lead = (time: Date, next: Random) => string;

const leads: readonly Lead[] = [
  (time, next) => `${time.toISOString()} ${pick(levels, next)} [${pick(sources, next)}-${between(next, 1, 16)}]`,
  (time, next) =>
    `[${time.toISOString().slice(0, 19).replace("T", " ")}] ${pick(levels, next)} ${pick(sources, next)}:`,
  (time, next) => `${time.getTime()} ${digits(next, 16, 12)} ${pick(sources, next)} |`,
];

const levels = "INFO INFO INFO INFO INFO INFO DEBUG DEBUG WARN".split(" ");
const sources = ["http", "worker", "db", "cache", "mail"];
