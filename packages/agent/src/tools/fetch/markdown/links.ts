/** Links and pictures as Markdown, with addresses that work from anywhere. */

import type { Attributes } from "./tree.ts";

export function linkText(text: string, href: string | undefined, base: string): string {
  if (href?.startsWith("#")) return ANCHOR.test(text) ? "" : text;
  const url = absolute(href, base);
  return url === null || text === "" ? text : `[${text}](${url})`;
}

/** The signs that link a heading to itself. */
const ANCHOR = /^[#¶§🔗]?$/u;

/** Only named: what it shows is not fetched. */
export function imageText(attributes: Attributes, base: string): string {
  const alt = (attributes.get("alt") ?? "").replace(/\s+/g, " ").trim();
  const url = absolute(attributes.get("src"), base);
  return url === null || alt === "" ? alt : `![${alt}](${url})`;
}

function absolute(href: string | undefined, base: string): string | null {
  if (href === undefined || href.length > LONGEST_LINK) return null;
  const url = URL.parse(href, base);
  return url !== null && SHOWN.has(url.protocol) ? url.href.replaceAll(")", "%29") : null;
}

const LONGEST_LINK = 2_000;
const SHOWN: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
