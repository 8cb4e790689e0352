/** A prompt template: a text with places for words, said to the model by `/name words`. Nothing in it runs. */

import { basename } from "node:path";
import { textOf } from "@pith/agent";
import { clipped } from "../../printing/clipped.ts";
import { plain } from "../../printing/plain.ts";
import { frontMatter } from "../front-matter.ts";

export interface Template {
  /** Without its slash. */
  readonly name: string;
  /** What it is for, in one line. */
  readonly says: string;
  /** What may stand behind it, such as `<issue>`; empty where nobody said. */
  readonly takes: string;
  readonly text: string;
  readonly path: string;
}

export interface TemplateFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface TemplateIn {
  /** Null where it is none. */
  readonly template: Template | null;
  readonly notes: readonly string[];
}

export function templateIn({ path, bytes }: TemplateFile): TemplateIn {
  const name = basename(path, ".md");
  const written = textOf(bytes);
  if (written === null) return unused(path, "is no text");
  if (!NAME.test(name)) return unused(path, "has a name that cannot be typed; take letters, digits and dashes");
  const { fields, body, fault } = frontMatter(written);
  if (fault !== null) return unused(path, fault);
  const text = plain(body).trim();
  if (text === "") return unused(path, "says nothing");
  const field = (of: string): string => clipped(plain(fields.get(of) ?? ""), LONGEST);
  const says = field("description") || clipped(text.split("\n", 1)[0] ?? "", LONGEST);
  return { template: { name, says, takes: field("argument-hint"), text, path }, notes: [] };
}

const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?$/u;
const LONGEST = 200;

function unused(path: string, why: string): TemplateIn {
  return { template: null, notes: [`${path} ${why}, so it is no template`] };
}
