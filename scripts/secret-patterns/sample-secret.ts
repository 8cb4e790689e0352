/** Makes random secrets that a rule of gitleaks matches, so that no file has to hold one. */

import { asWritten } from "./convert-rules.ts";
import type { Node } from "./parse-regex.ts";

/** `chance` gives numbers from 0 up to 1. */
export function sampleSecret(nodes: readonly Node[], chance: () => number): string {
  return nodes.map((node) => sampleNode(node, chance)).join("");
}

function sampleNode(node: Node, chance: () => number): string {
  const below = (count: number): number => Math.floor(chance() * count);
  switch (node.type) {
    case "characters": {
      const characters = inOneCase(node.characters);
      return characters.charAt(below(characters.length));
    }
    case "repeat": {
      const most = Math.min(node.most, node.least + MOST_MORE);
      const count = node.least + below(most - node.least + 1);
      return Array.from({ length: count }, () => sampleNode(node.node, chance)).join("");
    }
    case "group":
      return sampleSecret(node.choices[below(node.choices.length)] ?? [], chance);
    case "assertion":
      return "";
  }
}

const MOST_MORE = 30;

/** Prefixes and hexadecimal digits come in one case, even where gitleaks ignores it. */
function inOneCase(characters: string): string {
  const known = KNOWN.get(characters);
  if (known !== undefined) return known;
  const written = asWritten(characters);
  const made = written.length <= HEXADECIMAL ? written : characters;
  KNOWN.set(characters, made);
  return made;
}

const KNOWN = new Map<string, string>();
const HEXADECIMAL = 16;
