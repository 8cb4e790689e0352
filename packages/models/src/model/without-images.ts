/** A request for a model that cannot see: a text stands where a picture was, since most would refuse the whole request. */

import type { ImageBlock, Message, Request, TextBlock } from "@pith/context";

export function withoutImages(request: Request): Request {
  return { ...request, messages: request.messages.map(unseen) };
}

function unseen(message: Message): Message {
  if (message.role !== "user" && message.role !== "toolResult") return message;
  if (typeof message.content === "string" || !message.content.some(({ type }) => type === "image")) return message;
  return { ...message, content: message.content.map(asText) } as Message;
}

function asText(block: TextBlock | ImageBlock): TextBlock | ImageBlock {
  return block.type === "image" ? { type: "text", text: "[an image, which this model cannot see]" } : block;
}
