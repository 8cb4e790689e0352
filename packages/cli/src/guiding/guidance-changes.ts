/** What differs between what was told and what would be told now, for whoever asked for it to be read anew. */

import type { Guidance } from "./guidance.ts";

/** A line for each; none where nothing differs. */
export function guidanceChanges(before: Guidance, now: Guidance): readonly string[] {
  const texts = (guidance: Guidance): Named => new Map(guidance.project.map(({ path, text }) => [path, text]));
  const skills = (guidance: Guidance): Named =>
    new Map(guidance.skills.map(({ name, path, hash }) => [`the skill ${name}`, `${path} ${hash}`]));
  return [...differences(texts(before), texts(now)), ...differences(skills(before), skills(now))];
}

type Named = ReadonlyMap<string, string>;

function differences(before: Named, now: Named): readonly string[] {
  const added = [...now.keys()].filter((name) => !before.has(name)).map((name) => `${name} is new`);
  const gone = [...before.keys()].filter((name) => !now.has(name)).map((name) => `${name} is gone`);
  const changed = [...now].filter(([name, text]) => (before.get(name) ?? text) !== text);
  return [...added, ...gone, ...changed.map(([name]) => `${name} has changed`)];
}
