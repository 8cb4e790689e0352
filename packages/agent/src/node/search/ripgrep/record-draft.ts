/** A record while it comes: kept whole as long as it is short; of a long one only its beginning, and what follows its texts. */

const LONGEST = 256 * 1024;
const BEGINNING_LENGTH = 64;
const PLACE_LENGTH = 64;
/** What follows the text of the line, and that of its first hit. Within a text in JSON every quote has a backslash before it, so that they stand nowhere else. */
const MARKS = ['"},"line_number":', '"},"start":'];

export class RecordDraft {
  #pieces: Buffer[] = [];
  #length = 0;
  #beginning = "";
  /** Of a long one: what may be the first part of the next mark. */
  #rest: Buffer = Buffer.alloc(0);
  #places: string[] = [];

  /** The piece is kept as it is; its bytes must not change. */
  write(piece: Buffer): void {
    const wasLong = this.#length > LONGEST;
    this.#length += piece.length;
    if (wasLong) this.#skim(piece);
    else this.#keep(piece);
  }

  /** Null where it is too long. */
  whole(): Buffer | null {
    return this.#length > LONGEST ? null : Buffer.concat(this.#pieces);
  }

  beginning(): string {
    return this.#beginning;
  }

  /** What follows each of the marks, to be asked once all is written. */
  places(): readonly string[] {
    this.#skim(Buffer.alloc(PLACE_LENGTH));
    return this.#places;
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    if (this.#length <= LONGEST) return;
    const first = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#beginning = first.toString("latin1", 0, BEGINNING_LENGTH);
    this.#skim(first);
  }

  #skim(piece: Buffer): void {
    let seen = Buffer.concat([this.#rest, piece]);
    for (let mark = MARKS[this.#places.length]; mark !== undefined; mark = MARKS[this.#places.length]) {
      const at = seen.indexOf(mark);
      const place = at + mark.length;
      if (at < 0 || place + PLACE_LENGTH > seen.length) {
        // Copied, because a part would keep the whole of it in memory.
        this.#rest = Buffer.from(seen.subarray(at < 0 ? 1 - mark.length : at));
        return;
      }
      this.#places.push(seen.toString("latin1", place, place + PLACE_LENGTH));
      seen = seen.subarray(place);
    }
  }
}
