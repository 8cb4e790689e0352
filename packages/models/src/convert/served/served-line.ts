/** What a tool of the provider's own did, in one line: for people, and for every model that cannot read what it found. */

import type { JSONObject, JSONValue } from "@ai-sdk/provider";
import type { Served } from "./served-block.ts";

/** Without `output`, nothing had come back. */
export type Ran = Pick<Served, "name" | "input" | "failed"> & { readonly output?: JSONValue };

/** Stands alone between two texts. */
export function servedLine(ran: Ran): string {
  return `\n[${told(ran)}]\n`;
}

function told({ name, input, output, failed }: Ran): string {
  const action = fieldOf(output, "action");
  const url = textIn(action, "url");
  if (url !== "") return pageAction(url, textIn(action, "pattern"));
  const queries = [...queriesIn(input), ...queriesIn(action)].map((query) => `"${short(query)}"`);
  const act = queries.length > 0 || /search/i.test(name) ? "searched the web" : `ran ${short(name)} at the provider`;
  const about = queries.length > 0 ? ` for ${[...new Set(queries)].join(", ")}` : "";
  if (output === undefined || failed) return `${act}${about}, without an answer`;
  const pages = pagesIn(output);
  return pages.length > 0 ? `${act}${about}: ${pages.join("; ")}` : `${act}${about}`;
}

function pageAction(url: string, pattern: string): string {
  return pattern === ""
    ? `opened the web page ${short(url)}`
    : `looked for "${short(pattern)}" in the web page ${short(url)}`;
}

function queriesIn(value: JSONValue | undefined): readonly string[] {
  const several = fieldOf(value, "queries");
  const query = textIn(value, "query");
  const all = Array.isArray(several) ? several.filter((each) => typeof each === "string") : [];
  return query === "" ? all : [query, ...all];
}

/** A list of pages, or a list of sources. */
function pagesIn(output: JSONValue): readonly string[] {
  const pages = Array.isArray(output) ? output : fieldOf(output, "sources");
  return (Array.isArray(pages) ? pages : []).slice(0, MOST_PAGES).flatMap((page) => {
    const [url, title] = [textIn(page, "url"), textIn(page, "title")];
    if (url === "") return [];
    return [title === "" ? short(url) : `${short(title)} (${short(url)})`];
  });
}

const MOST_PAGES = 10;

function fieldOf(value: JSONValue | undefined, name: string): JSONValue | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JSONObject)[name] : undefined;
}

function textIn(value: JSONValue | undefined, name: string): string {
  const text = fieldOf(value, name);
  return typeof text === "string" ? text : "";
}

// Titles are anybody's words: on one line, none of them long, nothing in them that closes the bracket.
function short(text: string): string {
  const words = text
    .slice(0, LETTERS * 2)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .replace(/[[\]]/g, "|")
    .trim();
  return words.length > LETTERS ? `${words.slice(0, LETTERS - 1).toWellFormed()}…` : words.toWellFormed();
}

const LETTERS = 200;
