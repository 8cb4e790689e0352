/** The newest bytes of a stream, found by their offset in it. The oldest make room for the newest. */

export class Ring {
  readonly #size: number;
  /** The byte at offset n of the stream stands at n modulo the size. */
  #bytes: Uint8Array = new Uint8Array(0);
  #oldest = 0;
  #length = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Of the whole stream. */
  get length(): number {
    return this.#length;
  }

  get oldest(): number {
    return this.#oldest;
  }

  write(run: Uint8Array): void {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#size);
    const last = run.subarray(Math.max(0, run.length - this.#size));
    this.#length += run.length;
    const place = (this.#length - last.length) % this.#size;
    const untilEdge = last.subarray(0, this.#size - place);
    this.#bytes.set(untilEdge, place);
    this.#bytes.set(last.subarray(untilEdge.length), 0);
    this.#oldest = Math.max(this.#oldest, this.#length - this.#size);
  }

  /** The stream goes on from an earlier offset, as if nothing had come after it. */
  rewind(offset: number): void {
    this.#length = offset;
    this.#oldest = Math.min(this.#oldest, offset);
  }

  /** A copy of what there still is from an offset to the end. */
  from(offset: number): Uint8Array {
    const start = Math.max(this.#oldest, offset);
    const copy = new Uint8Array(this.#length - start);
    const place = start % this.#size;
    const untilEdge = this.#bytes.subarray(place, place + copy.length);
    copy.set(untilEdge, 0);
    copy.set(this.#bytes.subarray(0, copy.length - untilEdge.length), untilEdge.length);
    return copy;
  }
}
