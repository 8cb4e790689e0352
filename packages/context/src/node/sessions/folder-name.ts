/** The name of the folder that holds the sessions of a working directory: readable, and never the same for two of them. */

import { createHash } from "node:crypto";
import { resolve } from "node:path";

/** `/home/me/my project` → `home-me-my-project-0b25e4e5a9`; of a long path the end is shown. */
export function folderName(cwd: string): string {
  const path = resolve(cwd);
  const hash = createHash("sha256").update(path).digest("hex").slice(0, HASH_LETTERS);
  const letters = shortened(path.toWellFormed().replace(/[^\p{L}\p{N}._]+/gu, "-"));
  return [letters.replace(/^[-.]+|[-.]+$/g, ""), hash].filter((part) => part !== "").join("-");
}

// Most disks take 255 bytes for a name, and a letter may need four.
function shortened(safe: string): string {
  const letters = [...safe].slice(-LETTERS);
  while (Buffer.byteLength(letters.join("")) > BYTES) letters.shift();
  return letters.join("");
}

const HASH_LETTERS = 10;
const LETTERS = 80;
const BYTES = 200;
