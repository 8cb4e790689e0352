/** Bundles the program `pith` with all its dependencies, split so that a start loads only what it needs. */

import { chmodSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { writeNoticesAndSbom } from "../release/write-notices.ts";
import { NODE_TARGET } from "./library.ts";
import { root } from "./packages.ts";
import { fastLoadPlugin, lazyDependenciesPlugin, planChunkGroups } from "./program-files.ts";

const cli = join(root, "packages/cli");
const PLAIN_HEADERS = join(root, "packages/models/src/network/http-request.ts");
/** Where the program is built for publishing. */
export const PROGRAM_FOLDER: string = join(cli, "dist/program");

// The terminal library compiles a pattern of all emoji when it is loaded, which takes longer than the rest of it. Here it is
// compiled with the first character that may be one.
const EMOJI = "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;";
const lateEmoji = () =>
  "let emoji; const rgiEmojiRegex = { test: (sign) => (emoji ??= new RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(sign) };";

/** Writes it to the folder, by default the one that is published. `pith.mjs` starts it. */
export async function buildProgram(
  folder: string = PROGRAM_FOLDER,
  { minify = true }: { readonly minify?: boolean } = {},
): Promise<readonly OutputChunk[]> {
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
      target: NODE_TARGET,
      // The providers' packages touch Node's own before each request, which would load all of its `fetch`.
      inject: { Headers: [PLAIN_HEADERS, "PlainHeaders"] },
      define: { PITH_VERSION: JSON.stringify(version) },
    },
    plugins: [
      { name: "late-emoji", transform: (code) => code.replace(EMOJI, lateEmoji) },
      lazyDependenciesPlugin,
      fastLoadPlugin,
    ],
  });
  const draftBundle = await bundle.generate({ format: "esm" });
  const chunks = draftBundle.output.filter((part) => part.type === "chunk");
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    minify,
    codeSplitting: { groups: [...planChunkGroups(chunks, cli)] },
    // Named so that Node need not find out what they are.
    entryFileNames: "pith.mjs",
    chunkFileNames: "[name]-[hash].mjs",
  });
  await bundle.close();
  chmodSync(join(folder, "pith.mjs"), 0o755);
  const writtenChunks = output.filter((part) => part.type === "chunk");
  writeNoticesAndSbom({ chunks: writtenChunks, folder, packageFolder: cli });
  return writtenChunks;
}
