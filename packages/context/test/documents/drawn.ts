/** Sessions as the documents draw them: `u1 a1 t1 a1` becomes a session, and its context is drawn with the same letters again. */

import { buildSessionContext } from "../../src/context/build-context.ts";
import type { AgentMessage, AssistantMessage } from "../../src/message.ts";
import type { Session } from "../../src/session/session.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import { sessionOf, words } from "../compaction/small-session.ts";
import { storyteller } from "../told.ts";

/** u is a user message, a one of the assistant, t a tool's result; the entries bear these names, a name's second use a dash. */
export async function drawn(picture: string): Promise<Session> {
  const session = await sessionOf();
  await goesOn(session, picture);
  return session;
}

/** An assistant message calls as many tools as results follow it. */
export async function goesOn(session: Session, picture: string): Promise<void> {
  const names = picture.split(" ");
  const used = (await session.branchEntries()).map(({ id }) => id);
  let calls: readonly string[] = [];
  for (const [at, name] of names.entries()) {
    const id = freeId(name, used);
    used.push(id);
    const results = names.slice(at + 1).findIndex((next) => !next.startsWith("t"));
    if (name.startsWith("a")) calls = callsOf(id, results === -1 ? names.length - at - 1 : results);
    await session.append({ type: "message", id, message: said(name, calls) });
    if (name.startsWith("t")) calls = calls.slice(1);
  }
}

function freeId(name: string, used: readonly string[]): string {
  return used.includes(name) ? freeId(`${name}'`, used) : name;
}

function callsOf(id: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${id}-${at + 1}`);
}

// What the user says is short: it is kept word for word, and the rest is what is saved.
function said(name: string, calls: readonly string[]): AgentMessage {
  const text = { type: "text" as const, text: `${name} ${words(200)}` };
  if (name.startsWith("u")) return { role: "user", content: name, timestamp: 1 };
  if (name.startsWith("t"))
    return {
      role: "toolResult",
      toolCallId: calls[0] ?? "",
      toolName: "look",
      content: [text],
      isError: false,
      timestamp: 1,
    };
  const content: AssistantMessage["content"] = [
    text,
    ...calls.map((id) => ({ type: "toolCall" as const, id, name: "look", arguments: {} })),
  ];
  const stopReason = calls.length > 0 ? "toolUse" : "stop";
  return { role: "assistant", ...storyteller, content, usage: emptyUsage, stopReason, timestamp: 1 };
}

/** The context, a name for each message. */
export function picture({ branch: window }: Session): string {
  return namesOf(buildSessionContext(window).messages);
}

export function namesOf(messages: readonly AgentMessage[]): string {
  return messages.map(nameOf).join(" ");
}

function nameOf(message: AgentMessage): string {
  if (message.role === "compactionSummary") return "[summary]";
  if (message.role === "branchSummary") return "[left]";
  if (message.role === "bashExecution") return "[shell]";
  const [first = ""] = typeof message.content === "string" ? [message.content] : message.content.map(textIn);
  return first.split(" ")[0] ?? "";
}

const textIn = (block: object): string => ("text" in block ? String(block.text) : "");
