/** The editor: several lines, at most half of the screen; nothing that comes into it can steer the terminal. */

import { Editor, type EditorTheme, type TUI } from "@earendil-works/pi-tui";
import { harmless } from "./harmless.ts";
import { picturePath } from "./pictures/picture-path.ts";
import { Pictures } from "./pictures/pictures.ts";
import type { Written } from "./written.ts";

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";
const ROWS_SHOWN = 8;

export class WritingEditor extends Editor {
  readonly pictures: Pictures = new Pictures();
  /** Takes the picture that lies there into the words; false where there is none, and the path is words. */
  onPicture: ((path: string) => Promise<boolean>) | null = null;
  #typed = "";
  /** A paste that has not come to its end. */
  #pasting = "";

  constructor(tui: TUI, theme: EditorTheme) {
    super(halfOf(tui), theme, { autocompleteMaxVisible: ROWS_SHOWN });
  }

  /** Words that were just sent off, and what goes with them. */
  written(text: string): Written {
    return { text, typed: this.#typed, pictures: this.pictures.in(this.#typed) };
  }

  /** Takes the words out of the editor, as sending them does; null where there are none. */
  taken(): Written | null {
    const [typed, text] = [this.getText(), this.getExpandedText().trim()];
    if (text === "") return null;
    this.addToHistory(text);
    this.setText("");
    return { text, typed, pictures: this.pictures.in(typed) };
  }

  override handleInput(data: string): void {
    this.#typed = this.getText();
    if (this.#pasting !== "" || data.includes(BEGIN)) this.#pastedPiece(this.#pasting + data);
    else super.handleInput(isTyping(data) ? harmless(data) : data);
  }

  override setText(text: string): void {
    super.setText(harmless(text));
  }

  override insertTextAtCursor(text: string): void {
    super.insertTextAtCursor(harmless(text));
  }

  override addToHistory(text: string): void {
    super.addToHistory(harmless(text));
  }

  #pastedPiece(all: string): void {
    const start = all.indexOf(BEGIN) + BEGIN.length;
    const end = all.indexOf(END, start);
    this.#pasting = end < 0 ? all : "";
    if (end < 0) return;
    this.#paste(all.slice(start, end));
    if (all.length > end + END.length) this.handleInput(all.slice(end + END.length));
  }

  #paste(pasted: string): void {
    const path = picturePath(pasted);
    const taking = path === null ? undefined : this.onPicture?.(path);
    if (!taking) this.#insert(pasted);
    void taking?.then((isTaken) => {
      if (!isTaken) this.#insert(pasted);
      this.tui.requestRender();
    });
  }

  #insert(pasted: string): void {
    super.handleInput(`${BEGIN}${harmless(decoded(pasted))}${END}`);
  }
}

/** The editor takes three tenths of the height it is told. */
function halfOf(tui: TUI): TUI {
  const terminal = {
    get rows(): number {
      return Math.ceil((tui.terminal.rows * 5) / 3);
    },
  };
  return { terminal, requestRender: () => tui.requestRender() } as unknown as TUI;
}

/** Signs, and no key: those begin with an escape, are a control, or the one that deletes. */
function isTyping(data: string): boolean {
  return data !== "\x7f" && (data.codePointAt(0) ?? 0) >= 0x20;
}

/** Some terminals spell line ends and tabs of a paste as keys. */
function decoded(pasted: string): string {
  return pasted.replaceAll("\x1b[106;5u", "\n").replaceAll("\x1b[109;5u", "\n").replaceAll("\x1b[105;5u", "\t");
}
