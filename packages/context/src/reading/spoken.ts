/** How each kind of message is put to a model: what it does not know by itself is said as a user message. */

import type {
  AgentMessage,
  BashExecutionMessage,
  CompactionSummaryMessage,
  Message,
  TextBlock,
  UserMessage,
} from "../message.ts";

/** Null for a shell line that the user keeps from the model. */
export function spoken(message: AgentMessage): Message | null {
  switch (message.role) {
    case "system":
    case "user":
    case "assistant":
    case "toolResult":
      return message;
    case "bashExecution":
      return message.excludeFromContext ? null : userText(bashText(message), message.timestamp);
    case "custom":
      return { role: "user", content: message.content ?? [], timestamp: message.timestamp };
    case "compactionSummary":
      return { role: "user", content: summaryBlocks(message), timestamp: message.timestamp };
    case "branchSummary":
      return userText(`${BRANCH_LEAD}\n\n<summary>\n${message.summary}\n</summary>`, message.timestamp);
  }
}

export function userText(text: string, timestamp: number): UserMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp };
}

// Providers keep whole blocks: what stays from one compaction to the next is a block of its own.
function summaryBlocks({ summary, blocks = [] }: CompactionSummaryMessage): readonly TextBlock[] {
  let at = 0;
  const ends = blocks.map((length) => (at += length));
  const starts = [0, ...ends.slice(0, -1)];
  return starts.map((start, index) => {
    const [isFirst, isLast] = [index === 0, index === starts.length - 1];
    const text = summary.slice(start, isLast ? undefined : ends[index]);
    return {
      type: "text",
      text: `${isFirst ? `${SUMMARY_LEAD}\n\n<summary>\n` : ""}${text}${isLast ? "\n</summary>" : ""}`,
    };
  });
}

const SUMMARY_LEAD =
  "Earlier parts of this conversation are no longer shown. This is the record of them; the conversation goes on after it:";

const BRANCH_LEAD = "Another line of this conversation was tried and left. This is the record of it:";

function bashText({ command, output, cancelled, exitCode, truncated, fullOutputPath }: BashExecutionMessage): string {
  const parts = [
    `The user ran \`${command}\` in a shell:`,
    output ? `\`\`\`\n${output}\n\`\`\`` : "(it printed nothing)",
  ];
  if (cancelled) parts.push("(stopped by the user before it ended)");
  else if (exitCode) parts.push(`Exit code: ${exitCode}`);
  if (truncated && fullOutputPath) parts.push(`[shortened; all of the output is in ${fullOutputPath}]`);
  return parts.join("\n\n");
}
