/** Renders the API page: one section per function with signature, comment and example, a table of all types, and a table of contents. */

import { posix } from "node:path";
import { table } from "../pages.ts";
import type { Declaration } from "./declarations.ts";
import { type Api, type Exported, SOURCES, type Theme } from "./read-api.ts";

export function shape({ signature }: Declaration): string {
  if (signature.startsWith("interface")) return `{ ${fields(signature).join(", ")} }`;
  const right = signature.slice(signature.indexOf("=") + 1).replace(/\/\*\*.*?\*\//gs, "");
  if (!right.includes("\n")) return right.replaceAll("readonly ", "").trim();
  const members = right.split(/^ {2}\| /m).map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== "").map(oneOf))].join(" | ");
}

function fields(signature: string): readonly string[] {
  return [...signature.matchAll(/^ {2}(?:readonly )?([\w$]+\??)[:(<]/gm)].map(([, name = ""]) => name);
}

// Outcomes and events are told apart by their type; that is what one asks first.
function oneOf(member: string): string {
  if (!member.startsWith("{")) return member;
  return /\btype: ("[^;]+");/.exec(member)?.[1] ?? /\btype: ("[^;]+") \}/.exec(member)?.[1] ?? "{ … }";
}

export function typeTable({ exports }: Api): string {
  const rows = exports
    .filter(({ kind }) => kind === "type")
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .map((each) => [`\`${each.name}\``, meaning(each), sourceLink(each)]);
  return table(["type", "what it is", "in"], rows);
}

/** A link to the file, from the folder of documents. */
export function sourceLink({ path }: Pick<Exported, "path">): string {
  return `[${posix.relative(SOURCES, path)}](../${path})`;
}

function meaning(type: Exported): string {
  if (type.said !== "") return firstSentence(type.said);
  return bearsNameOfFile(type) ? firstSentence(type.opening) : `\`${shape(type)}\``;
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return /^.*?[.!?](?=\s+[^a-z]|$)/.exec(line)?.[0] ?? line;
}

function bearsNameOfFile({ name, path }: Exported): boolean {
  return posix.basename(path, ".ts").replaceAll("-", "") === name.toLowerCase();
}

export function themeText({ exports }: Api, { path, regions }: Theme): string {
  const shown = new Set(regions.map(({ name }) => name));
  const items = regions.flatMap(({ name, code }) => {
    const item = exports.find((each) => each.name === name);
    if (!item) return [];
    const types = ownTypes(item, exports).filter((type) => !shown.has(type.name));
    for (const type of types) shown.add(type.name);
    const hidden = [...types, item].flatMap(({ beneath }) => beneath);
    return [itemText(item, { code, types: [...types, ...hidden] })];
  });
  return [...items, `*Run it all: [${path}](../${path}).*`].join("\n\n");
}

interface Showing {
  readonly code: string;
  readonly types: readonly Declaration[];
}

function itemText(item: Exported, { code, types }: Showing): string {
  return [
    `### ${item.name}`,
    fence(item.signature),
    sentence(item),
    fence(code.trimEnd()),
    ...(types.length > 0 ? [folded(types)] : []),
  ].join("\n\n");
}

// What ends in an example of its own, indented, would swallow the link.
function sentence(item: Exported): string {
  if (item.said === "") return sourceLink(item);
  return `${item.said}${/^ {4}.*$/.test(item.said.split("\n").at(-1) ?? "") ? "\n\n" : " "}(${sourceLink(item)})`;
}

/** What it takes and what comes back, as far as its own file says it. Others have a place of their own. */
function ownTypes({ keyword, signature, homes }: Exported, exports: readonly Exported[]): readonly Exported[] {
  const names = keyword === "class" ? [] : [...new Set(signature.match(/[\w$]+/g))];
  const types = exports.filter((each) => each.kind === "type" && homes.includes(each.path));
  return names.flatMap((name) => types.find((type) => type.name === name) ?? []);
}

function folded(types: readonly Declaration[]): string {
  const names = [...new Set(types.map(({ name }) => `<code>${name}</code>`))].join(", ");
  const all = [...new Set(types.map(({ signature }) => signature))];
  return `<details><summary>${names}</summary>\n\n${fence(all.join("\n\n"))}\n\n</details>`;
}

function fence(code: string): string {
  return `\`\`\`ts\n${code}\n\`\`\``;
}

const CHAPTER = /^## ([^\n]+)\n(?:(?!^## )[\s\S])*?^<!-- generated: api-([\w-]+) -->/gm;

export function contents({ themes }: Api, page: string): string {
  const link = linking();
  const rows = [...page.matchAll(CHAPTER)].flatMap(([, heading = "", name]) => {
    const theme = themes.find((each) => each.name === name);
    return theme ? [[link(heading), theme.regions.map((region) => link(region.name)).join(" · ")]] : [];
  });
  return table(["about", "names"], rows);
}

/** As GitHub names the places of headings: of those that sound alike, all but the first are numbered. */
function linking(): (heading: string) => string {
  const seen = new Map<string, number>();
  return (heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-");
    const before = seen.get(anchor) ?? 0;
    seen.set(anchor, before + 1);
    return `[${heading}](#${anchor}${before > 0 ? `-${before}` : ""})`;
  };
}
