/** What one message adds to a context, by kind, in tokens by the letter; looked at once, because messages never change. */

import { type AgentMessage, type AssistantMessage, convertToLlm, type ModelName, messageTokens } from "@pith/context";

export interface Kind {
  /** For people. */
  readonly kind: string;
  readonly tokens: number;
}

/** As it is sent to this model; the summary of a compaction and what the system is have places of their own. */
export function messageKinds(message: AgentMessage, to: ModelName | undefined): readonly Kind[] {
  const name = to === undefined ? "" : `${to.provider}/${to.model}`;
  const known = memory.get(message);
  if (known?.name === name) return known.kinds;
  const kinds = kindsIn(message, to);
  memory.set(message, { name, kinds });
  return kinds;
}

interface Known {
  readonly name: string;
  readonly kinds: readonly Kind[];
}

const memory = new WeakMap<AgentMessage, Known>();

function kindsIn(message: AgentMessage, to: ModelName | undefined): readonly Kind[] {
  switch (message.role) {
    case "system":
    case "compactionSummary":
      return [];
    case "user":
      return typeof message.content === "string" && message.content.trim() !== ""
        ? [{ kind: YOURS, tokens: messageTokens(message) }]
        : sentAs(YOURS, message, to);
    case "assistant":
      return replyKinds(message, to);
    case "toolResult":
      return isSound(message.content)
        ? [{ kind: `${RESULTS}${message.toolName}`, tokens: messageTokens(message) }]
        : sentAs(`${RESULTS}${message.toolName}`, message, to);
    case "bashExecution":
      return sentAs("your commands", message, to);
    case "custom":
      return sentAs("notes", message, to);
    case "branchSummary":
      return sentAs("branches that were left", message, to);
  }
}

const RESULTS = "results of ";
const YOURS = "your messages";

/** Files are not checked block by block, and what nobody knows is not sent. */
function isSound(content: readonly { readonly type: string; readonly text?: unknown }[]): boolean {
  return content.length > 0 && content.every((block) => block?.type === "text" && typeof block.text === "string");
}

function sentAs(kind: string, message: AgentMessage, to: ModelName | undefined): readonly Kind[] {
  const tokens = convertToLlm([message], to).reduce((sum, sent) => sum + messageTokens(sent), 0);
  return tokens === 0 ? [] : [{ kind, tokens }];
}

/** A reply alone stands behind a question that was made up for it, and before results that were. */
function replyKinds(message: AssistantMessage, to: ModelName | undefined): readonly Kind[] {
  const sent = convertToLlm([message], to).find(({ role }) => role === "assistant");
  if (sent?.role !== "assistant") return [];
  const [only, ...more] = sent.content;
  if (only && more.length === 0) return [{ kind: replies[only.type], tokens: messageTokens(sent) }];
  return sent.content.map((block) => ({
    kind: replies[block.type],
    tokens: messageTokens({ ...sent, content: [block] }),
  }));
}

const replies = { text: "replies", thinking: "thinking", toolCall: "calls of tools" } as const;
