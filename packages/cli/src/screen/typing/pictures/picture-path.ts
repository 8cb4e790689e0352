/** Paths of pictures, as terminals paste them when files are dropped on them: quoted, escaped, or as addresses, one or several. Pure. */

import { fileURLToPath } from "node:url";

/** Empty where the words are anything but such paths. */
export function picturePaths(pasted: string): readonly string[] {
  const text = pasted.trim();
  if (text.length > LONGEST) return [];
  const words = text.match(WORD) ?? [];
  const paths = words.map(unquoted);
  if (paths.every(isPicture)) return paths;
  // Some terminals leave a blank in a name as it is.
  return /^(?:~?\/|[a-z]:\\)[^\n]*$/i.test(text) && isPicture(text) ? [text] : [];
}

const LONGEST = 16 * 1024;

/** A quoted one, or one up to the next blank that is not escaped. */
const WORD = /'[^'\n]+'(?!\S)|"[^"\n]+"(?!\S)|(?:\\.|[^\s\\])+/g;

function isPicture(path: string | null): path is string {
  return path !== null && /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

function unquoted(word: string): string | null {
  const [, , inner] = /^(['"])(.+)\1$/.exec(word) ?? [];
  if (inner !== undefined) return inner;
  return word.startsWith("file://") ? fromAddress(word) : word.replaceAll(/\\(.)/g, "$1");
}

function fromAddress(line: string): string | null {
  try {
    return fileURLToPath(line);
  } catch {
    // An address of another machine is no file here.
    return null;
  }
}
