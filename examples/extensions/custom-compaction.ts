/** Another model writes the summaries: name it in PITH_SUMMARY_MODEL. Where it cannot, Pith's own way is taken. */

import type { ExtensionApi } from "@pith/agent";
import { convertToLlm, type Model, serializeConversation, type Usage } from "@pith/context";

export default (pith: ExtensionApi): void => {
  pith.on("session_before_compact", async ({ preparation, customInstructions, signal }, { ui }) => {
    const name = process.env.PITH_SUMMARY_MODEL ?? "google/gemini-2.5-flash";
    const model = await pith.openModel(name);
    if (!model) {
      ui.notify(`${name} cannot be had, so the summary is written as usual`, "warning");
      return undefined;
    }
    const { messagesToSummarize, turnPrefixMessages, previousSummary, firstKeptEntryId, tokensBefore } = preparation;
    const talk = serializeConversation(convertToLlm([...messagesToSummarize, ...turnPrefixMessages]));
    const parts = [TASK, customInstructions, previousSummary && `So far:\n${previousSummary}`, `The talk:\n${talk}`];
    const written = await asked(model, parts.filter(Boolean).join("\n\n"), signal);
    if (written === null) return undefined;
    // It is checked like any other: what the user asked for must still be in it.
    return { compaction: { ...written, firstKeptEntryId, tokensBefore, details: { writtenBy: name } } };
  });
};

const TASK = `Summarise this talk of a person and a coding agent, so that another one can go on with it.
Keep what the person wants, in their words; what was decided and why; which files were read and changed; what is left to do.`;

async function asked(
  model: Model,
  text: string,
  signal: AbortSignal,
): Promise<{ readonly summary: string; readonly usage: Usage } | null> {
  const messages = [{ role: "user", content: [{ type: "text", text }], timestamp: Date.now() }] as const;
  const bare = { system: [], tools: [], thinking: "off", toolChoice: "none", cacheMarks: [] } as const;
  for await (const event of model.stream({ ...bare, messages }, { signal })) {
    if (event.type !== "reply-ended") continue;
    const { content, usage } = event.message;
    return { summary: content.map((block) => (block.type === "text" ? block.text : "")).join(""), usage };
  }
  return null;
}
