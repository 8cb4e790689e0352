/** `node scripts/build-program.ts [FOLDER]`: bundles the program `pith` as it is shipped, split so that a start loads only what it needs. */

import { chmodSync, readFileSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { rolldown } from "rolldown";

const cli = join(import.meta.dirname, "../packages/cli");
const ours = join(cli, "dist/program");
const plainHeaders = join(import.meta.dirname, "../packages/models/src/network/http-request.ts");
const folder = resolve(process.argv[2] ?? ours);
const { version } = JSON.parse(readFileSync(join(cli, "package.json"), "utf8"));

// What an earlier build left would be shipped along. A folder that somebody names is not ours to clear.
if (folder === ours) rmSync(ours, { recursive: true, force: true });
// The terminal library makes a pattern of all emoji when it is loaded, which takes longer than all the rest of it: made with the
// first sign that may be one.
const EMOJI = "const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;";
const LATE_EMOJI = () =>
  "let emoji; const rgiEmojiRegex = { test: (sign) => (emoji ??= new RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(sign) };";
const bundle = await rolldown({
  input: join(cli, "src/launcher.ts"),
  platform: "node",
  logLevel: "warn",
  // The providers' packages touch Node's own before each request, which would load all of its `fetch`.
  transform: { inject: { Headers: [plainHeaders, "PlainHeaders"] }, define: { PITH_VERSION: JSON.stringify(version) } },
  plugins: [{ name: "late-emoji", transform: (code) => code.replace(EMOJI, LATE_EMOJI) }],
});
// Modules that several parts share would each become a file of their own, and a start opens all it needs one by one: what every
// start needs is one file, what every run needs besides is another, and what a screen needs besides that is a third.
const { output: parts } = await bundle.generate({ format: "esm" });
const chunks = parts.filter((part) => part.type === "chunk");
const first = neededBy("src/bin.ts");
const then = neededBy("src/modes/print/print.ts");
const shown = neededBy("src/modes/interactive/interactive.ts");
const { output } = await bundle.write({
  dir: folder,
  format: "esm",
  minify: true,
  codeSplitting: {
    groups: [
      // What waits for the whole run stays out of it: the run would wait for that.
      { name: "start", test: (id) => first.has(id) && id !== join(cli, "src/bin.ts"), priority: 2 },
      { name: "run", test: (id) => then.has(id), priority: 1 },
      { name: "screen", test: (id) => shown.has(id), priority: 0 },
    ],
  },
  // Named so that Node need not find out what they are.
  entryFileNames: "pith.mjs",
  chunkFileNames: "[name]-[hash].mjs",
});
await bundle.close();
const program = join(folder, "pith.mjs");
chmodSync(program, 0o755);
const bytes = output.reduce((sum, file) => sum + (file.type === "chunk" ? Buffer.byteLength(file.code) : 0), 0);
console.log(`${relative(process.cwd(), program)}: ${output.length} files, ${Math.round(bytes / 1000)} KB`);

/** The modules that are loaded with this one, without those that wait for their moment. */
function neededBy(module: string): ReadonlySet<string> {
  const found = chunks.find(({ facadeModuleId }) => facadeModuleId === join(cli, module));
  if (!found) throw new Error(`${module} has no file of its own in the program`);
  const names = new Set([found.fileName]);
  for (const name of names)
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(next);
  return new Set(chunks.filter(({ fileName }) => names.has(fileName)).flatMap(({ moduleIds }) => moduleIds));
}
