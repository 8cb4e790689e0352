/** What a line of output has in common with others like it: numbers, times, hashes, paths and quoted words are left out. */

/** Looks at the first letters only, so that one endless line costs no more than any other. */
export function lineTemplate(line: string): string {
  return line.slice(0, LETTERS).replace(QUOTED, '""').replace(WORD, maskedWord);
}

const LETTERS = 300;
const QUOTED = /"[^"]{0,200}"|`[^`]{0,200}`|(?<!\w)'[^']{0,200}'/g;
const WORD = /[^\s"'`()[\]{}<>,;=]+/g;

function maskedWord(word: string): string {
  if (/[\\/]/.test(word)) return "/";
  return HEX.test(word) ? "#" : word.replace(/\d+/g, "#");
}

const HEX = /^(?:0x[\da-f]{1,80}|(?=[a-f-]{0,80}\d)[\da-f-]{6,80})$/i;
