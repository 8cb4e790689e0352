/** Bytes of a page as text, in the charset it was written in: by its mark, by its server, by its own word, or by trying. */

import { wideEncoding } from "../../../bytes/text-of.ts";

export function decode(bytes: Uint8Array, contentType: string | null): string {
  // A byte order mark says more than any header.
  const named = [wideEncoding(bytes), charsetIn(contentType ?? ""), ownWord(bytes)].find(isKnown);
  return new TextDecoder(named ?? triedOn(bytes)).decode(bytes);
}

function charsetIn(text: string): string | null {
  return /charset\s*=\s*["']?([\w:.+-]{1,40})/i.exec(text)?.[1] ?? null;
}

/** What a page says of itself has to stand at its very beginning. */
function ownWord(bytes: Uint8Array): string | null {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, HEAD));
  const meta = /<meta\s[^>]{0,400}/gi;
  const said = [...head.matchAll(meta)].map(([tag]) => charsetIn(tag)).find((charset) => charset !== null);
  return said ?? /^\s{0,40}<\?xml[^>]{0,200}encoding\s{0,9}=\s{0,9}["']([\w.-]{1,40})/i.exec(head)?.[1] ?? null;
}

const HEAD = 2_048;

/** A charset nobody knows is as good as none. */
function isKnown(label: string | null): label is string {
  return label !== null && succeeds(() => new TextDecoder(label));
}

/** Text that is no UTF-8 is most often of the oldest kind. */
function triedOn(bytes: Uint8Array): string {
  const strict = new TextDecoder("utf-8", { fatal: true });
  // Streaming, because the last letter may have been cut in two.
  return succeeds(() => strict.decode(bytes, { stream: true })) ? "utf-8" : "windows-1252";
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    // A decoder has no other way to say no.
    return false;
  }
}
