/** What a summary of a branch you leave should look at; and moves that you would regret are not made. */

import type { ExtensionApi } from "@pith/agent";

export default (pith: ExtensionApi): void => {
  pith.on("session_before_tree", ({ preparation }, { ui }) => {
    const { entriesToSummarize, userWantsSummary } = preparation;
    if (!userWantsSummary && entriesToSummarize.length > 200) {
      ui.notify("this leaves more than 200 entries without a summary; ask for one: /tree ID --summary", "warning");
      return { cancel: true };
    }
    return { customInstructions: "Look at changes of the API's contract.", replaceInstructions: false };
  });
};
