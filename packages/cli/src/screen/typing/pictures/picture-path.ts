/** A picture's path, as terminals paste it when a file is dropped on them: quoted, escaped, or as an address. Pure. */

import { fileURLToPath } from "node:url";

/** Null where the words are no such path. */
export function picturePath(pasted: string): string | null {
  const line = pasted.trim();
  if (line.includes("\n") || line.length > LONGEST) return null;
  const path = unquoted(line);
  return path !== null && /\.(?:png|jpe?g|gif|webp)$/i.test(path) ? path : null;
}

const LONGEST = 4096;

function unquoted(line: string): string | null {
  const [, , inner] = /^(['"])(.+)\1$/.exec(line) ?? [];
  if (inner !== undefined) return inner;
  if (line.startsWith("file://")) return fromAddress(line);
  // With a bare blank in it, it is more than a path.
  if (/[^\\]\s/.test(line)) return null;
  return line.replaceAll(/\\(.)/g, "$1");
}

function fromAddress(line: string): string | null {
  try {
    return fileURLToPath(line);
  } catch {
    // An address of another machine is no file here.
    return null;
  }
}
