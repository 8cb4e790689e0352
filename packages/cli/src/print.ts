/** The print mode: the answer goes to the standard output, what happens on the way to the standard error. */

import type { Agent, AgentEvent, RunEnd } from "@pith/agent";

export interface Streams {
  readonly out: (text: string) => void;
  readonly note: (text: string) => void;
}

export async function print(agent: Agent, prompt: string, { out, note }: Streams): Promise<RunEnd> {
  const run = agent.prompt(prompt);
  let answer = "";
  for (;;) {
    const { done, value } = await run.next();
    if (done) {
      out(answer === "" || answer.endsWith("\n") ? answer : `${answer}\n`);
      return value;
    }
    answer = answerOf(value) ?? answer;
    const line = noteOf(value);
    if (line !== null) note(`${line}\n`);
  }
}

/** What was said last, without calling anything, is the answer. */
function answerOf(event: AgentEvent): string | null {
  if (event.type !== "turn_end") return null;
  return event.message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function noteOf(event: AgentEvent): string | null {
  switch (event.type) {
    case "tool_execution_start":
      return `· ${event.call.name} ${shown(event.call.arguments)}`;
    case "tool_execution_end":
      return event.result.isError ? `  failed: ${firstLine(event.result.content)}` : null;
    case "auto_retry_start":
      return `· ${event.errorMessage}; asking again in ${Math.ceil(event.delayMs / 1000)} s`;
    case "compaction_start":
      return "· the context is full: compacting";
    case "compaction_end":
      return compacted(event.result);
    default:
      return null;
  }
}

function compacted(result: Extract<AgentEvent, { type: "compaction_end" }>["result"]): string {
  if (result.type !== "compacted") return `  ${result.type}`;
  const { tokens, by } = result.receipt;
  return `  ${tokens.before} → ${tokens.after} tokens, told by ${by ?? "code"}`;
}

function shown(args: Readonly<Record<string, unknown>>): string {
  const text = Object.values(args)
    .map((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .join(" ");
  const line = text.replace(/\s+/g, " ").replace(/[^\P{C}]/gu, "");
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}

function firstLine(content: readonly { readonly type: string; readonly text?: string }[]): string {
  return (content[0]?.text ?? "").split("\n")[0]?.slice(0, 200) ?? "";
}
