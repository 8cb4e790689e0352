/** A page made readable: its title and its text, or only its name where there is nothing to read. */

import { sized } from "../../output.ts";
import { htmlToMarkdown } from "../markdown/html-to-markdown.ts";
import type { WebPage } from "../web.ts";
import { decode } from "./decode.ts";
import { kindOf, mediaType } from "./kind.ts";

export interface Readable {
  readonly url: string;
  readonly status: number;
  /** Empty where nobody says. */
  readonly type: string;
  readonly title: string;
  readonly text: string;
  /** False where the page goes on, but no more of it was taken. */
  readonly isWhole: boolean;
}

export async function readable(page: WebPage, { signal }: { readonly signal: AbortSignal }): Promise<Readable> {
  const { url, status, contentType } = page;
  const { title, text, isWhole } = await contentOf(page, signal);
  return { url, status, type: mediaType(contentType), title: harmless(title), text: harmless(text), isWhole };
}

type Content = Pick<Readable, "title" | "text" | "isWhole">;

async function contentOf(page: WebPage, signal: AbortSignal): Promise<Content> {
  const { url, bytes, contentType, isWhole } = page;
  const kind = kindOf(page);
  switch (kind) {
    case "html": {
      const markdown = await htmlToMarkdown(decode(bytes, contentType), { url, signal });
      return { ...markdown, isWhole: isWhole && markdown.isWhole };
    }
    case "text":
      return { title: "", text: decode(bytes, contentType), isWhole };
    case "picture":
    case "binary": {
      const what = kind === "picture" ? "a picture" : "a binary file";
      const size = isWhole ? sized(bytes.length) : `more than ${sized(bytes.length)}`;
      return { title: "", text: `[${what} of ${size}; it is not shown]`, isWhole: true };
    }
  }
}

/** Without what a screen obeys and what a person does not see: control, direction and tag characters. */
function harmless(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(UNSEEN, "");
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;
