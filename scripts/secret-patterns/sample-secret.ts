/** Makes random secrets that a rule of gitleaks matches, so that no file has to hold one. */

import { dropCaseVariants } from "./convert-rules.ts";
import type { RegexNode } from "./parse-regex.ts";

/** `chance` gives numbers from 0 up to 1. */
export function sampleSecret(nodes: readonly RegexNode[], random: () => number): string {
  return nodes.map((node) => sampleNode(node, random)).join("");
}

function sampleNode(node: RegexNode, random: () => number): string {
  const randomBelow = (count: number): number => Math.floor(random() * count);
  switch (node.type) {
    case "characters": {
      const characters = chooseCase(node.characters);
      return characters.charAt(randomBelow(characters.length));
    }
    case "repeat": {
      const max = Math.min(node.most, node.least + MAX_EXTRA);
      const count = node.least + randomBelow(max - node.least + 1);
      return Array.from({ length: count }, () => sampleNode(node.node, random)).join("");
    }
    case "group":
      return sampleSecret(node.choices[randomBelow(node.choices.length)] ?? [], random);
    case "assertion":
      return "";
  }
}

const MAX_EXTRA = 30;

/** Prefixes and hexadecimal digits come in one case, even where gitleaks ignores it. */
function chooseCase(characters: string): string {
  const cached = characterCache.get(characters);
  if (cached !== undefined) return cached;
  const variants = dropCaseVariants(characters);
  const characterSet = variants.length <= HEX_DIGIT_COUNT ? variants : characters;
  characterCache.set(characters, characterSet);
  return characterSet;
}

const characterCache = new Map<string, string>();
const HEX_DIGIT_COUNT = 16;
