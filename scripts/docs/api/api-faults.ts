/** Finds gaps in the API page: an export without an example or a sentence, an example of nothing, a theme on no page. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Fault } from "../../fault.ts";
import { type Api, DOOR, EXAMPLES, type Exported, type Theme } from "./read-api.ts";

const PAGE = "docs/api.md";

export function apiFaults(root: string, api: Api): readonly Fault[] {
  const page = existsSync(join(root, PAGE)) ? readFileSync(join(root, PAGE), "utf8") : "";
  return [
    ...api.lost.map((name) => ({ path: DOOR, line: 1, sentence: `${name} is let out, and no file declares it` })),
    ...api.exports.filter(({ kind }) => kind === "value").flatMap((value) => valueFaults(value, api)),
    ...api.themes.flatMap((theme) => [...regionFaults(theme, api), ...pageFaults(theme, page)]),
  ];
}

function valueFaults({ name, path, line, said }: Exported, { themes }: Api): readonly Fault[] {
  const examples = themes.flatMap(({ regions }) => regions).filter((region) => region.name === name);
  const count = examples.length === 0 ? "no example" : `${examples.length} examples`;
  const counted = { path, line, sentence: `${name} has ${count}; it wants one region of its name in ${EXAMPLES}` };
  const silent = { path, line, sentence: `${name} is let out without a word; give it a \`/** … */\` sentence` };
  return [...(examples.length === 1 ? [] : [counted]), ...(said === "" ? [silent] : [])];
}

function regionFaults({ path, regions }: Theme, { exports }: Api): readonly Fault[] {
  return regions
    .filter(({ name }) => !exports.some((each) => each.name === name))
    .map(({ name, line }) => ({ path, line, sentence: `the region ${name} shows nothing that ${DOOR} lets out` }));
}

function pageFaults({ name, path }: Theme, page: string): readonly Fault[] {
  const mark = `<!-- generated: api-${name} -->`;
  return page.includes(mark) ? [] : [{ path, line: 1, sentence: `${PAGE} does not show it; write \`${mark}\` there` }];
}
