/** Lets another model, named by PITH_SUMMARY_MODEL, write the summaries. If it is not available, Pith writes them as usual. */

import type { ExtensionApi } from "@pith/agent";
import { convertToLlm, type Model, serializeConversation, type Usage } from "@pith/context";

export default (pith: ExtensionApi): void => {
  pith.on("session_before_compact", async ({ preparation, customInstructions, signal }, { ui }) => {
    const name = process.env.PITH_SUMMARY_MODEL ?? "google/gemini-2.5-flash";
    const model = await pith.openModel(name);
    if (!model) {
      ui.notify(`${name} is not available; Pith writes the summary as usual`, "warning");
      return undefined;
    }
    const { messagesToSummarize, turnPrefixMessages, previousSummary, firstKeptEntryId, tokensBefore } = preparation;
    const conversation = serializeConversation(convertToLlm([...messagesToSummarize, ...turnPrefixMessages]));
    const parts = [
      TASK,
      customInstructions,
      previousSummary && `So far:\n${previousSummary}`,
      `The conversation:\n${conversation}`,
    ];
    const reply = await requestText(model, parts.filter(Boolean).join("\n\n"), signal);
    if (reply === null) return undefined;
    // The summary is validated like any other: it must still contain what the user asked for.
    return { compaction: { ...reply, firstKeptEntryId, tokensBefore, details: { writtenBy: name } } };
  });
};

const TASK = `Summarize this conversation of a user and a coding agent, so that another agent can continue it.
Keep what the user wants, in their words; what was decided and why; which files were read and changed; what is left to do.`;

async function requestText(
  model: Model,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly summary: string; readonly usage: Usage } | null> {
  const messages = [{ role: "user", content: [{ type: "text", text }], timestamp: Date.now() }] as const;
  const request = { system: [], tools: [], thinking: "off", toolChoice: "none", cacheMarks: [] } as const;
  for await (const event of model.stream({ ...request, messages }, { signal })) {
    if (event.type !== "reply-ended") continue;
    const { content, usage } = event.message;
    return { summary: content.map((block) => (block.type === "text" ? block.text : "")).join(""), usage };
  }
  return null;
}
