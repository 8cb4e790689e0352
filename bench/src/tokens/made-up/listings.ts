/** What programs print about files, processes and runs. */

import { between, type Random } from "../../random.ts";
import { lettersOf, many, pick } from "./chance.ts";
import { fileName, identifier, pathName, sentence } from "./words.ts";

export const listings: Readonly<Record<string, (next: Random) => string>> = {
  "ls -la": (next) => many(500, () => listed(next)).join("\n"),
  processes: (next) => many(300, () => running(next)).join("\n"),
  "program log": (next) => many(400, () => logged(next)).join("\n"),
  "log in JSON": (next) => many(300, () => JSON.stringify(record(next))).join("\n"),
  "test run": (next) => many(400, () => tested(next)).join("\n"),
  "search hits": (next) =>
    many(400, () => `${pathName(next)}:${between(next, 1, 900)}:  ${statement(next)}`).join("\n"),
  "compiler errors": (next) => many(300, () => complaint(next)).join("\n"),
  "stack traces": (next) => many(80, () => trace(next)).join("\n\n"),
};

function listed(next: Random): string {
  const size = String(between(next, 20, 4_000_000)).padStart(8);
  const day = `${pick(next, MONTHS)} ${String(between(next, 1, 28)).padStart(2)}`;
  const time = `${two(next, 23)}:${two(next, 59)}`;
  return `-rw${pick(next, ["x", "-"])}r-xr-x  1 root root ${size} ${day} ${time} ${fileName(next)}`;
}

function running(next: Random): string {
  const [share, memory] = [next() * 9, next() * 5].map((value) => value.toFixed(1));
  const numbers = [between(next, 10_000, 900_000), between(next, 900, 90_000)].map((value) =>
    String(value).padStart(7),
  );
  const id = String(between(next, 1, 60_000)).padStart(7);
  return `root ${id}  ${share}  ${memory} ${numbers.join(" ")} ?  Ssl  ${two(next, 23)}:${two(next, 59)}   0:${two(next, 59)} /usr/bin/${pathName(next)} --${identifier(next)}`;
}

function logged(next: Random): string {
  const level = pick(next, ["INFO", "WARN", "DEBUG", "ERROR"]);
  return `${moment(next)} ${level.padEnd(5)} [${identifier(next)}] ${sentence(next)} (${between(next, 1, 900)}ms, request ${lettersOf(next, HEX, 8)})`;
}

function record(next: Random): object {
  return {
    level: pick(next, ["info", "warn", "error"]),
    time: moment(next),
    module: identifier(next),
    message: sentence(next),
    requestId: lettersOf(next, HEX, 16),
    durationMs: between(next, 1, 90_000) / 100,
  };
}

function tested(next: Random): string {
  return `${pick(next, [" ✓", " ✓", " ✓", " ×"])} ${pathName(next)} > ${sentence(next)} ${between(next, 1, 300)}ms`;
}

function complaint(next: Random): string {
  const [one, other] = [identifier(next), identifier(next)];
  return `${pathName(next)}(${between(next, 1, 400)},${between(next, 1, 80)}): error TS${between(next, 1000, 7999)}: Property '${one}' does not exist on type '${other}'.`;
}

function trace(next: Random): string {
  const place = (): string => `${pathName(next)}:${between(next, 1, 900)}:${between(next, 1, 90)}`;
  const frames = many(8, () => `    at ${identifier(next)}.${identifier(next)} (file:///home/dev/project/${place()})`);
  return [`TypeError: Cannot read properties of undefined (reading '${identifier(next)}')`, ...frames].join("\n");
}

function statement(next: Random): string {
  return `const ${identifier(next)} = await ${identifier(next)}(${identifier(next)}, { ${identifier(next)}: true });`;
}

function moment(next: Random): string {
  return new Date(1_760_000_000_000 + between(next, 0, 9_000_000_000)).toISOString();
}

function two(next: Random, most: number): string {
  return String(between(next, 0, most)).padStart(2, "0");
}

const HEX = "0123456789abcdef";
const MONTHS = ["Jan", "Mar", "May", "Jul", "Sep", "Nov"];
