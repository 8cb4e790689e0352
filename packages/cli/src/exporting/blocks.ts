/** What a message is made of, for readers: words, thoughts, calls, output, pictures. */

import { blobOf, type KeptBlob } from "@pith/context";
import { plain } from "../printing/plain.ts";

export type Block =
  /** With `blob`, it only says what lies elsewhere. */
  | { readonly type: "text"; readonly text: string; readonly blob?: KeptBlob }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly text: string }
  | { readonly type: "output"; readonly text: string }
  /** Base64. */
  | { readonly type: "picture"; readonly data: string; readonly mimeType: string };

/** Of whatever stands there: files are not checked block by block. */
export function blocksOf(content: unknown): readonly Block[] {
  if (Array.isArray(content)) return content.flatMap(shown);
  return typeof content === "string" ? [{ type: "text", text: plain(content) }] : [];
}

function shown(block: Readonly<Record<string, unknown>> | null): readonly Block[] {
  switch (block?.type) {
    case "text": {
      const blob = blobOf(block);
      return [{ type: "text", text: plainly(block.text), ...(blob && { blob }) }];
    }
    case "thinking":
      return block.thinking ? [{ type: "thinking", text: plainly(block.thinking) }] : [];
    case "toolCall":
      return [{ type: "call", name: plainly(block.name), text: plain(JSON.stringify(block.arguments ?? {}, null, 2)) }];
    case "image":
      return isPicture(block.mimeType)
        ? [{ type: "picture", data: plainly(block.data), mimeType: block.mimeType }]
        : [];
    default:
      return [];
  }
}

export function plainly(text: unknown): string {
  return plain(String(text ?? ""));
}

/** A page must not be told by a session what to make of its bytes. */
export function isPicture(mimeType: unknown): mimeType is string {
  return ["image/png", "image/jpeg", "image/gif", "image/webp"].some((known) => known === mimeType);
}
