/** What is said to the model: the files that were named, what was piped in, and the words last. */

import type { Content, WorkspaceFiles } from "@pith/agent";
import type { ImageBlock, TextBlock } from "@pith/context";
import { type Mistake, mistake } from "../asking/mistake.ts";
import type { Wish } from "../asking/wish.ts";
import { fileBlocks } from "./file-blocks.ts";
import type { Piped } from "./piped.ts";

type Block = TextBlock | ImageBlock;

export type Said =
  | { readonly type: "said"; readonly content: Content }
  /** So that it goes on with what was left unfinished. */
  | { readonly type: "nothing" }
  | Mistake;

export interface ContentParts {
  readonly files: Pick<WorkspaceFiles, "read">;
  readonly piped: () => Promise<Piped>;
}

export async function contentOf({ words, files: paths, session }: Wish, { files, piped }: ContentParts): Promise<Said> {
  const named: Block[] = [];
  for (const path of paths) {
    const found = await fileBlocks(path, files);
    if (found.type === "mistake") return found;
    named.push(...found.blocks);
  }
  const arrived = await piped();
  if (arrived.type === "mistake") return arrived;
  const blocks = [...named, ...textBlocks(arrived.text, words)];
  if (blocks.length > 0) return { type: "said", content: simply(blocks) };
  if (session.type === "last" || session.type === "named") return { type: "nothing" };
  return mistake('what should it do? pith -p "what to do"');
}

/** Without words, what was piped in is what is said. */
function textBlocks(piped: string, words: string): readonly TextBlock[] {
  const texts = piped === "" || words === "" ? [piped, words] : [`<stdin>\n${piped}\n</stdin>`, words];
  return texts.filter((text) => text !== "").map((text) => ({ type: "text", text }));
}

/** A single text needs no block. */
function simply(blocks: readonly Block[]): Content {
  const [first, ...rest] = blocks;
  return first?.type === "text" && rest.length === 0 ? first.text : blocks;
}
