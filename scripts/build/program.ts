/** Bundles the program `pith` with all its dependencies, split so that a start loads only what it needs. */

import { chmodSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { writeNoticesAndSbom } from "../release/write-notices.ts";
import { TARGET } from "./library.ts";
import { root } from "./packages.ts";

const cli = join(root, "packages/cli");
const plainHeaders = join(root, "packages/models/src/network/http-request.ts");
/** Where the program is built for publishing. */
export const PROGRAM_FOLDER: string = join(cli, "dist/program");

// The terminal library compiles a pattern of all emoji when it is loaded, which takes longer than the rest of it. Here it is
// compiled with the first character that may be one.
const EMOJI = "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;";
const LATE_EMOJI = () =>
  "let emoji; const rgiEmojiRegex = { test: (sign) => (emoji ??= new RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(sign) };";

/** Writes it to the folder, by default the one that is published. `pith.mjs` starts it. */
export async function buildProgram(folder: string = PROGRAM_FOLDER): Promise<readonly OutputChunk[]> {
  // What an earlier build left would be published along. Another folder is not ours to clear.
  if (folder === PROGRAM_FOLDER) rmSync(dirname(PROGRAM_FOLDER), { recursive: true, force: true });
  const { version } = JSON.parse(readFileSync(join(cli, "package.json"), "utf8"));
  const bundle = await rolldown({
    input: join(cli, "src/launcher.ts"),
    platform: "node",
    logLevel: "warn",
    // Optional, and it finds the executable of the platform beside its own folder.
    external: ["@vscode/ripgrep"],
    transform: {
      target: TARGET,
      // The providers' packages touch Node's own before each request, which would load all of its `fetch`.
      inject: { Headers: [plainHeaders, "PlainHeaders"] },
      define: { PITH_VERSION: JSON.stringify(version) },
    },
    plugins: [{ name: "late-emoji", transform: (code) => code.replace(EMOJI, LATE_EMOJI) }],
  });
  const draft = await bundle.generate({ format: "esm" });
  const chunks = draft.output.filter((part) => part.type === "chunk");
  // Modules that several parts share would each become a file of their own, and a start opens all it needs one by one: what every
  // start needs is one file, what every run needs besides is another, and what a screen needs besides that is a third.
  const start = modulesLoadedWith("src/bin.ts", chunks);
  const run = modulesLoadedWith("src/modes/print/print.ts", chunks);
  const screen = modulesLoadedWith("src/modes/interactive/interactive.ts", chunks);
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    minify: true,
    codeSplitting: {
      groups: [
        // What waits for the whole run stays out of it: the run would wait for that.
        { name: "start", test: (id) => start.has(id) && id !== join(cli, "src/bin.ts"), priority: 2 },
        { name: "run", test: (id) => run.has(id), priority: 1 },
        { name: "screen", test: (id) => screen.has(id), priority: 0 },
      ],
    },
    // Named so that Node need not find out what they are.
    entryFileNames: "pith.mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await bundle.close();
  chmodSync(join(folder, "pith.mjs"), 0o755);
  const written = output.filter((part) => part.type === "chunk");
  writeNoticesAndSbom({ chunks: written, folder, package: cli });
  return written;
}

/** The modules that are loaded together with this one, without those that are imported later. */
function modulesLoadedWith(module: string, chunks: readonly OutputChunk[]): ReadonlySet<string> {
  const found = chunks.find(({ facadeModuleId }) => facadeModuleId === join(cli, module));
  if (!found) throw new Error(`${module} has no file of its own in the program`);
  const names = new Set([found.fileName]);
  for (const name of names)
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(next);
  return new Set(chunks.filter(({ fileName }) => names.has(fileName)).flatMap(({ moduleIds }) => moduleIds));
}
