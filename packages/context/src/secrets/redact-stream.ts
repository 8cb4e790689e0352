/** Redacts text that arrives in pieces, holding back what may begin a secret. The result is the same however the text is split. */

import { type Hit, needles } from "./prefix-index.ts";
import { KeyLines, type KeyState, mayBeOfKey } from "./private-keys.ts";

/** How much of a line can be passed on before its end: words in which no secret can begin, and those around a needle once settled. */
export function settledIn(line: string): number {
  const hit = needles().all.next(line, 0);
  if (!hit) return afterLastSpace(line);
  return settledBehind(line, hit) ?? afterLastSpace(line.slice(0, hit.index));
}

function afterLastSpace(words: string): number {
  return Math.max(words.lastIndexOf(" "), words.lastIndexOf("\t")) + 1;
}

/** So many words behind the last needle that nothing which began with one can still go on; null where they are not there yet. */
function settledBehind(line: string, first: Hit): number | null {
  const { all } = needles();
  for (let hit: Hit = first; ; ) {
    const end = afterSpaces(line, hit.index + hit.literal.length);
    if (end === null) return null;
    const next = all.next(line, hit.index + 1);
    if (!next || next.index >= end) return end;
    hit = next;
  }
}

function afterSpaces(line: string, from: number): number | null {
  SPACES.lastIndex = from;
  return SPACES.exec(line) ? SPACES.lastIndex : null;
}

// Between the name of a secret and its end there are four at most.
const SPACES = /(?:[^ \t]*[ \t]+(?![ \t])){5}/y;

/** Near here where words part, or right here where none do; 0 where that was before what is held. */
export function cutIn(held: string, wanted: number): number {
  for (let at = wanted; at > wanted - LOOK_AHEAD; at -= 1) {
    if (at <= 0) return 0;
    if (APART.test(held.charAt(at))) return at;
  }
  return wanted;
}

/** What must be known of a line before it is cut. */
export const LOOK_AHEAD: number = 4 * 1024;
const APART = /[\s,;(){}[\]<>|]/;

/** Who knows what is secret; see `Vault`. */
export interface PieceRedaction {
  redactedPiece(text: string, state: Pick<Piece, "key">): Piece;
  mayGoOn(text: string): boolean;
}

export interface Piece {
  readonly text: string;
  /** Where it ends, as far as private keys go. */
  readonly key: KeyState;
}

export class SecretStream {
  readonly #redaction: PieceRedaction;
  /** Whole lines before what is held. */
  readonly #keyLines = new KeyLines();
  /** What has come of a line and was not passed on. */
  #held = "";
  /** Where in its line that begins, and where a line without end is cut next. */
  #heldAt = 0;
  #nextCut: number = LONGEST_LINE;
  #key: KeyState = "outside";
  /** The length of what is held from which it is scanned again. */
  #nextScan = 0;

  constructor(redaction: PieceRedaction) {
    this.#redaction = redaction;
  }

  /** What can be passed on now. */
  write(text: string): string {
    let made = "";
    let from = 0;
    const needleFrom = nextNeedle(text);
    for (let stop = text.indexOf("\n"); stop >= 0; stop = text.indexOf("\n", from)) {
      const plain = this.#isBetweenLines ? plainLines(text, { from, to: needleFrom(from) }) : from;
      if (plain > from) made += this.#redaction.redactedPiece(text.slice(from, plain), { key: "outside" }).text;
      else made += this.#line(text.slice(from, stop + 1));
      from = plain > from ? plain : stop + 1;
    }
    return made + this.#longLine(text.slice(from)) + (this.#isWorthScanning(text) ? this.#settled() : "");
  }

  /**
   * BOUND3: a long word in tiny pieces is not scanned anew with each: only a space can settle anything, and after a scan that
   * settled nothing the text must have grown by an eighth.
   */
  #isWorthScanning(text: string): boolean {
    return /[ \t]/.test(text) && this.#held.length >= this.#nextScan;
  }

  /** The rest. */
  end(): string {
    const made = this.#settled() + this.#passed(this.#held.length);
    this.#key = "outside";
    return made;
  }

  get #isBetweenLines(): boolean {
    return this.#heldAt === 0 && this.#held === "" && this.#keyLines.isEmpty && this.#key === "outside";
  }

  /** To its end. */
  #line(more: string): string {
    let made = this.#longLine(more);
    if (this.#key === "outside" && this.#keyLines.take(this.#held)) this.#held = "";
    else made += this.#settled() + this.#passed(this.#held.length);
    this.#heldAt = 0;
    this.#nextCut = LONGEST_LINE;
    this.#nextScan = 0;
    return made;
  }

  /** A line without end is cut where it does not depend on the pieces it came in. */
  #longLine(more: string): string {
    let made = "";
    let left = more;
    for (;;) {
      const room = this.#nextCut + LOOK_AHEAD - this.#heldAt - this.#held.length;
      if (left.length <= room) break;
      this.#held += left.slice(0, Math.max(0, room));
      left = left.slice(Math.max(0, room));
      made += this.#settled();
      made += this.#passed(cutIn(this.#held, this.#nextCut - this.#heldAt));
      this.#nextCut += LONGEST_LINE;
    }
    this.#held += left;
    return made;
  }

  /** What of a line can be passed on though more of it may come: always the same parts of it. */
  #settled(): string {
    let made = "";
    for (;;) {
      const isOpen = this.#key !== "outside" || !this.#keyLines.isEmpty || this.#redaction.mayGoOn(this.#held);
      const length = isOpen ? 0 : settledIn(this.#held);
      if (length === 0) {
        this.#nextScan = this.#held.length * GROWTH;
        return made;
      }
      made += this.#passed(length);
    }
  }

  /** So much of what is held, behind the lines that waited for it. */
  #passed(length: number): string {
    const passed = this.#keyLines.taken() + this.#held.slice(0, length);
    if (passed === "") return "";
    const { text, key } = this.#redaction.redactedPiece(passed, { key: this.#key });
    this.#held = this.#held.slice(length);
    this.#nextScan = 0;
    this.#heldAt += length;
    this.#key = key;
    return text;
  }
}

const LONGEST_LINE = 64 * 1024;
const GROWTH = 9 / 8;

/** Where the next needle stands, looked for once as long as it was not reached. */
function nextNeedle(text: string): (from: number) => number {
  let at = -1;
  return (from) => {
    if (at < from) at = needles().all.next(text, from)?.index ?? text.length;
    return at;
  };
}

/** Where the whole lines end in which no secret can begin or end: most of what there is, and passed on at once. */
function plainLines(text: string, { from, to }: { readonly from: number; readonly to: number }): number {
  let at = from;
  for (let stop = text.indexOf("\n", at); stop >= 0 && stop < to; stop = text.indexOf("\n", at)) {
    if (stop - at > LONGEST_LINE || mayBeOfKey(text, stop + 1)) break;
    at = stop + 1;
  }
  return at;
}
