/** The digest that names secrets: keyed with a file of the user's own, so that a name is the same tomorrow and tells nobody anything. */

import { createHmac, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

export function redactionKeyFile(home: string): string {
  return join(home, "redaction.key");
}

/** The key is read, or made, when the first secret is found. */
export function keyedDigest(home: string): (value: string) => string {
  let key: Uint8Array | null = null;
  return (value) => {
    key ??= keyAt(redactionKeyFile(home));
    return createHmac("sha256", key).update(value).digest("hex");
  };
}

// SEC4: where no file can be had, names hold as long as the program runs; no secret is written because of that.
function keyAt(path: string): Uint8Array {
  try {
    return keyIn(path) ?? madeAt(path);
  } catch {
    return randomBytes(BYTES);
  }
}

const BYTES = 32;

/** Null where there is none; throws where it is not to be believed. */
function keyIn(path: string): Uint8Array | null {
  const file = opened(path);
  if (file === null) return null;
  try {
    const { uid, size, mode } = fstatSync(file);
    if (uid !== process.geteuid?.() || size !== BYTES) throw new Error(`${path} is no key of this user`);
    if ((mode & OTHERS) !== 0) fchmodSync(file, OWNER);
    const key = new Uint8Array(BYTES);
    if (readSync(file, key, 0, BYTES, 0) !== BYTES) throw new Error(`${path} could not be read whole`);
    return key;
  } finally {
    closeSync(file);
  }
}

const OTHERS = 0o077;
const OWNER = 0o600;

function opened(path: string): number | null {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Whole under its name or not at all: of two programs that make one, the first has made it for both. */
function madeAt(path: string): Uint8Array {
  const key = randomBytes(BYTES);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${randomBytes(8).toString("hex")}`;
  writeFileSync(fresh, key, { flag: "wx", mode: OWNER });
  try {
    linkSync(fresh, path);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return keyIn(path) ?? key;
  } finally {
    unlinkSync(fresh);
  }
}
