/** Generates texts that programs print and read (listings, logs, sources), and texts without words (encoded bytes, digests, ids). */

import { type Random, randomInteger } from "../random.ts";
import {
  generateList,
  pick,
  randomFileName,
  randomIdentifier,
  randomLetters,
  randomPathName,
  randomSentence,
} from "./random-text.ts";

export const listingTexts: Readonly<Record<string, (random: Random) => string>> = {
  "ls -la": (random) => generateList(500, () => listingLine(random)).join("\n"),
  processes: (random) => generateList(300, () => processLine(random)).join("\n"),
  "program log": (random) => generateList(400, () => logLine(random)).join("\n"),
  "log in JSON": (random) => generateList(300, () => JSON.stringify(logRecord(random))).join("\n"),
  "test run": (random) => generateList(400, () => testLine(random)).join("\n"),
  "search hits": (random) =>
    generateList(
      400,
      () => `${randomPathName(random)}:${randomInteger(random, 1, 900)}:  ${codeStatement(random)}`,
    ).join("\n"),
  "compiler errors": (random) => generateList(300, () => compilerError(random)).join("\n"),
  "stack traces": (random) => generateList(80, () => stackTrace(random)).join("\n\n"),
};

function listingLine(random: Random): string {
  const size = String(randomInteger(random, 20, 4_000_000)).padStart(8);
  const day = `${pick(random, MONTHS)} ${String(randomInteger(random, 1, 28)).padStart(2)}`;
  const time = `${twoDigits(random, 23)}:${twoDigits(random, 59)}`;
  return `-rw${pick(random, ["x", "-"])}r-xr-x  1 root root ${size} ${day} ${time} ${randomFileName(random)}`;
}

function processLine(random: Random): string {
  const [share, memory] = [random() * 9, random() * 5].map((value) => value.toFixed(1));
  const numbers = [randomInteger(random, 10_000, 900_000), randomInteger(random, 900, 90_000)].map((value) =>
    String(value).padStart(7),
  );
  const id = String(randomInteger(random, 1, 60_000)).padStart(7);
  return `root ${id}  ${share}  ${memory} ${numbers.join(" ")} ?  Ssl  ${twoDigits(random, 23)}:${twoDigits(random, 59)}   0:${twoDigits(random, 59)} /usr/bin/${randomPathName(random)} --${randomIdentifier(random)}`;
}

function logLine(random: Random): string {
  const level = pick(random, ["INFO", "WARN", "DEBUG", "ERROR"]);
  return `${randomTime(random)} ${level.padEnd(5)} [${randomIdentifier(random)}] ${randomSentence(random)} (${randomInteger(random, 1, 900)}ms, request ${randomLetters(random, HEX, 8)})`;
}

function logRecord(random: Random): object {
  return {
    level: pick(random, ["info", "warn", "error"]),
    time: randomTime(random),
    module: randomIdentifier(random),
    message: randomSentence(random),
    requestId: randomLetters(random, HEX, 16),
    durationMs: randomInteger(random, 1, 90_000) / 100,
  };
}

function testLine(random: Random): string {
  return `${pick(random, [" ✓", " ✓", " ✓", " ×"])} ${randomPathName(random)} > ${randomSentence(random)} ${randomInteger(random, 1, 300)}ms`;
}

function compilerError(random: Random): string {
  const [one, other] = [randomIdentifier(random), randomIdentifier(random)];
  return `${randomPathName(random)}(${randomInteger(random, 1, 400)},${randomInteger(random, 1, 80)}): error TS${randomInteger(random, 1000, 7999)}: Property '${one}' does not exist on type '${other}'.`;
}

function stackTrace(random: Random): string {
  const location = (): string =>
    `${randomPathName(random)}:${randomInteger(random, 1, 900)}:${randomInteger(random, 1, 90)}`;
  const frames = generateList(
    8,
    () => `    at ${randomIdentifier(random)}.${randomIdentifier(random)} (file:///home/dev/project/${location()})`,
  );
  return [`TypeError: Cannot read properties of undefined (reading '${randomIdentifier(random)}')`, ...frames].join(
    "\n",
  );
}

function codeStatement(random: Random): string {
  return `const ${randomIdentifier(random)} = await ${randomIdentifier(random)}(${randomIdentifier(random)}, { ${randomIdentifier(random)}: true });`;
}

function randomTime(random: Random): string {
  return new Date(1_760_000_000_000 + randomInteger(random, 0, 9_000_000_000)).toISOString();
}

function twoDigits(random: Random, max: number): string {
  return String(randomInteger(random, 0, max)).padStart(2, "0");
}

const HEX = "0123456789abcdef";
const MONTHS = ["Jan", "Mar", "May", "Jul", "Sep", "Nov"];

