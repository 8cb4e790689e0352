/** Assembles the extensions of a session. The code for it is loaded lazily, only where there are extensions. */

import type { CreateExtensionsOptions } from "./assemble-extensions.ts";
import type { ExtensionModule, Extensions } from "./extensions.ts";

/** Runs the functions of all extensions, and puts together what counts of it. It does not fail: what went wrong is in its notes. */
export async function createExtensions(
  modules: readonly ExtensionModule[],
  options: CreateExtensionsOptions,
): Promise<Extensions> {
  const { assembleExtensions } = await import("./assemble-extensions.ts");
  return await assembleExtensions(modules, options);
}
