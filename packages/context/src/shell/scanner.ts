/** Walks through the text of a shell line, from left to right, and bounds how deep its commands may nest. */

/** Thrown where a line cannot be understood for certain, and caught where its parsing began. */
export class Unreadable extends Error {}

/** A here-document whose body begins behind the next line end. */
export interface PendingDocument {
  readonly lastLine: string;
  /** Written `<<-`: tabs before its lines do not count. */
  readonly isIndented: boolean;
  /** A quoted last line makes the body plain text. */
  readonly isQuoted: boolean;
  /** Called with the body when it is reached: null where something is substituted in it. */
  readonly onBody: (body: string | null) => void;
}

export class Scanner {
  readonly text: string;
  at = 0;
  documents: PendingDocument[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.text[this.at] ?? "";
  }

  since(start: number): string {
    return this.text.slice(start, this.at);
  }

  sees(sticky: RegExp): boolean {
    sticky.lastIndex = this.at;
    return sticky.test(this.text);
  }

  /** Goes past what is here; null where it is something else. */
  take(sticky: RegExp): string | null {
    sticky.lastIndex = this.at;
    const [taken] = sticky.exec(this.text) ?? [null];
    this.at += taken?.length ?? 0;
    return taken;
  }

  /** Goes past what has to be here. */
  require(sticky: RegExp): string {
    const taken = this.take(sticky);
    if (taken === null) throw new Unreadable();
    return taken;
  }

  /** Reads a line of a here-document, without its line end; the last line of a text needs none. */
  takeLine(): string {
    if (this.at >= this.text.length) throw new Unreadable();
    const end = this.text.indexOf("\n", this.at);
    const line = this.text.slice(this.at, end < 0 ? this.text.length : end);
    this.at += line.length + 1;
    return line;
  }
}

/** Blanks that only look like blanks, and characters that do not look like anything. */
export const hiddenPattern = (): RegExp => /[[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]--[\t\n ]]/v;
