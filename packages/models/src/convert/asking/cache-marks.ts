/** Cache marks: only Anthropic is told where to keep the prefix, others find out for themselves. */

import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { CacheMark, ModelName, Request } from "@pith/context";

export function marksOf({ cacheMarks }: Request, { api }: ModelName): readonly CacheMark[] {
  if (api !== "anthropic-messages") return [];
  const first = cacheMarks.filter(({ after }) => after !== "message");
  const messages = cacheMarks.filter((mark) => mark.after === "message").toSorted((one, two) => one.index - two.index);
  return [...first, ...messages.slice(Math.max(0, messages.length + first.length - MOST_MARKS))];
}

// A fifth is refused. What comes after the oldest messages is worth more than they are.
const MOST_MARKS = 4;

/** What a part bears that ends a prefix to be kept. */
export const cacheMark: { readonly providerOptions: SharedV4ProviderOptions } = {
  providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
};

/** The same parts, the last of them marked; reasoning cannot bear a mark. */
export function markedLast<Part extends { readonly type: string; readonly providerOptions?: SharedV4ProviderOptions }>(
  parts: readonly Part[],
): Part[] {
  const last = parts.findLastIndex(({ type }) => type !== "reasoning");
  return parts.map((part, index) => (index === last ? marked(part) : part));
}

function marked<Part extends { readonly providerOptions?: SharedV4ProviderOptions }>(part: Part): Part {
  const { anthropic } = part.providerOptions ?? {};
  const providerOptions = {
    ...part.providerOptions,
    anthropic: { ...anthropic, ...cacheMark.providerOptions.anthropic },
  };
  return { ...part, providerOptions };
}
