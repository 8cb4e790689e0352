/** Texts and pictures as an editor takes them, and notes of ours among the words of the model. Pure. */

import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { ImageBlock, TextBlock } from "@pith/context";
import type { Abilities } from "./sight.ts";

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

export function contentBlocks(content: string | readonly (TextBlock | ImageBlock)[]): readonly ContentBlock[] {
  if (typeof content === "string") return [textBlock(content)];
  return content.map((block) =>
    block.type === "text" ? textBlock(block.text) : { type: "image", data: block.data, mimeType: block.mimeType },
  );
}

export interface Noted {
  readonly text: string;
  readonly severity?: "info" | "warning" | "error";
}

/** Beside the conversation where the editor has a place for that; else in it, on lines of their own. */
export function noteUpdate({ text, severity = "info" }: Noted, { notices }: Abilities): SessionUpdate {
  const words = text.trim().replace(/^· /, "");
  if (!notices) return { sessionUpdate: "agent_message_chunk", content: textBlock(`\n\n· ${words}\n\n`) };
  const [title = "", ...rest] = words.split("\n");
  const description = rest.join("\n");
  return { sessionUpdate: "notice", severity, title, ...(description !== "" && { description }) };
}
