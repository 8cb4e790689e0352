/** Builds the content of a message (files and folders named with @, images and pastes, then the text), and inserts pasted images. */

import { MAX_IMAGE_BYTES, type UserContent, type WorkspaceFiles } from "@pith/agent";
import { nodeFiles, nodeSearch } from "@pith/agent/node";
import type { ImageBlock, TextBlock } from "@pith/context";
import { attachImage, attachText } from "@pith/context/host";
import { type FoundFile, fileBlocks } from "../../../resources/attachments.ts";
import { type Mistake, mistake } from "../../../text/usage-error.ts";
import type { Talking } from "../screen-context.ts";
import { clippedPicture } from "./clipboard.ts";
import { attachedPastes, mentions, type Written } from "./message.ts";

export type WordsSaid = { readonly type: "said"; readonly content: UserContent } | Mistake;

/** What an @ names and is not there is a word like any other. `template` stands in the place of the text. */
export async function wordsSaid(
  { template, ...written }: Written & { readonly template?: readonly (TextBlock | ImageBlock)[] },
  place: { readonly cwd: string },
): Promise<WordsSaid> {
  const { typed, pictures } = written;
  const named = mentions(typed);
  const pastes = template ? [] : attachedPastes(written);
  const text = pastes.length === 0 ? written.text : typed.trim();
  if (named.length + pictures.length + pastes.length === 0) return { type: "said", content: template ?? text };
  const blocks: (TextBlock | ImageBlock)[] = [];
  let count = 0;
  for (const path of named.slice(0, MOST_LOOKED_FOR)) {
    const found = await foundAt(path, place.cwd);
    if (found.type === "mistake") return found;
    blocks.push(...found.blocks);
    if (found.blocks.length > 0) count += 1;
    if (count > MOST_NAMED) return mistake(`more than ${MOST_NAMED} files are named with an @; name fewer at once`);
  }
  for (const { marker, image } of pictures) blocks.push(...attachImage(marker, image, marker));
  for (const { marker, text: pasted } of pastes)
    blocks.push(attachText({ kind: "paste", name: marker.slice(1, -1) }, pasted));
  const own = template ?? [{ type: "text", text }];
  return { type: "said", content: blocks.length === 0 ? (template ?? text) : [...blocks, ...own] };
}

const MOST_NAMED = 20;
/** Most words with an @ name no file, such as people. */
const MOST_LOOKED_FOR = 500;
const MOST_NAMES = 300;

async function foundAt(path: string, root: string): Promise<FoundFile> {
  const files = nodeFiles({ root, maxBytes: MAX_IMAGE_BYTES });
  for (const meant of [path, path.replace(/[.,;:!?)\]}'"]+$/, "")]) {
    if (meant === "") continue;
    const read = await files.read(meant);
    if (read.type === "missing") continue;
    if (read.type === "folder") return await namesOf(meant, root);
    const once: Pick<WorkspaceFiles, "read"> = { read: async () => read };
    return await fileBlocks(meant, once);
  }
  return { type: "blocks", blocks: [] };
}

async function namesOf(path: string, root: string): Promise<FoundFile> {
  const act = { signal: new AbortController().signal, maxResults: MOST_NAMES };
  const listed = await nodeSearch({ root }).list(path, act);
  if (listed.type !== "found") return mistake(`@${path}: ${listed.message}`);
  const names = listed.items.map(({ name }) => name);
  const more = listed.isComplete ? [] : ["…"];
  const block = attachText({ kind: "folder", name: path }, [...names, ...more].join("\n"));
  return { type: "blocks", blocks: [block] };
}

export async function pastePicture({ ready, screen }: Talking): Promise<void> {
  const clipped = await clippedPicture(ready.place.environment);
  if (clipped.type === "none") return screen.tell(clipped.why, "warning");
  const taken = screen.editor?.pictures.take(clipped.bytes);
  if (taken?.type === "refused") return screen.tell(taken.why, "warning");
  if (taken) screen.words.insert(`${taken.marker} `);
}

/** False where there is no picture, so that the path is words. */
export async function pictureAt(path: string, { ready, screen }: Talking): Promise<boolean> {
  const files = nodeFiles({ root: ready.place.cwd, maxBytes: MAX_IMAGE_BYTES });
  const read = await files.read(path);
  if (read.type === "too-large") screen.tell(`${path}: ${read.message}; up to 3.75 MB can be said`, "warning");
  const taken = read.type === "read" ? screen.editor?.pictures.take(read.bytes) : undefined;
  if (taken?.type !== "taken") return false;
  screen.words.insert(`${taken.marker} `);
  return true;
}