export const sourceTexts: Readonly<Record<string, (random: Random) => string>> = {
  diff: (random) => generateList(60, () => diffText(random)).join("\n"),
  SQL: (random) => generateList(200, () => sqlInsert(random)).join("\n"),
  manifest: (random) => generateList(60, () => manifestText(random)).join("\n---\n"),
  "tool calls": (random) => generateList(150, () => JSON.stringify(toolCallRecord(random))).join("\n"),
  "Rust source": (random) => generateList(80, () => rustFunction(random)).join("\n\n"),
};

function diffText(random: Random): string {
  const path = randomPathName(random);
  const lines = generateList(
    10,
    () =>
      `${pick(random, ["+", "-", " "])}    const ${randomIdentifier(random)} = ${randomIdentifier(random)}.${randomIdentifier(random)}();`,
  );
  const hunk = `@@ -${randomInteger(random, 1, 400)},7 +${randomInteger(random, 1, 400)},9 @@ function ${randomIdentifier(random)}() {`;
  const ids = `index ${randomLetters(random, HEX, 7)}..${randomLetters(random, HEX, 7)} 100644`;
  return [`diff --git a/${path} b/${path}`, ids, `--- a/${path}`, `+++ b/${path}`, hunk, ...lines].join("\n");
}

function sqlInsert(random: Random): string {
  const values = `${randomInteger(random, 1, 99_999)}, '${randomSentence(random)}', ${(random() * 100).toFixed(2)}, '2025-0${randomInteger(random, 1, 9)}-1${randomInteger(random, 0, 9)}', NULL`;
  return `INSERT INTO ${randomIdentifier(random)}_${randomIdentifier(random)} (id, title, amount, created_at, deleted_at) VALUES (${values});`;
}

function manifestText(random: Random): string {
  const name = `${randomIdentifier(random)}-${randomIdentifier(random)}`.toLowerCase();
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels:
    app: ${name}
spec:
  replicas: ${randomInteger(random, 1, 9)}
  template:
    spec:
      containers:
        - name: ${name}
          image: registry.example/${name}:${randomInteger(random, 0, 9)}.${randomInteger(random, 0, 30)}.${randomInteger(random, 0, 9)}
          ports:
            - containerPort: ${randomInteger(random, 3000, 9000)}`;
}

function toolCallRecord(random: Random): object {
  const edit = {
    oldText: `return ${randomIdentifier(random)};`,
    newText: `return ${randomIdentifier(random)}(${randomIdentifier(random)});\n`,
  };
  return {
    type: "toolCall",
    id: `toolu_${randomLetters(random, HEX, 20)}`,
    name: "edit",
    arguments: { path: randomPathName(random), edits: [edit] },
  };
}

function rustFunction(random: Random): string {
  const [name, argument] = [randomIdentifier(random), randomIdentifier(random)].map((each) =>
    each.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  return `/// ${randomSentence(random)}.
pub fn ${name}(&mut self, ${argument}: Option<&str>) -> Result<Vec<u8>, Error> {
    let mut ${argument}_count = self.${name}_len().saturating_sub(${randomInteger(random, 1, 64)});
    match ${argument} {
        Some(value) if !value.is_empty() => Ok(value.as_bytes().to_vec()),
        _ => Err(Error::new(format!("${randomSentence(random)}: {:?}", ${argument}_count))),
    }
}`;
}

export const encodedTexts: Readonly<Record<string, (random: Random) => string>> = {
  "base64 image": (random) => randomBytes(random, 24_000).toString("base64"),
  "base64 in lines": (random) =>
    (
      randomBytes(random, 24_000)
        .toString("base64")
        .match(/.{1,76}/g) ?? []
    ).join("\n"),
  "web tokens": (random) =>
    generateList(120, () => generateList(3, () => randomBytes(random, 60).toString("base64url")).join(".")).join("\n"),
  digests: (random) => generateList(500, () => randomBytes(random, 32).toString("hex")).join("\n"),
  UUIDs: (random) => generateList(800, () => randomUuid(random)).join("\n"),
  "hex dump": (random) => generateList(500, (index) => hexDumpLine(random, index)).join("\n"),
};

function randomBytes(random: Random, count: number): Buffer {
  return Buffer.from(generateList(count, () => randomInteger(random, 0, 255)));
}

function randomUuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => randomLetters(random, HEX, length)).join("-");
}

function hexDumpLine(random: Random, index: number): string {
  const line = randomBytes(random, 16);
  const printable = line.toString("latin1").replace(/[^\x20-\x7e]/g, ".");
  const pairs = line.toString("hex").match(/.{2}/g) ?? [];
  return `${(index * 16).toString(16).padStart(8, "0")}  ${pairs.join(" ")}  |${printable}|`;
}
