/** Runs before a package is packed, in its folder: builds it, and refuses npm, which would pack a package that cannot be installed. */

import { buildLibrary } from "./build/library.ts";
import { isProgram, readPackage } from "./build/packages.ts";
import { buildProgram } from "./build/program.ts";

const agent = process.env.npm_config_user_agent ?? "";
if (!agent.startsWith("pnpm/")) {
  console.error("npm leaves `workspace:` ranges and TypeScript entry points in the package; nothing was packed.");
  console.error("Pack with `pnpm pack:packages FOLDER`, and publish the tarballs: see docs/releasing.md.");
  process.exit(1);
}
const currentPackage = readPackage(process.cwd());
await (isProgram(currentPackage) ? buildProgram() : buildLibrary(currentPackage));
