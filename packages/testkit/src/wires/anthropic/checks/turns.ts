/** A conversation as Anthropic reads it: messages of the same role in a row count as one. */

import { type Json, objectsIn } from "../../shape.ts";

/** What one side says before the other does. */
export interface Turn {
  readonly role: unknown;
  readonly blocks: readonly Json[];
}

export function joined(messages: readonly Json[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content);
    const last = turns.at(-1);
    if (last && last.role === role) turns[turns.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
    else turns.push({ role, blocks });
  }
  return turns;
}
