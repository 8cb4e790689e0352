/** One of each fault of the house, with the only place where it must be found and words it must be told in. */

import { PROGRAM_NAME } from "../build/packages.ts";
import { context, file, inConvert, inMessage, type Place } from "./clean-house.ts";

export interface Planted extends Place {
  readonly fault: string;
  readonly says: string;
}

const doorFaults: readonly Planted[] = [
  { fault: "a package that the table forbids", ...inConvert(`import "${PROGRAM_NAME}";`), says: "may not import" },
  { fault: "a type of it", ...inConvert(`import type { A } from "${PROGRAM_NAME}";`), says: "may not import" },
  { fault: "an export of it", ...inConvert(`export * from "${PROGRAM_NAME}/screen";`), says: "may not import" },
  { fault: "an import of it at run time", ...inConvert(`await import("${PROGRAM_NAME}");`), says: "may not import" },
  {
    fault: "a type import of it inside a type",
    ...inConvert(`type A = import("${PROGRAM_NAME}").A;`),
    says: "may not import",
  },
  { fault: "a package of ours in the heart", ...inMessage(`import "@pith/models";`), says: "may not import" },
  {
    fault: "a door that only another may use",
    files: { "packages/ai-sdk/src/wide.ts": file(`import "@pith/models";`) },
    at: "packages/ai-sdk/src/wide.ts:3",
    says: "may not import",
  },
  {
    fault: "a path that exports does not name",
    ...inConvert(`import "@pith/context/src/entry.ts";`),
    says: "is no door",
  },
  {
    fault: "a package that does not exist",
    files: { "evals/src/run.ts": file(`import "@pith/nowhere";`) },
    at: "evals/src/run.ts:3",
    says: "is no door",
  },
  { fault: "itself by name", ...inConvert(`import "@pith/models/convert";`), says: "use a relative path" },
  { fault: "a path into another package", ...inConvert(`import "../../context/src/entry.ts";`), says: "leads out of" },
  {
    fault: "a path from the examples into a package",
    files: { "examples/01-tree.ts": file(`import "../packages/context/src/entry.ts";`) },
    at: "examples/01-tree.ts:3",
    says: "leads out of examples",
  },
  {
    fault: "a package that is not in the table",
    files: { "packages/attic/package.json": `{ "name": "@pith/attic" }` },
    at: "packages/attic:1",
    says: "say in scripts/house/doors.ts",
  },
];

const heart = { name: "@pith/context", exports: { ".": "./src/index.ts", "./node": "./src/node/index.ts" } };

const heartFaults: readonly Planted[] = [
  {
    fault: "a dependency",
    files: { "packages/context/package.json": JSON.stringify({ ...heart, dependencies: { zod: "4" } }) },
    at: "packages/context/package.json:1",
    says: `depends on "zod"`,
  },
  { fault: "an npm package", ...inMessage(`import { z } from "zod";`), says: "its own files only" },
  {
    fault: "Node outside src/node",
    ...inMessage(`import { join } from "node:path";`),
    says: "only src/node and src/search may",
  },
  {
    fault: "Node in src/testing",
    files: { [`${context}/testing/show.ts`]: file(`import "node:fs";`) },
    at: `${context}/testing/show.ts:3`,
    says: "only src/node and src/search may",
  },
  {
    fault: "an npm package in src/node",
    files: { [`${context}/node/clock.ts`]: file(`import "pith-clock";`) },
    at: `${context}/node/clock.ts:3`,
    says: "its own files only",
  },
];

const layerFaults: readonly Planted[] = [
  {
    fault: "a layer above",
    files: { [`${context}/session/tree.ts`]: file(`import type { A } from "../context/build-context.ts";`) },
    at: `${context}/session/tree.ts:3`,
    says: "session/ imports context/, a layer above",
  },
  {
    fault: "the root door from inside",
    files: { [`${context}/testing/show.ts`]: file(`import "../index.ts";`) },
    at: `${context}/testing/show.ts:3`,
    says: "testing/ imports index",
  },
  {
    fault: "a file without a layer",
    files: { [`${context}/attic.ts`]: file("") },
    at: `${context}/attic.ts:1`,
    says: "attic has no layer; add it to scripts/house/layers.ts",
  },
  {
    fault: "a folder without a layer",
    files: { [`${context}/attic/box.ts`]: file("") },
    at: `${context}/attic/box.ts:1`,
    says: "attic/ has no layer",
  },
];

const shapeFaults: readonly Planted[] = [
  {
    fault: "a cycle, by types too",
    files: { "bench/src/a.ts": file(`import "./b.ts";`), "bench/src/b.ts": file(`import type { A } from "./a.ts";`) },
    at: "bench/src/a.ts:3",
    says: "bench/src/a.ts → bench/src/b.ts → bench/src/a.ts",
  },
  {
    fault: "a file that imports itself",
    files: { "bench/src/a.ts": file(`export { a } from "./a.ts";`) },
    at: "bench/src/a.ts:3",
    says: "bench/src/a.ts → bench/src/a.ts",
  },
  {
    fault: "code in an index.ts",
    files: { "bench/src/index.ts": `${file(`export * from "./suite.ts";`)}export const more = 1;\n` },
    at: "bench/src/index.ts:4",
    says: "an index.ts is a door",
  },
  {
    fault: "an import in an index.ts",
    files: { "bench/src/index.ts": file(`import "./suite.ts";`) },
    at: "bench/src/index.ts:3",
    says: "an index.ts is a door",
  },
  ...["", "// A file.\n", "/* A file. */\n", "/** a file */\n", "const a = 1;\n/** A file. */\n"].map((text) => ({
    fault: `no opening sentence: ${JSON.stringify(text)}`,
    files: { "packages/context/test/entry.test.ts": text },
    at: "packages/context/test/entry.test.ts:1",
    says: "does not open with",
  })),
];

const purityFaults: readonly Planted[] = [
  ["const a = Date.now();", "`Date.now`"],
  ["const a = new Date();", "`new Date()`"],
  [`const a = \`\${Math.random()}\`;`, "`Math.random`"],
  ["const a = performance.now();", "`performance.now`"],
  ["const a = globalThis.crypto.randomUUID();", "`crypto.`"],
  ["const a = process.env;", "`process.`"],
  [`const a = Buffer.from("a");`, "`Buffer`"],
  ["setTimeout(run);", "`setTimeout`"],
  ["setInterval(run);", "`setInterval`"],
  [`console.log("a");`, "`console.`"],
].map(([text = "", says = ""]) => ({ fault: text, ...inMessage(text), says }));

export const plantedFaults: readonly Planted[] = [
  doorFaults,
  heartFaults,
  layerFaults,
  shapeFaults,
  purityFaults,
].flat();
