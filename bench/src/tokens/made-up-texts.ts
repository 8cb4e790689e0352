/** Makes texts that programs print and read (listings, logs, sources), and texts without words (encoded bytes, digests, ids). */

import { between, type Random } from "../random.ts";
import { fileName, identifier, lettersOf, many, pathName, pick, sentence } from "./random-text.ts";

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

export const sources: Readonly<Record<string, (next: Random) => string>> = {
  diff: (next) => many(60, () => change(next)).join("\n"),
  SQL: (next) => many(200, () => insertion(next)).join("\n"),
  manifest: (next) => many(60, () => manifest(next)).join("\n---\n"),
  "tool calls": (next) => many(150, () => JSON.stringify(call(next))).join("\n"),
  "Rust source": (next) => many(80, () => rustFunction(next)).join("\n\n"),
};

function change(next: Random): string {
  const path = pathName(next);
  const lines = many(
    10,
    () => `${pick(next, ["+", "-", " "])}    const ${identifier(next)} = ${identifier(next)}.${identifier(next)}();`,
  );
  const hunk = `@@ -${between(next, 1, 400)},7 +${between(next, 1, 400)},9 @@ function ${identifier(next)}() {`;
  const ids = `index ${lettersOf(next, HEX, 7)}..${lettersOf(next, HEX, 7)} 100644`;
  return [`diff --git a/${path} b/${path}`, ids, `--- a/${path}`, `+++ b/${path}`, hunk, ...lines].join("\n");
}

function insertion(next: Random): string {
  const values = `${between(next, 1, 99_999)}, '${sentence(next)}', ${(next() * 100).toFixed(2)}, '2025-0${between(next, 1, 9)}-1${between(next, 0, 9)}', NULL`;
  return `INSERT INTO ${identifier(next)}_${identifier(next)} (id, title, amount, created_at, deleted_at) VALUES (${values});`;
}

function manifest(next: Random): string {
  const name = `${identifier(next)}-${identifier(next)}`.toLowerCase();
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels:
    app: ${name}
spec:
  replicas: ${between(next, 1, 9)}
  template:
    spec:
      containers:
        - name: ${name}
          image: registry.example/${name}:${between(next, 0, 9)}.${between(next, 0, 30)}.${between(next, 0, 9)}
          ports:
            - containerPort: ${between(next, 3000, 9000)}`;
}

function call(next: Random): object {
  const edit = {
    oldText: `return ${identifier(next)};`,
    newText: `return ${identifier(next)}(${identifier(next)});\n`,
  };
  return {
    type: "toolCall",
    id: `toolu_${lettersOf(next, HEX, 20)}`,
    name: "edit",
    arguments: { path: pathName(next), edits: [edit] },
  };
}

function rustFunction(next: Random): string {
  const [name, argument] = [identifier(next), identifier(next)].map((each) =>
    each.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  return `/// ${sentence(next)}.
pub fn ${name}(&mut self, ${argument}: Option<&str>) -> Result<Vec<u8>, Error> {
    let mut ${argument}_count = self.${name}_len().saturating_sub(${between(next, 1, 64)});
    match ${argument} {
        Some(value) if !value.is_empty() => Ok(value.as_bytes().to_vec()),
        _ => Err(Error::new(format!("${sentence(next)}: {:?}", ${argument}_count))),
    }
}`;
}

export const noise: Readonly<Record<string, (next: Random) => string>> = {
  "base64 image": (next) => bytes(next, 24_000).toString("base64"),
  "base64 in lines": (next) =>
    (
      bytes(next, 24_000)
        .toString("base64")
        .match(/.{1,76}/g) ?? []
    ).join("\n"),
  "web tokens": (next) => many(120, () => many(3, () => bytes(next, 60).toString("base64url")).join(".")).join("\n"),
  digests: (next) => many(500, () => bytes(next, 32).toString("hex")).join("\n"),
  UUIDs: (next) => many(800, () => uuid(next)).join("\n"),
  "hex dump": (next) => many(500, (at) => dumpLine(next, at)).join("\n"),
};

function bytes(next: Random, count: number): Buffer {
  return Buffer.from(many(count, () => between(next, 0, 255)));
}

function uuid(next: Random): string {
  return [8, 4, 4, 4, 12].map((length) => lettersOf(next, HEX, length)).join("-");
}

function dumpLine(next: Random, at: number): string {
  const line = bytes(next, 16);
  const shown = line.toString("latin1").replace(/[^\x20-\x7e]/g, ".");
  const pairs = line.toString("hex").match(/.{2}/g) ?? [];
  return `${(at * 16).toString(16).padStart(8, "0")}  ${pairs.join(" ")}  |${shown}|`;
}
