/** Stands where nobody can speak, for what needs no model: whoever asks it hears what is missing. */

import type { Carried, Model } from "@pith/context";

/** `spoke`: who did in this session, so that it is not taken for another's. */
export function absentModel(missing: string, spoke: Carried["model"] = null): Model {
  return {
    api: "none",
    provider: spoke?.provider ?? "none",
    model: spoke?.modelId ?? "none",
    contextWindow: 0,
    maxTokens: 0,
    async *stream() {
      yield { type: "reply-failed", failure: { kind: "refused", message: missing } };
    },
  };
}
