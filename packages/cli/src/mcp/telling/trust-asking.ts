/** The question whether tools are trusted: no stands first, so that whoever presses Enter without reading has trusted nothing. */

import type { ExtensionUi } from "@pith/agent";
import type { Confirm } from "../pins/admit.ts";

export function trustAsking(ui: Pick<ExtensionUi, "select">): Confirm {
  return async (title, message, asking) => (await ui.select(`${title}\n${message}`, [NO, YES], asking)) === YES;
}

const NO = "No, not now";
const YES = "Yes, use these tools";
