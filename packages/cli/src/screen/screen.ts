/** The interactive screen as it lives: state, editor and panels, drawn on one terminal. */

import type { Editor, Terminal as TerminalPort } from "@earendil-works/pi-tui";
import type { AgentEvent } from "@pith/agent";
import { drawBlock } from "./drawing/draw-block.ts";
import type { Theme } from "./drawing/theme.ts";
import { keyOf } from "./keys/key-of.ts";
import { frame } from "./live/frame.ts";
import { type OpenPanel, openPanel } from "./panels/open-panel.ts";
import type { Panel } from "./panels/panel.ts";
import type { Asking, Stage, Words } from "./stage.ts";
import type { Note } from "./state/block.ts";
import { fold } from "./state/folding/fold.ts";
import { printable } from "./state/printable.ts";
import type { ScreenState } from "./state/screen-state.ts";
import { FullPage } from "./terminal/full-page.ts";
import { MainScreen, type Size } from "./terminal/main-screen.ts";
import { OneWrite } from "./terminal/one-write.ts";
import { editorOn } from "./typing/editor-on.ts";

export interface ScreenParts {
  readonly terminal: TerminalPort;
  readonly theme: Theme;
  readonly start: ScreenState;
  /** In milliseconds. */
  readonly now: () => number;
  /** What a key does that is no typing; false where it means nothing. */
  readonly pressed: (key: string) => boolean;
  readonly submitted: (text: string) => void;
}

export class Screen implements Stage {
  readonly #parts: ScreenParts;
  readonly #port: OneWrite;
  readonly #main: MainScreen;
  readonly #editor: Editor;
  #state: ScreenState;
  /** What is asked, the newest last. */
  #asked: OpenPanel[] = [];
  #page: FullPage | null = null;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
    this.#state = parts.start;
    this.#port = new OneWrite(parts.terminal);
    this.#main = new MainScreen(this.#port, (size) => this.#frame(size));
    this.#editor = editorOn(this.#main, parts);
    this.#main.setFocus(this.#editor);
    this.#main.addInputListener((data) => (this.#pressed(keyOf(data)) ? { consume: true } : undefined));
  }

  get state(): ScreenState {
    return this.#state;
  }

  get editor(): Editor {
    return this.#editor;
  }

  get words(): Words {
    const editor = this.#editor;
    return {
      get text() {
        return editor.getExpandedText();
      },
      set: (text) => this.#typed(() => editor.setText(text)),
      insert: (text) => this.#typed(() => editor.insertTextAtCursor(text)),
    };
  }

  start(): void {
    this.#main.start();
  }

  stop(): void {
    this.#page?.close();
    this.#main.stop();
  }

  hear(event: AgentEvent): void {
    this.change((state) => fold(state, event, this.#parts.now()));
  }

  change(change: (state: ScreenState) => ScreenState): void {
    const { blocks, rest } = printable(change(this.#state));
    this.#state = rest;
    const { width } = this.#main.size;
    const { theme, now } = this.#parts;
    const brush = { width, theme, isUnfolded: rest.isUnfolded, now: now() };
    if (blocks.length > 0) this.#main.print(blocks.flatMap((block) => drawBlock(block, brush)));
    this.redraw();
  }

  tell(text: string, tone: Note["tone"] = "plain"): void {
    this.change((state) => ({ ...state, blocks: [...state.blocks, { kind: "note", id: text, tone, text }] }));
  }

  async ask<State, Answer>(panel: Panel<State, Answer>, asking: Asking): Promise<Answer | null> {
    const open = openPanel(panel, { ...asking, changed: () => this.redraw() });
    this.#asked.push(open);
    this.#show();
    try {
      return await open.answer;
    } finally {
      this.#asked = this.#asked.filter((each) => each !== open);
      this.#show();
    }
  }

  async lend<Value>(act: () => Promise<Value>): Promise<Value> {
    this.#main.stop();
    try {
      return await act();
    } finally {
      this.#main.start();
    }
  }

  redraw(): void {
    if (this.#page) this.#page.redraw();
    else this.#main.requestRender();
  }

  /** A page has the terminal for itself as long as it is the newest that is asked. */
  #show(): void {
    const page = this.#asked.at(-1)?.where === "page";
    if (page && !this.#page) {
      this.#main.hold();
      this.#page = new FullPage(this.#port, (size) => this.#asked.at(-1)?.draw({ ...size, ...this.#parts }) ?? []);
      this.#page.open();
    } else if (!page && this.#page) {
      this.#page.close();
      this.#page = null;
      this.#main.release();
    } else this.redraw();
  }

  #typed(act: () => void): void {
    act();
    this.redraw();
  }

  #pressed(key: string): boolean {
    const open = this.#asked.at(-1);
    if (!open) return this.#parts.pressed(key);
    open.press(key);
    this.redraw();
    return true;
  }

  #frame(size: Size): readonly string[] {
    const { theme, now } = this.#parts;
    const open = this.#asked.findLast(({ where }) => where === "inline");
    const input = (room: Size) => open?.draw({ ...room, theme }) ?? this.#editor.render(room.width).slice(-room.height);
    return frame({ state: this.#state, theme, input, now: now() }, size);
  }
}
