/** Which provider a mistaken name was meant for: one that is spelled much like it, or the house of a model. */

import { providers } from "./provider.ts";

export function providerLike(name: string): string | null {
  const wanted = name.toLowerCase();
  const house = houses.find(([word]) => wanted.includes(word))?.[1];
  if (house) return house;
  // Nobody mistypes so much, and it would take long to look.
  if (wanted.length > LONGEST) return null;
  const near = providers
    .map(({ id }) => ({ id, far: distance(wanted, id) }))
    .sort((one, other) => one.far - other.far)[0];
  return near && near.far <= Math.max(1, Math.floor(near.id.length / 4)) ? near.id : null;
}

const LONGEST = 64;

const houses = [
  ["claude", "anthropic"],
  ["gpt", "openai"],
  ["gemini", "google"],
  ["vertex", "google"],
  ["grok", "xai"],
  ["kimi", "moonshotai"],
  ["glm", "zai"],
  ["llama", "llama.cpp"],
  ["lmstudio", "lm-studio"],
] as const;

/** Letters to add, drop or change. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let to = 1; to <= other.length; to += 1)
      next.push(
        Math.min((next[to - 1] ?? 0) + 1, (row[to] ?? 0) + 1, (row[to - 1] ?? 0) + (letter === other[to - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[other.length] ?? 0;
}
