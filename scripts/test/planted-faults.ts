/** One of each fault that check-house finds, with the only place where it is reported and a part of the report. */

import { PROGRAM_NAME } from "../packages.ts";
import {
  architecturePage,
  CONTEXT_SOURCES,
  cleanWorkspace,
  type FaultyFiles,
  faultInConvert,
  faultInMessage,
  sourceFile,
} from "./clean-workspace.ts";

export interface PlantedFault extends FaultyFiles {
  readonly fault: string;
  /** A part of the reported sentence. */
  readonly message: string;
}

const doorFaults: readonly PlantedFault[] = [
  {
    fault: "a package in the wrong direction",
    ...faultInConvert(`import "${PROGRAM_NAME}";`),
    message: "may not import",
  },
  { fault: "a type of it", ...faultInConvert(`import type { A } from "${PROGRAM_NAME}";`), message: "may not import" },
  { fault: "an export of it", ...faultInConvert(`export * from "${PROGRAM_NAME}/screen";`), message: "may not import" },
  {
    fault: "an import of it at run time",
    ...faultInConvert(`await import("${PROGRAM_NAME}");`),
    message: "may not import",
  },
  {
    fault: "a type import of it inside a type",
    ...faultInConvert(`type A = import("${PROGRAM_NAME}").A;`),
    message: "may not import",
  },
  {
    fault: "a package of ours in packages/context",
    ...faultInMessage(`import "@pith/models";`),
    message: "may not import",
  },
  {
    fault: "a path that exports does not name",
    ...faultInConvert(`import "@pith/context/src/entry.ts";`),
    message: "is not an entry point",
  },
  {
    fault: "a package that does not exist",
    files: { "evals/src/run.ts": sourceFile(`import "@pith/nowhere";`) },
    at: "evals/src/run.ts:3",
    message: "is not an entry point",
  },
  {
    fault: "a file that a pattern of exports does not match",
    files: { "evals/src/run.ts": sourceFile(`import "@pith/bench/nowhere";`) },
    at: "evals/src/run.ts:3",
    message: "is not an entry point",
  },
  { fault: "itself by name", ...faultInConvert(`import "@pith/models/convert";`), message: "use a relative path" },
  {
    fault: "a path into another package",
    ...faultInConvert(`import "../../context/src/entry.ts";`),
    message: "leads out of",
  },
  {
    fault: "a path from the examples into a package",
    files: { "examples/01-tree.ts": sourceFile(`import "../packages/context/src/entry.ts";`) },
    at: "examples/01-tree.ts:3",
    message: "leads out of examples",
  },
  {
    fault: "a test double imported by the sources of a package",
    ...faultInConvert(`import "../../context/test/support/story.ts";`),
    message: "leads out of",
  },
  {
    fault: "a test imported by path that is not a test double",
    files: { "evals/src/run.ts": sourceFile(`import "../../packages/context/test/entry.test.ts";`) },
    at: "evals/src/run.ts:3",
    message: "leads out of evals",
  },
  {
    fault: "a package that is not in the table",
    files: { "packages/attic/package.json": `{ "name": "@pith/attic" }` },
    at: "packages/attic:1",
    message: "list in scripts/check-house.ts",
  },
];

const manifest = { name: "@pith/context", exports: { ".": "./src/index.ts", "./node": "./src/node/index.ts" } };

const dependencyFaults: readonly PlantedFault[] = [
  {
    fault: "a dependency",
    files: { "packages/context/package.json": JSON.stringify({ ...manifest, dependencies: { zod: "4" } }) },
    at: "packages/context/package.json:1",
    message: `depends on "zod"`,
  },
  { fault: "an npm package", ...faultInMessage(`import { z } from "zod";`), message: "its own files only" },
  {
    fault: "Node outside src/node",
    ...faultInMessage(`import { join } from "node:path";`),
    message: "only src/node and src/search may",
  },
  {
    fault: "Node in src/testing",
    files: { [`${CONTEXT_SOURCES}/testing/show.ts`]: sourceFile(`import "node:fs";`) },
    at: `${CONTEXT_SOURCES}/testing/show.ts:3`,
    message: "only src/node and src/search may",
  },
  {
    fault: "an npm package in src/node",
    files: { [`${CONTEXT_SOURCES}/node/clock.ts`]: sourceFile(`import "pith-clock";`) },
    at: `${CONTEXT_SOURCES}/node/clock.ts:3`,
    message: "its own files only",
  },
];

const list = [...(cleanWorkspace["ARCHITECTURE.md"] ?? "").matchAll(/`(packages.*?)`/g)].map(([, path = ""]) => path);
const [first = "", , last = ""] = list;

