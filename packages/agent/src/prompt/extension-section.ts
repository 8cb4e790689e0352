/** The section of what the model is told first that hooks say: it stays until none of them says it any more, whatever else changes. */

import type { SystemMessage } from "@pith/context";

export const EXTENSION = "extension";

/** What is wanted, with what hooks have said before: that is not for the program to take away. */
export function withExtension(wanted: SystemMessage, before: SystemMessage | null): SystemMessage {
  const said = before?.sections?.[EXTENSION];
  return said ? { ...wanted, sections: { ...wanted.sections, [EXTENSION]: said } } : wanted;
}
