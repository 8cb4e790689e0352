/** What an editor sends as a prompt, as what is said to the model: files and pictures first, and the words last. Pure. */

import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResource } from "@agentclientprotocol/sdk/unstable";
import type { Content } from "@pith/agent";
import type { ImageBlock, TextBlock } from "@pith/context";
import { type Mistake, mistake } from "../../asking/mistake.ts";
import { MOST_TEXT } from "../../prompting/file-blocks.ts";
import { pictureIn } from "../../prompting/picture-in.ts";

export type SaidBlocks = { readonly type: "said"; readonly words: string; readonly along: readonly Along[] } | Mistake;

type Along = TextBlock | ImageBlock;

export function saidBlocks(blocks: readonly ContentBlock[], cwd: string): SaidBlocks {
  let words = "";
  const along: Along[] = [];
  for (const block of blocks) {
    const part = partOf(block, cwd);
    if (part.type === "mistake") return part;
    words += part.words;
    along.push(...part.along);
  }
  return { type: "said", words, along };
}

/** A text alone needs no block. */
export function contentWith(along: readonly Along[], said: Content): Content {
  if (along.length === 0) return said;
  if (typeof said !== "string") return [...along, ...said];
  return said.trim() === "" ? along : [...along, { type: "text", text: said }];
}

type Part = { readonly type: "part"; readonly words: string; readonly along: readonly Along[] } | Mistake;

function partOf(block: ContentBlock, cwd: string): Part {
  switch (block.type) {
    case "text":
      return part(block.text);
    case "image": {
      const picture = pictureIn(block.data);
      return picture ? part("", picture) : mistake(`a picture must be ${PICTURES}, and not larger than 3.75 MB`);
    }
    case "resource_link":
      return part(mentioned(block.uri, cwd));
    case "resource":
      return resourcePart(block.resource, cwd);
    case "audio":
      return mistake("Pith does not hear; send words, pictures or files");
  }
}

/** What the editor has of a file may be newer than the file itself. */
function resourcePart(resource: EmbeddedResource["resource"], cwd: string): Part {
  const { uri } = resource;
  const place = placeOf(uri, cwd);
  if ("text" in resource) {
    if (resource.text.length > MOST_TEXT) return tooLong(uri, cwd);
    const end = resource.text.endsWith("\n") ? "" : "\n";
    const text = `<file path="${place.replaceAll('"', "%22")}">\n${resource.text}${end}</file>`;
    return part(mentioned(uri, cwd), { type: "text", text });
  }
  const picture = pictureIn(resource.blob);
  if (picture) return part(mentioned(uri, cwd), picture);
  return mistake(`${place} is neither a text nor a picture (${PICTURES}); name it and let it be read instead`);
}

const PICTURES = "png, jpeg, gif or webp";

/** A file can be read in parts; anything else is here and nowhere else. */
function tooLong(uri: string, cwd: string): Part {
  const mention = mentioned(uri, cwd);
  return mention === uri
    ? mistake(`${uri} has more than 256 KB, too much to be said; send a part of it`)
    : part(mention);
}

/** As one would type it; an address that is no file stays as it is. */
function mentioned(uri: string, cwd: string): string {
  const place = placeOf(uri, cwd);
  if (place === uri) return uri;
  return /\s/.test(place) ? `@"${place}"` : `@${place}`;
}

/** Relative to the folder where it lies there; lines of it stay behind it. */
function placeOf(uri: string, cwd: string): string {
  if (!uri.startsWith("file:")) return uri;
  try {
    const { hash } = new URL(uri);
    const path = fileURLToPath(uri);
    const near = relative(cwd, path);
    return `${near === "" || near.startsWith("..") || isAbsolute(near) ? path : near}${hash}`;
  } catch {
    // No path of this machine: the words stay as they came.
    return uri;
  }
}

function part(words: string, ...along: readonly Along[]): Part {
  return { type: "part", words, along };
}
