/** Implements the drawn interactive screen: state, editor and panels on one terminal. */

import type { AgentEvent } from "@pith/agent";
import { editorOn, type WritingEditor } from "./editor/editor.ts";
import type { Written } from "./editor/message.ts";
import { keyOf } from "./keys/input.ts";
import { type OpenPanel, openPanel } from "./panels/open-panel.ts";
import { isWayOut, type Panel } from "./panels/panel.ts";
import { drawBlock } from "./render/block.ts";
import { frame, Ticking } from "./render/live-region.ts";
import type { Theme } from "./render/theme.ts";
import type { Asking, Stage, Words } from "./screen-context.ts";
import type { Note } from "./state/blocks.ts";
import { printable } from "./state/finished-blocks.ts";
import { fold } from "./state/reduce.ts";
import type { ScreenState } from "./state/screen-state.ts";
import type { ImageProtocol, RgbColor, Terminal as TerminalPort } from "./terminal/pi-tui.ts";
import { FullPage, MainScreen, type Size } from "./terminal/screens.ts";
import { OneWrite } from "./terminal/terminal.ts";

export interface ScreenParts {
  readonly terminal: TerminalPort;
  readonly theme: Theme;
  /** How the terminal takes pictures; absent: not at all. */
  readonly pictures?: ImageProtocol;
  /** Whether the terminal wraps what stands on it when it becomes narrower; unless said, it does. */
  readonly isRewrapped?: boolean;
  readonly start: ScreenState;
  /** In milliseconds. */
  readonly now: () => number;
  /** What a key does that is no typing; false where it means nothing. `asked`: a panel is open there and made nothing of it. */
  readonly pressed: (key: string, amid?: { readonly asked: "inline" | "page" }) => boolean;
  readonly submitted: (written: Written) => void;
}

export class Screen implements Stage {
  readonly hasPages = true;
  readonly #parts: ScreenParts;
  readonly #port: OneWrite;
  readonly #main: MainScreen;
  readonly #editor: WritingEditor;
  readonly #ticking: Ticking = new Ticking(() => this.redraw());
  #state: ScreenState;
  /** What is asked, the newest last. */
  #asked: OpenPanel[] = [];
  #page: FullPage | null = null;
  /** Somebody else has the terminal. */
  #isLent = false;

  constructor(parts: ScreenParts) {
    this.#parts = parts;
    this.#state = parts.start;
    this.#port = new OneWrite(parts.terminal);
    this.#main = new MainScreen(this.#port, (size) => this.#frame(size), parts);
    this.#editor = editorOn(this.#main, parts);
    this.#main.setFocus(this.#editor);
    this.#main.addInputListener((data) => (this.#pressed(keyOf(data)) ? { consume: true } : undefined));
  }

  get state(): ScreenState {
    return this.#state;
  }

  get editor(): WritingEditor {
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
    this.#ticking.stop();
    // Whoever has it then leaves it in order.
    if (this.#isLent) return;
    this.#closePage();
    // What happened last is still seen.
    this.#main.renderNow();
    this.#main.stop();
  }

  hear(event: AgentEvent): void {
    this.change((state) => fold(state, event, this.#parts.now()));
  }

  change(change: (state: ScreenState) => ScreenState): void {
    const { blocks, rest } = printable(change(this.#state));
    this.#state = rest;
    this.#ticking.follow(rest.work);
    const { width } = this.#main.size;
    const { theme, now, pictures = null } = this.#parts;
    const brush = { width, theme, pictures, isUnfolded: rest.isUnfolded, now: now() };
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
    // Whoever has it already gives it on: an editor that is put to sleep takes all of us with it.
    if (this.#isLent) return await act();
    this.#isLent = true;
    this.#closePage();
    this.#main.yield();
    try {
      return await act();
    } finally {
      this.#isLent = false;
      this.#main.start();
      this.#show();
    }
  }

  send(sequence: string): void {
    this.#port.write(sequence);
  }

  /** The terminal's; undefined where it does not say it in time. */
  background(mostMs: number): Promise<RgbColor | undefined> {
    return this.#main.queryTerminalBackgroundColor({ timeoutMs: mostMs });
  }

  /** Soon, and once for all that changes until then. */
  redraw(): void {
    this.#main.requestRender();
  }

  /** A page has the terminal for itself as long as it is the newest that is asked. */
  #show(): void {
    if (this.#isLent) return;
    const isPage = this.#asked.at(-1)?.where === "page";
    if (isPage && !this.#page) {
      const page = new FullPage(this.#port, (size) => this.#asked.at(-1)?.draw({ ...size, ...this.#parts }) ?? []);
      this.#main.hold(() => page.redraw());
      this.#page = page;
      page.open();
    } else if (!isPage && this.#page) this.#closePage();
    else this.redraw();
  }

  #closePage(): void {
    if (!this.#page) return;
    this.#page.close();
    this.#page = null;
    this.#main.release();
  }

  #typed(act: () => void): void {
    act();
    this.redraw();
  }

  #pressed(key: string): boolean {
    const open = this.#asked.at(-1);
    if (!open) return this.#parts.pressed(key);
    // As without a question: a completion is closed first.
    if (open.isTyping && isWayOut(key) && this.#editor.isShowingAutocomplete()) return false;
    const use = open.press(key);
    this.#main.renderNow();
    if (use === "used") return true;
    const isActed = this.#parts.pressed(key, { asked: open.where });
    return use === "none" || isActed;
  }

  #frame(size: Size): readonly string[] {
    const { theme, now } = this.#parts;
    const open = this.#asked.findLast(({ where }) => where === "inline");
    const typed = (room: Size) => this.#editor.render(room.width).slice(-room.height);
    const input = (room: Size): readonly string[] => {
      if (!open) return typed(room);
      if (!open.isTyping) return open.draw({ ...room, theme });
      const below = typed({ ...room, height: Math.max(3, Math.floor(room.height / 2)) });
      return [...open.draw({ ...room, height: Math.max(1, room.height - below.length), theme }), ...below];
    };
    return frame({ state: this.#state, theme, input, now: now() }, size);
  }
}