const pathFaults: readonly PlantedFault[] = [
  {
    fault: "no list of the compaction files",
    files: { "ARCHITECTURE.md": architecturePage(list).replace("end of compaction path", "end") },
    at: "ARCHITECTURE.md:1",
    message: "has no list between `<!-- compaction path -->`",
  },
  {
    fault: "no list of the files of a turn",
    files: { "ARCHITECTURE.md": architecturePage(list).replace("end of turn path", "end") },
    at: "ARCHITECTURE.md:1",
    message: "has no list between `<!-- turn path -->`",
  },
  {
    fault: "a file of a turn that does not exist",
    files: { "ARCHITECTURE.md": architecturePage(list, [first, "packages/agent/src/gone.ts"]) },
    at: `ARCHITECTURE.md:${list.length + 8}`,
    message: "packages/agent/src/gone.ts does not exist",
  },
  {
    fault: "a file of a turn that is not connected to an earlier one",
    files: {
      "packages/agent/src/ports.ts": sourceFile("export interface Shell {}\nexport interface Web {}"),
      "packages/agent/src/tool.ts": sourceFile(`import type { Shell } from "./ports.ts";`),
      "packages/agent/src/shell.ts": sourceFile(`import type { Shell } from "./ports.ts";`),
      "packages/agent/src/web.ts": sourceFile(`import type { Web } from "./ports.ts";`),
      "ARCHITECTURE.md": architecturePage(
        list,
        ["tool", "shell", "web"].map((name) => `packages/agent/src/${name}.ts`),
      ),
    },
    at: `ARCHITECTURE.md:${list.length + 9}`,
    message: "packages/agent/src/web.ts has no import in common",
  },
  {
    fault: "a file on the compaction path that is not listed",
    files: { "ARCHITECTURE.md": architecturePage([first, last]) },
    at: "ARCHITECTURE.md:3",
    message: `${CONTEXT_SOURCES}/compaction/compact.ts is on the compaction path; list it`,
  },
  {
    fault: "a file that writes the summary is not listed",
    files: {
      [`${CONTEXT_SOURCES}/summary-parts/model-summarizer.ts`]: sourceFile(
        `import { ask } from "../summary/ask.ts";\nask;`,
      ),
      [`${CONTEXT_SOURCES}/summary/ask.ts`]: sourceFile("export const ask = 1;"),
      "ARCHITECTURE.md": architecturePage([
        ...list.slice(0, 2),
        `${CONTEXT_SOURCES}/summary-parts/model-summarizer.ts`,
        last,
      ]),
    },
    at: "ARCHITECTURE.md:3",
    message: `${CONTEXT_SOURCES}/summary/ask.ts is on the compaction path; list it`,
  },
  {
    fault: "two functions with one name on a path",
    files: {
      "packages/agent/src/compact.ts": sourceFile(
        `import { compact } from "@pith/context";\n\ncompact({});\nfunction plan(): void {}`,
      ),
      [`${CONTEXT_SOURCES}/session/session.ts`]: sourceFile("export class Session {}\nasync function plan() {}"),
    },
    at: `${CONTEXT_SOURCES}/session/session.ts:1`,
    message: "plan is declared in packages/agent/src/compact.ts too, on the same path (compaction path)",
  },
  {
    fault: "a retired word",
    files: { [`${CONTEXT_SOURCES}/compaction/second.ts`]: sourceFile("function planElision(): void {}") },
    at: `${CONTEXT_SOURCES}/compaction/second.ts:3`,
    message: 'planElision uses the retired word "elision"',
  },
  {
    fault: "the file with the compact that the agent calls is not listed",
    files: {
      [`${CONTEXT_SOURCES}/index.ts`]: sourceFile(
        `export { compact } from "./default-compaction.ts";\nexport { role } from "./message.ts";`,
      ),
      [`${CONTEXT_SOURCES}/default-compaction.ts`]: sourceFile(
        `import { compact as run } from "./compaction/compact.ts";\n\nexport const compact = run;`,
      ),
    },
    at: "ARCHITECTURE.md:3",
    message: `${CONTEXT_SOURCES}/default-compaction.ts is on the compaction path; list it`,
  },
  {
    fault: "a listed file that is not on the compaction path",
    files: { "ARCHITECTURE.md": architecturePage([...list.slice(0, 2), `${CONTEXT_SOURCES}/entry.ts`, last]) },
    at: "ARCHITECTURE.md:6",
    message: `${CONTEXT_SOURCES}/entry.ts is not on the compaction path; remove it`,
  },
  {
    fault: "a listed file that does not exist",
    files: { "ARCHITECTURE.md": architecturePage([...list.slice(0, 2), `${CONTEXT_SOURCES}/gone.ts`, last]) },
    at: "ARCHITECTURE.md:6",
    message: "remove it",
  },
  {
    fault: "an item without a path and a sentence",
    files: { "ARCHITECTURE.md": architecturePage(list).replace(": does its part.", "") },
    at: "ARCHITECTURE.md:4",
    message: "is not an item",
  },
  {
    fault: "a file of the agent that does not call compact",
    files: { "packages/agent/src/compact.ts": sourceFile("const all = [];") },
    at: "ARCHITECTURE.md:3",
    message: "does not call compact",
  },
  {
    fault: "a file of the agent that the one before it does not import",
    files: {
      "packages/agent/src/other.ts": sourceFile("compact({});"),
      "ARCHITECTURE.md": architecturePage([first, "packages/agent/src/other.ts", ...list.slice(1)]),
    },
    at: "ARCHITECTURE.md:3",
    message: "is not imported by the file listed before it",
  },
];

