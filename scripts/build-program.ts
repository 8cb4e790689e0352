/** `node scripts/build-program.ts [FOLDER] [--readable]`: builds the program `pith` as it is published; with `--readable` not minified, for profiles. */

import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildProgram, PROGRAM_FOLDER } from "./build/program.ts";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { readable: { type: "boolean" } } });
const folder = resolve(positionals[0] ?? PROGRAM_FOLDER);
const chunks = await buildProgram(folder, { minify: values.readable !== true });
const bytes = chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
console.log(`${relative(process.cwd(), folder)}/pith.mjs: ${chunks.length} files, ${Math.round(bytes / 1000)} KB`);
