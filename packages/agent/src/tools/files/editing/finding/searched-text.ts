/** A text that one thing after another is looked up in: what is made of it for the first serves the others. */

import { plainSigns } from "./plain-signs.ts";

export class SearchedText {
  readonly text: string;
  #plain: string | null = null;
  #lines: readonly string[] | null = null;
  #trimmed: readonly string[] | null = null;
  #bare: readonly string[] | null = null;

  constructor(text: string) {
    this.text = text;
  }

  /** With plain signs, each at its place. */
  get plain(): string {
    this.#plain ??= plainSigns(this.text);
    return this.#plain;
  }

  get lines(): readonly string[] {
    this.#lines ??= this.text.split("\n");
    return this.#lines;
  }

  /** Lines of plain signs without the blanks at their ends. */
  get trimmed(): readonly string[] {
    this.#trimmed ??= this.plain.split("\n").map((line) => line.trim());
    return this.#trimmed;
  }

  /** Without any blanks. */
  get bare(): readonly string[] {
    this.#bare ??= this.trimmed.map((line) => line.replace(/\s+/g, ""));
    return this.#bare;
  }
}
