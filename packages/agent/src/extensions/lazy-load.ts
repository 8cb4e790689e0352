/** Assembles the extensions of a session. The code for it is loaded lazily, only where there are extensions. */

import type { Extensions, NamedExtension } from "./extensions.ts";
import type { AssemblyParts } from "./load.ts";

/** Runs the functions of all extensions, and puts together what counts of it. It does not fail: what went wrong is in its notes. */
export async function assembledExtensions(named: readonly NamedExtension[], parts: AssemblyParts): Promise<Extensions> {
  const { putTogether } = await import("./load.ts");
  return await putTogether(named, parts);
}
