/** A text within so many bytes: its beginning and its end, where it is longer. */

export interface Excerpt {
  readonly excerpt: string;
  readonly isWhole: boolean;
}

export function excerptOf(text: string, room: number): Excerpt {
  const bytes = Buffer.from(text);
  if (bytes.length <= room) return { excerpt: text, isWhole: true };
  const head = Math.floor(room / 2);
  const [first, last] = [bytes.subarray(0, head), bytes.subarray(bytes.length - (room - head))];
  const left = (bytes.length - room).toLocaleString("en-US");
  // A letter may be cut in two.
  const excerpt = `${first.toString().replace(/\ufffd+$/, "")}\n[… ${left} bytes are left out …]\n${last.toString().replace(/^\ufffd+/, "")}`;
  return { excerpt, isWhole: false };
}
