/** All that happens in a session is told to whoever shows it and to its extensions. */

import type { Extensions, Listen } from "@pith/agent";
import { choicesTold, type Speaking } from "./choices-told.ts";

/** Whoever reads slowly is waited for, and extensions are not. */
export function heardBy(listen: Listen | undefined, extensions: Extensions, speaking: Speaking): Listen {
  const told = choicesTold(extensions, speaking);
  return (event) => {
    void extensions.listen(event);
    void told(event);
    return listen?.(event);
  };
}
