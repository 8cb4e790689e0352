/** `node scripts/build-program.ts [FOLDER]`: builds the program `pith` as it is published. */

import { relative, resolve } from "node:path";
import { buildProgram, PROGRAM_FOLDER } from "./build/program.ts";

const folder = resolve(process.argv[2] ?? PROGRAM_FOLDER);
const chunks = await buildProgram(folder);
const bytes = chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);
console.log(`${relative(process.cwd(), folder)}/pith.mjs: ${chunks.length} files, ${Math.round(bytes / 1000)} KB`);
