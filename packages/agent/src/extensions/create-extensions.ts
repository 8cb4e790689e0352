/** Loads the code that runs extensions only if there are extensions, to keep the start of the program fast. */

import type { ExtensionModule, Extensions } from "./api.ts";
import type { CreateExtensionsOptions } from "./assemble-extensions.ts";

/** Runs the extensions and collects what they register. Never rejects: `notes` of the result names what was ignored and why. */
export async function createExtensions(
  modules: readonly ExtensionModule[],
  options: CreateExtensionsOptions,
): Promise<Extensions> {
  const { assembleExtensions } = await import("./assemble-extensions.ts");
  return await assembleExtensions(modules, options);
}
