/** Lines that may be the last ones of a private key whose beginning nobody has seen: they wait until it is plain whether the mark of its end follows. */

export class KeyLines {
  #held = "";
  /** The last lines of a key are as long as they happen to be. */
  #short = 0;

  get isEmpty(): boolean {
    return this.#held === "";
  }

  /** Whether this line waits; else it is what those that wait were waiting for. */
  take(line: string): boolean {
    if (this.#held.length >= MOST_LETTERS) return false;
    const isLong = mayBeOfKey(line, line.length);
    if (!isLong && (this.isEmpty || this.#short >= MOST_SHORT || !SHORT.test(line))) return false;
    this.#short = isLong ? 0 : this.#short + 1;
    this.#held += line;
    return true;
  }

  /** All that waited. */
  taken(): string {
    const held = this.#held;
    this.#held = "";
    this.#short = 0;
    return held;
  }
}

const MOST_LETTERS = 64 * 1024;
const MOST_SHORT = 2;
const SHORT = /^\S{0,8} {0,4}[A-Za-z0-9+/=]{1,80}\r?\n$/;

/** Whether the line before this place, with its end, ends in as many letters of Base64 as a line of a key has. */
export function mayBeOfKey(text: string, next: number): boolean {
  let at = next - 1;
  while (at > next - 5 && NO_LETTER.test(text.charAt(at))) at -= 1;
  for (const last = at - LEAST; at > last; at -= 1) if (!isBase64(text.charCodeAt(at))) return false;
  return true;
}

const NO_LETTER = /[\r\n=]/;
const LEAST = 40;

function isBase64(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x2f && code <= 0x39) || code === 0x2b
  );
}
