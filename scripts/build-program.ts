/** `node scripts/build-program.ts [FOLDER]`: the program `pith` as it is shipped, in a few files of which a start loads what it needs. */

import { chmodSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";

const cli = join(import.meta.dirname, "../packages/cli");
const ours = join(cli, "dist/program");
const plainHeaders = join(import.meta.dirname, "../packages/models/src/network/http-fetch/plain-headers.ts");
const folder = resolve(process.argv[2] ?? ours);

// What an earlier build left would be shipped along. A folder that somebody names is not ours to clear.
if (folder === ours) rmSync(ours, { recursive: true, force: true });
const bundle = await rolldown({
  input: join(cli, "src/program.ts"),
  platform: "node",
  logLevel: "warn",
  // The providers' packages touch Node's own before each request, which would load all of its `fetch`.
  transform: { inject: { Headers: [plainHeaders, "PlainHeaders"] } },
});
const { output } = await bundle.write({
  dir: folder,
  format: "esm",
  minify: true,
  // Named so that Node need not find out what they are.
  entryFileNames: "pith.mjs",
  chunkFileNames: "[name]-[hash].mjs",
});
await bundle.close();
const program = join(folder, "pith.mjs");
chmodSync(program, 0o755);
const bytes = output.reduce((sum, file) => sum + (file.type === "chunk" ? Buffer.byteLength(file.code) : 0), 0);
console.log(`${relative(process.cwd(), program)}: ${output.length} files, ${Math.round(bytes / 1000)} KB`);
