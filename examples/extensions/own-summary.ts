/** Writes the summary of a compaction without a model, and stores the changed files in its details. */

import type { ExtensionApi } from "@pith/agent";
import { convertToLlm, serializeConversation } from "@pith/context";

export default (pith: ExtensionApi): void => {
  pith.on("session_before_compact", ({ preparation }) => {
    const { messagesToSummarize, previousSummary, firstKeptEntryId, tokensBefore, fileOps } = preparation;
    const conversation = serializeConversation(convertToLlm(messagesToSummarize));
    // Pith keeps the user's messages word for word, so this needs only the model's.
    const replies = conversation.split("\n").filter((line) => line.startsWith("[Assistant]: "));
    const summary = [previousSummary, "So far, in short:", ...replies.map((line) => line.slice(0, 200))]
      .filter(Boolean)
      .join("\n");
    return { compaction: { summary, firstKeptEntryId, tokensBefore, details: { changed: [...fileOps.edited] } } };
  });
};
