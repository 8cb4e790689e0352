/** A program as it would be shipped: one bundle, started through a first file that lets V8 keep what it compiled. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

// Named so that Node need not find out what they are.
const names = { entryFileNames: "program.mjs", chunkFileNames: "[name]-[hash].mjs" };

/** Returns the file to start. */
export async function bundled(program: string, folder: string): Promise<string> {
  const bundle = await rolldown({ input: program, platform: "node", logLevel: "silent" });
  await bundle.write({ dir: join(folder, "bundle"), format: "esm", minify: true, ...names });
  await bundle.close();
  const start = join(folder, "start.mjs");
  const cache = join(folder, "compiled");
  writeFileSync(
    start,
    `import { enableCompileCache } from "node:module";\nenableCompileCache(${JSON.stringify(cache)});\nawait import("./bundle/program.mjs");\n`,
  );
  return start;
}
