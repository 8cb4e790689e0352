/** What a server answered, as a result for the model: texts, pictures that models take, and words for all that they do not. */

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ToolOutput } from "@pith/agent";
import type { ImageBlock, TextBlock } from "@pith/context";
import { plain } from "../../printing/plain.ts";
import { pictureIn } from "../../prompting/picture-in.ts";

export function outputOf({ content = [], structuredContent, isError }: CallToolResult): ToolOutput {
  const blocks = content.slice(0, MOST_BLOCKS).map(blockOf);
  const rest = content.length > MOST_BLOCKS ? [text(`(${content.length - MOST_BLOCKS} more parts are left out)`)] : [];
  const all = [...blocks, ...rest, ...structured(structuredContent, blocks)];
  return { content: all.length === 0 ? [text("(it answered nothing)")] : all, ...(isError && { isError }) };
}

const MOST_BLOCKS = 50;

function blockOf(block: ContentBlock): TextBlock | ImageBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return (
        pictureIn(block.data) ??
        text(`(a picture that cannot be shown: ${block.mimeType}, ${block.data.length} letters)`)
      );
    case "audio":
      return text(`(sound that cannot be heard here: ${block.mimeType})`);
    case "resource_link":
      return text(`${block.name}: ${block.uri}`);
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return text(`${resource.uri}\n${resource.text}`);
      return (
        pictureIn(resource.blob) ?? text(`(${resource.uri}: bytes that are no text, ${resource.blob.length} letters)`)
      );
    }
  }
}

/** Most servers say the same as text already. */
function structured(value: unknown, blocks: readonly (TextBlock | ImageBlock)[]): readonly TextBlock[] {
  if (value === undefined) return [];
  const whole = JSON.stringify(value);
  const isSaid = blocks.some((block) => block.type === "text" && compact(block.text) === whole);
  return isSaid ? [] : [text(whole)];
}

function compact(said: string): string | null {
  try {
    return JSON.stringify(JSON.parse(said));
  } catch {
    return null;
  }
}

function text(said: string): TextBlock {
  return { type: "text", text: plain(said) };
}
