/** A call as it is run: with the true values in its arguments. What the log and the events show of it keeps the placeholders. */

import type { OpenCall } from "../next.ts";
import type { RunParts } from "../run-parts.ts";

export type RestoredCall =
  | { readonly type: "restored"; readonly open: OpenCall }
  /** `why` is told to the model. */
  | { readonly type: "unknown"; readonly why: string };

// SEC6: no placeholder reaches a file, a command or an address.
export async function restoredCall(open: OpenCall, { secrets }: RunParts): Promise<RestoredCall> {
  if (!secrets) return { type: "restored", open };
  const restored = await secrets.restored(open.call.arguments);
  if (restored.type === "unknown") return { type: "unknown", why: unknown(restored.placeholders) };
  return { type: "restored", open: { ...open, call: { ...open.call, arguments: restored.value } } };
}

function unknown(placeholders: readonly string[]): string {
  const stand = placeholders.length === 1 ? "stands for a secret that is" : "stand for secrets that are";
  const read = "read the file that holds it again, or ask the user for it, then repeat the call";
  return `it was not run: ${placeholders.join(", ")} ${stand} not known any more; ${read}`;
}
