/** Adds instructions to branch summaries, and keeps you from leaving a long branch without a summary. */

import type { ExtensionApi } from "@pith/agent";

export default (pith: ExtensionApi): void => {
  pith.on("session_before_tree", ({ preparation }, { ui }) => {
    const { entriesToSummarize, userWantsSummary } = preparation;
    if (!userWantsSummary && entriesToSummarize.length > 200) {
      ui.notify("This would leave more than 200 entries without a summary. Use /tree ID --summary.", "warning");
      return { cancel: true };
    }
    return { customInstructions: "Look at changes to the API's contract.", replaceInstructions: false };
  });
};
