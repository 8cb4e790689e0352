/** The smallest say in a compaction: a summary without any model, with what matters to you in its details. */

import type { ExtensionApi } from "@pith/agent";
import { convertToLlm, serializeConversation } from "@pith/context";

export default (pith: ExtensionApi): void => {
  pith.on("session_before_compact", ({ preparation }) => {
    const { messagesToSummarize, previousSummary, firstKeptEntryId, tokensBefore, fileOps } = preparation;
    const talk = serializeConversation(convertToLlm(messagesToSummarize));
    // What a person said is kept word for word without us; this is what the model said.
    const said = talk.split("\n").filter((line) => line.startsWith("[Assistant]: "));
    const summary = [previousSummary, "So far, in short:", ...said.map((line) => line.slice(0, 200))]
      .filter(Boolean)
      .join("\n");
    return { compaction: { summary, firstKeptEntryId, tokensBefore, details: { changed: [...fileOps.edited] } } };
  });
};
