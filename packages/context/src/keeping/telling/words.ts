/** What a piece of text is made of, as numbers that can be counted: words, the shapes of what is more than a word, and signs. */

import { keysOf } from "./keys.ts";
import { NAME, NOISE, shapeOf } from "./shape.ts";
import { BINDING, TROUBLE } from "./signs.ts";

export interface Words {
  readonly keys: readonly number[];
  /** Of dates, versions, paths, identifiers, numbers, names. */
  readonly shapes: readonly number[];
  /** The same for pieces that differ only in the numbers, hashes and paths they name. */
  readonly template: number;
  readonly trouble: boolean;
  readonly binding: boolean;
}

/** Remembers what it has read, because most words come again. What digits a number has says nothing here. */
export function wordReader(): (piece: string) => Words {
  const known = new Map<string, Word>();
  const read = wordIn(known);
  return (piece) => {
    const words = piece.replace(/\d/g, "0").match(WORD) ?? [];
    return joined(words.map((word) => known.get(word) ?? read(word)));
  };
}

interface Word extends Words {
  readonly isName: boolean;
}

const WORD = /[^\s"'`()[\]{}<>,;|!?。，、；：！？（）「」『』“”‘’«»…]+/g;

function joined(words: readonly Word[]): Words {
  const keys: number[] = [];
  const shapes = new Set<number>();
  let [template, trouble, binding] = [0, false, false];
  for (const word of words) {
    for (const key of word.keys) keys.push(key);
    // Every sentence begins with a capital.
    if (!word.isName || word !== words[0]) for (const shape of word.shapes) shapes.add(shape);
    template = (Math.imul(template, 31) + word.template) | 0;
    trouble ||= word.trouble;
    binding ||= word.binding;
  }
  return { keys, shapes: [...shapes], template, trouble, binding };
}

/** Reads a word for the first time. */
function wordIn(known: Map<string, Word>): (word: string) => Word {
  const numbers = new Map<string, number>();
  const numberOf = (feature: string): number => {
    const number = numbers.get(feature) ?? numbers.size;
    numbers.set(feature, number);
    return number;
  };
  return (said) => {
    const word = said.replace(/[.:]+$/, "");
    const shape = shapeOf(word);
    const keys = shape === NOISE ? [] : keysOf(word);
    const isMasked = shape !== null && (shape === NOISE || /[0/\\]/.test(word));
    const read = {
      keys: keys.map((key) => numberOf(`word ${key}`)),
      shapes: shape === null ? [] : [numberOf(`shape ${shape}`)],
      template: numberOf(isMasked ? `shape ${shape}` : word),
      trouble: keys.some((key) => TROUBLE.has(key)),
      binding: keys.some((key) => BINDING.has(key)),
      isName: shape === NAME,
    };
    known.set(said, read);
    return read;
  };
}
