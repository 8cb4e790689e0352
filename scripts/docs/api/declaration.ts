/** What a file declares: each with its signature, and what it says of itself. */

import { lineAt, type Source } from "../../house/source/source.ts";
import { type Keyword, signature } from "./signature.ts";

export interface Declaration {
  readonly name: string;
  readonly keyword: Keyword;
  readonly isExported: boolean;
  readonly path: string;
  readonly line: number;
  readonly signature: string;
  /** The comment right above it, as Markdown; empty where there is none. */
  readonly said: string;
  /** The comment at the head of its file. */
  readonly opening: string;
}

const declared = /^(export\s+)?(?:abstract\s+)?(?:async\s+)?((function|const|class|interface|type)\*?\s+([\w$]+))/gm;

export function declarations(source: Source): readonly Declaration[] {
  const { path, text, code } = source;
  return [...code.matchAll(declared)].map((match) => {
    const [all, exporting, head = "", keyword, name = ""] = match;
    const from = match.index + all.length - head.length;
    return {
      name,
      keyword: keyword as Keyword,
      isExported: exporting !== undefined,
      path,
      line: lineAt(text, match.index),
      signature: signature(source, { keyword: keyword as Keyword, from }),
      said: plain(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n$/.exec(text.slice(0, match.index))?.[1] ?? ""),
      opening: plain(/^\/\*\*((?:(?!\*\/)[\s\S])*)\*\//.exec(text)?.[1] ?? ""),
    };
  });
}

export function isType({ keyword }: Pick<Declaration, "keyword">): boolean {
  return keyword === "interface" || keyword === "type";
}

function plain(comment: string): string {
  const lines = comment.split("\n").map((line) => line.replace(/^\s*\* ?/, "").trimEnd());
  return lines.join("\n").trim();
}
