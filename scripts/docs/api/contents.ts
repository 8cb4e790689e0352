/** What a page has, theme by theme, in its own order and under its own headings. */

import { table } from "../tables/table.ts";
import type { Api } from "./read-api.ts";

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
