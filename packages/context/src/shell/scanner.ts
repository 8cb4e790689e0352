/** Walks through the text of a shell line, from left to right, and bounds how deep its commands may nest. */

/** Thrown where a line cannot be understood for certain, and caught where its parsing began. */
export class ShellParseError extends Error {}

/** A here-document whose body begins behind the next line end. */
export interface HeredocStart {
  readonly lastLine: string;
  /** Written `<<-`: tabs before its lines do not count. */
  readonly isIndented: boolean;
  /** A quoted last line makes the body plain text. */
  readonly isQuoted: boolean;
  /** Called with the body when it is reached: null where something is substituted in it. */
  readonly onBody: (body: string | null) => void;
}

export class ShellScanner {
  readonly text: string;
  position = 0;
  heredocs: HeredocStart[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.text[this.position] ?? "";
  }

  sliceText(start: number): string {
    return this.text.slice(start, this.position);
  }

  matches(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    return pattern.test(this.text);
  }

  /** Goes past what is here; null where it is something else. */
  consume(pattern: RegExp): string | null {
    pattern.lastIndex = this.position;
    const [match] = pattern.exec(this.text) ?? [null];
    this.position += match?.length ?? 0;
    return match;
  }

  /** Goes past what has to be here. */
  expect(pattern: RegExp): string {
    const match = this.consume(pattern);
    if (match === null) throw new ShellParseError();
    return match;
  }

  /** Reads a line of a here-document, without its line end; the last line of a text needs none. */
  consumeLine(): string {
    if (this.position >= this.text.length) throw new ShellParseError();
    const end = this.text.indexOf("\n", this.position);
    const line = this.text.slice(this.position, end < 0 ? this.text.length : end);
    this.position += line.length + 1;
    return line;
  }
}

/** Blanks that only look like blanks, and characters that do not look like anything. */
export const hiddenCharPattern = (): RegExp => /[[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}]--[\t\n ]]/v;