const shapeFaults: readonly PlantedFault[] = [
  {
    fault: "code in an index.ts",
    files: { "bench/src/index.ts": `${sourceFile(`export * from "./suite.ts";`)}const more = 1;\n` },
    at: "bench/src/index.ts:4",
    message: "an index.ts contains only",
  },
  {
    fault: "an import in an index.ts",
    files: { "bench/src/index.ts": sourceFile(`import "./suite.ts";`) },
    at: "bench/src/index.ts:3",
    message: "an index.ts contains only",
  },
  ...["", "// A file.\n", "/* A file. */\n", "/** a file */\n", "const a = 1;\n/** A file. */\n"].map((text) => ({
    fault: `no opening sentence: ${JSON.stringify(text)}`,
    files: { "packages/context/test/entry.test.ts": text },
    at: "packages/context/test/entry.test.ts:1",
    message: "does not open with",
  })),
];

const purityFaults: readonly PlantedFault[] = [
  ["const a = Date.now();", "`Date.now`"],
  ["const a = new Date();", "`new Date()`"],
  [`const a = \`\${Math.random()}\`;`, "`Math.random`"],
  ["const a = performance.now();", "`performance.now`"],
  ["const a = globalThis.crypto.randomUUID();", "`globalThis.crypto.randomUUID`"],
  ["const a = process.env;", "`process.env`"],
  [`const a = Buffer.from("a");`, "`Buffer`"],
  ["setTimeout(run);", "`setTimeout`"],
  ["setInterval(run);", "`setInterval`"],
  [`console.log("a");`, "`console.log`"],
].map(([text = "", message = ""]) => ({ fault: text, ...faultInMessage(text), message }));

const HOST_FILE = "packages/host/src/tools.ts";

/** An agent must not learn the home, the environment or the folder from the process that hosts it. */
const processFaults: readonly PlantedFault[] = [
  ["const a = process.env.HOME;", "`process.env`"],
  [`const a = process["env"];`, `\`process["env"]\``],
  ["const a = globalThis.process.cwd();", "`globalThis.process.cwd`"],
  ["process.chdir(a);", "`process.chdir`"],
  ["const { env } = process;", "`{ env } = process`"],
  [`import { env } from "node:process";`, "belongs to the process"],
  [`import { homedir } from "node:os";`, "`homedir`"],
  ["const a = os.homedir();", "`homedir`"],
].map(([text = "", message = ""]) => ({
  fault: `in packages/host: ${text}`,
  files: { [HOST_FILE]: sourceFile(text) },
  at: `${HOST_FILE}:3`,
  message,
}));

const CLI = "packages/cli/src";

const layerFaults: readonly PlantedFault[] = [
  {
    fault: "a mode that imports another one",
    files: {
      [`${CLI}/modes/rpc/rpc.ts`]: sourceFile(""),
      [`${CLI}/modes/acp/acp.ts`]: sourceFile(`import "../rpc/rpc.ts";`),
    },
    at: `${CLI}/modes/acp/acp.ts:3`,
    message: "no mode imports another one",
  },
  {
    fault: "a command that imports a mode",
    files: {
      [`${CLI}/modes/rpc/rpc.ts`]: sourceFile(""),
      [`${CLI}/commands/copy.ts`]: sourceFile(`await import("../modes/rpc/rpc.ts");`),
    },
    at: `${CLI}/commands/copy.ts:3`,
    message: "only main starts a mode",
  },
  {
    fault: "the terminal library outside its adapter",
    files: { [`${CLI}/modes/interactive/screen.ts`]: sourceFile(`import "@earendil-works/pi-tui";`) },
    at: `${CLI}/modes/interactive/screen.ts:1`,
    message: "import it from packages/cli/src/modes/interactive/terminal/pi-tui.ts",
  },
  {
    fault: "a folder of the program without a layer",
    files: {
      [`${CLI}/text/a.ts`]: sourceFile(""),
      [`${CLI}/gadgets/a.ts`]: sourceFile(`import "../text/a.ts";`),
    },
    at: `${CLI}/gadgets/a.ts:1`,
    message: "the folder gadgets has no layer",
  },
];

export const plantedFaults: readonly PlantedFault[] = [
  layerFaults,
  doorFaults,
  dependencyFaults,
  pathFaults,
  shapeFaults,
  purityFaults,
  processFaults,
].flat();
