/** The files that a session has seen, the likeliest first: the one a call is about, then those that were touched or shown last. */

import { type Entry, fileTouches } from "@pith/context";

export function filesOnceSeen(entries: readonly Entry[], asked: unknown): readonly string[] {
  const { path } = Object(asked) as { readonly path?: unknown };
  const touched = fileTouches(entries).map((touch) => touch.path);
  const latest = [...shownIn(entries), ...touched].toReversed();
  return [...new Set([...(typeof path === "string" ? [path] : []), ...latest])].slice(0, MOST_FILES);
}

const MOST_FILES = 200;

/** Those that were named with an @. */
function shownIn(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "message" || entry.message.role !== "user") return [];
    const { content } = entry.message;
    const texts = typeof content === "string" ? [content] : content.map((block) => ("text" in block ? block.text : ""));
    return texts.flatMap((text) => /^<file path="([^"\n]{1,4096})">/.exec(text)?.[1] ?? []);
  });
}
