/** Implements the multi-line editor, at most half of the screen high. Nothing typed or pasted may control the terminal. */

import { harmless } from "../../../text/safe-text.ts";
import type { Theme } from "../render/theme.ts";
import { Editor, type EditorTheme, type TUI } from "../terminal/pi-tui.ts";
import { type Paste, Pictures, pastesIn, picturePaths, SentPastes, type Written } from "./message.ts";

const BEGIN = "\x1b[200~";
const END = "\x1b[201~";
/** Of a completion. */
const MOST_OFFERED = 8;
/** More are one marker, as when they were pasted: each key would wait for all of them to be broken into lines. */
const MOST_LETTERS = 100_000;
/** A picture that takes longer to be read comes when it comes; typing goes on. */
const PATIENCE_MS = 2_000;

export class WritingEditor extends Editor {
  readonly pictures: Pictures = new Pictures();
  /** Takes the picture that lies there into the words; false where there is none, and the path is words. */
  onPicture: ((path: string) => Promise<boolean>) | null = null;
  /** Words are sent off. */
  onWritten: ((written: Written) => void) | null = null;
  #typed = "";
  #pastes: readonly Paste[] = [];
  readonly #sentPastes = new SentPastes();
  /** A paste that has not come to its end. */
  #pasting = "";
  /** What is pressed while pictures are read: it is heard behind them, so that no message leaves without its picture. */
  #behind: (() => void)[] | null = null;
  readonly #rows: () => number;

  constructor(tui: TUI, theme: EditorTheme) {
    super(halfOf(tui), theme);
    this.#rows = () => tui.terminal.rows;
  }

  /** Words that were just sent off, and what goes with them. */
  written(text: string): Written {
    const written = { text, typed: this.#typed, pictures: this.pictures.in(this.#typed), pastes: this.#pastes };
    return this.#sentPastes.collapse(written);
  }

  /** Sends the words off as Enter does, and by the same way, so that none overtakes another. */
  sendForLater(): void {
    if (this.#behind) return void this.#behind.push(() => this.sendForLater());
    const [typed, text] = [this.getText(), this.getExpandedText().trim()];
    if (text === "") return;
    const pastes = pastesIn(typed, this.#pastedTexts);
    this.addToHistory(text);
    this.setText("");
    const written = { text, typed, pictures: this.pictures.in(typed), pastes, isForLater: true } as const;
    this.onWritten?.(this.#sentPastes.collapse(written));
  }

  override handleInput(data: string): void {
    if (this.#behind) return void this.#behind.push(() => this.handleInput(data));
    this.#typed = this.getText();
    this.#pastes = pastesIn(this.#typed, this.#pastedTexts);
    // With its borders, and a line that counts, no more than half of the screen.
    this.setAutocompleteMaxVisible(Math.min(MOST_OFFERED, Math.floor(this.#rows() / 2) - 4));
    if (this.#pasting !== "" || data.includes(BEGIN)) this.#pastedPiece(this.#pasting + data);
    else super.handleInput(isTyping(data) ? harmless(data) : data);
  }

  /** By the numbers in their markers. The base class keeps them to itself, and forgets them before it says what was sent. */
  get #pastedTexts(): ReadonlyMap<number, string> {
    return (this as unknown as { readonly pastes: ReadonlyMap<number, string> }).pastes;
  }

  override setText(text: string): void {
    const words = harmless(text);
    super.setText(words.length > MOST_LETTERS ? "" : words);
    if (words.length > MOST_LETTERS) this.#insert(words);
  }

  override insertTextAtCursor(text: string): void {
    super.insertTextAtCursor(harmless(text));
  }

  override addToHistory(text: string): void {
    if (text.length <= MOST_LETTERS) super.addToHistory(harmless(text));
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
    const paths = this.onPicture ? picturePaths(pasted) : [];
    if (paths.length === 0) {
      this.#insert(pasted);
      return;
    }
    this.#behind = [];
    const patience = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
    void Promise.race([this.#takePictures(paths, pasted), patience]).then(() => this.#hearBehind());
  }

  /** What turns out to be no picture is words. */
  async #takePictures(paths: readonly string[], pasted: string): Promise<void> {
    const left: string[] = [];
    for (const path of paths) if (!(await this.onPicture?.(path).catch(() => false))) left.push(path);
    if (left.length > 0) this.#insert(left.length === paths.length ? pasted : left.join(" "));
    this.tui.requestRender();
  }

  #hearBehind(): void {
    const pressed = this.#behind ?? [];
    this.#behind = null;
    for (const press of pressed) press();
    this.tui.requestRender();
  }

  #insert(pasted: string): void {
    super.handleInput(`${BEGIN}${harmless(decoded(pasted))}${END}`);
  }
}

/** The editor takes three tenths of the height it is told for its lines, and two rows for its borders. */
function halfOf(tui: TUI): TUI {
  const terminal = {
    get rows(): number {
      return Math.ceil(((Math.floor(tui.terminal.rows / 2) - 2) * 10) / 3);
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

export interface EditorParts {
  readonly theme: Theme;
  readonly submitted: (written: Written) => void;
}

export function editorOn(tui: TUI, { theme, submitted }: EditorParts): WritingEditor {
  const editor = new WritingEditor(tui, {
    borderColor: theme.border,
    selectList: {
      selectedPrefix: theme.accent,
      selectedText: theme.accent,
      description: theme.dim,
      scrollInfo: theme.dim,
      noMatch: theme.dim,
    },
  });
  editor.onWritten = submitted;
  editor.onSubmit = (text) => {
    if (text.trim() === "") return;
    editor.addToHistory(text);
    submitted(editor.written(text));
  };
  // What is run and not said looks different.
  editor.onChange = (text) => {
    editor.borderColor = text.startsWith("!") ? theme.warning : theme.border;
  };
  return editor;
}
