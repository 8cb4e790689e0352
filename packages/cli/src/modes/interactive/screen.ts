/** Implements the drawn interactive screen: state, editor and panels on one terminal. */

import type { AgentEvent } from "@pith/agent";
import { createEditor, type MessageEditor } from "./editor/editor.ts";
import type { EditorMessage } from "./editor/message.ts";
import { isCancelKey, type OpenPanel, openPanel, type Panel } from "./panels/panel.ts";
import { type TypingOptions, withTyping } from "./panels/typing.ts";
import { renderBlock } from "./render/block.ts";
import { RedrawTimer, renderFrame } from "./render/live-region.ts";
import type { Theme } from "./render/theme.ts";
import type { EditorText, PanelOptions, QuestionKind, ScreenApi } from "./screen-context.ts";
import type { NoteBlock } from "./state/blocks.ts";
import { splitFinished } from "./state/finished-blocks.ts";
import { reduceEvent } from "./state/reduce.ts";
import type { ScreenState } from "./state/screen-state.ts";
import { decodeKey } from "./terminal/key-input.ts";
import type { ImageProtocol, RgbColor, Terminal as TerminalPort } from "./terminal/pi-tui.ts";
import { FullPage, MainScreen, type Size } from "./terminal/screens.ts";
import { BufferedTerminal } from "./terminal/terminal.ts";

export interface ScreenOptions {
  readonly terminal: TerminalPort;
  readonly theme: Theme;
  /** The image protocol of the terminal. Absent if it shows no images. */
  readonly imageProtocol?: ImageProtocol;
  /** Whether the terminal wraps existing lines again when it becomes narrower. Default: true. */
  readonly isRewrapped?: boolean;
  readonly initialState: ScreenState;
  /** In milliseconds. */
  readonly now: () => number;
  /** Handles a key that is not text for the editor. Returns false if the key has no action. `panel` is set if an open panel did not use the key. */
  readonly onKey: (key: string, context?: { readonly panel: "inline" | "page" }) => boolean;
  readonly onSubmit: (message: EditorMessage) => void;
  /** How long no key must come before a question that the user did not open takes answers. Default: 300. 0: questions take answers once drawn. */
  readonly quietMs?: number;
}

export class Screen implements ScreenApi {
  readonly hasPages = true;
  readonly #options: ScreenOptions;
  readonly #terminal: BufferedTerminal;
  readonly #mainScreen: MainScreen;
  readonly #editor: MessageEditor;
  readonly #ticker: RedrawTimer = new RedrawTimer(() => this.redraw());
  #state: ScreenState;
  /** Open panels, newest last. */
  #panels: OpenPanel[] = [];
  #page: FullPage | null = null;
  /** Another program has the terminal. */
  #isReleased = false;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#state = options.initialState;
    this.#terminal = new BufferedTerminal(options.terminal);
    this.#mainScreen = new MainScreen(this.#terminal, (size) => this.#renderFrame(size), options);
    this.#editor = createEditor(this.#mainScreen, options);
    this.#mainScreen.setFocus(this.#editor);
    this.#mainScreen.addInputListener((data) => (this.#handleKey(decodeKey(data)) ? { consume: true } : undefined));
  }

  get state(): ScreenState {
    return this.#state;
  }

  get editor(): MessageEditor {
    return this.#editor;
  }

  get editorText(): EditorText {
    const editor = this.#editor;
    return {
      get text() {
        return editor.getExpandedText();
      },
      set: (text) => this.#edit(() => editor.setText(text)),
      insert: (text) => this.#edit(() => editor.insertTextAtCursor(text)),
    };
  }

  start(): void {
    this.#mainScreen.start();
  }

  stop(): void {
    this.#ticker.stop();
    // The other program restores the terminal.
    if (this.#isReleased) return;
    this.#closePage();
    // Shows the last changes.
    this.#mainScreen.renderNow();
    this.#mainScreen.stop();
  }

  handleEvent(event: AgentEvent): void {
    this.update((state) => reduceEvent(state, event, this.#options.now()));
  }

  update(updater: (state: ScreenState) => ScreenState): void {
    const { blocks, rest } = splitFinished(updater(this.#state));
    this.#state = rest;
    this.#ticker.update(rest.activity);
    const { width } = this.#mainScreen.size;
    const { theme, now, imageProtocol = null } = this.#options;
    const context = { width, theme, imageProtocol, isUnfolded: rest.isUnfolded, now: now() };
    if (blocks.length > 0) this.#mainScreen.print(blocks.flatMap((block) => renderBlock(block, context)));
    this.redraw();
  }

  showNote(text: string, tone: NoteBlock["tone"] = "plain"): void {
    this.update((state) => ({ ...state, blocks: [...state.blocks, { kind: "note", id: text, tone, text }] }));
  }

  async showPanel<State, Answer>(panel: Panel<State, Answer>, options: PanelOptions): Promise<Answer | null> {
    const openOptions = { ...options, onChange: () => this.redraw() };
    const openedPanel = options.question
      ? openPanel(withTyping(panel, this.#createTypingOptions(options.question)), openOptions)
      : openPanel(panel, openOptions);
    this.#panels.push(openedPanel);
    this.#syncPage();
    try {
      return await openedPanel.answer;
    } finally {
      this.#panels = this.#panels.filter((item) => item !== openedPanel);
      this.#syncPage();
    }
  }

  /** If the editor contains text, the user may still be typing. Otherwise the user needs a moment to read the question. */
  #createTypingOptions(question: QuestionKind): TypingOptions {
    const { quietMs = QUIET_MS } = this.#options;
    if (question === "seen") return { isTyping: false, quietMs: null };
    const isUnprompted = question === "unprompted";
    const isTyping = isUnprompted && this.editorText.text !== "";
    return { isTyping, quietMs: isUnprompted ? quietMs : Math.min(quietMs, FOLLOW_UP_QUIET_MS) };
  }

  async releaseTerminal<Value>(run: () => Promise<Value>): Promise<Value> {
    // The terminal is already released: suspending an external editor also suspends Pith.
    if (this.#isReleased) return await run();
    this.#isReleased = true;
    this.#closePage();
    this.#mainScreen.releaseTerminal();
    try {
      return await run();
    } finally {
      this.#isReleased = false;
      this.#mainScreen.start();
      this.#syncPage();
    }
  }

  writeSequence(sequence: string): void {
    this.#terminal.write(sequence);
  }

  /** Resolves with undefined if the terminal does not report its background colour in time. */
  queryBackground(timeoutMs: number): Promise<RgbColor | undefined> {
    return this.#mainScreen.queryTerminalBackgroundColor({ timeoutMs });
  }

  /** Schedules a redraw. All changes until then share it. */
  redraw(): void {
    this.#mainScreen.requestRender();
  }

  /** A page covers the terminal as long as it is the newest open panel. */
  #syncPage(): void {
    if (this.#isReleased) return;
    const isPage = this.#panels.at(-1)?.where === "page";
    if (isPage && !this.#page) {
      const page = new FullPage(this.#terminal, (size) => this.#renderPanel(this.#panels.at(-1), size));
      this.#mainScreen.pause(() => page.redraw());
      this.#page = page;
      page.open();
    } else if (!isPage && this.#page) this.#closePage();
    else this.redraw();
  }

  #closePage(): void {
    if (!this.#page) return;
    this.#page.close();
    this.#page = null;
    this.#mainScreen.resume();
  }

  #edit(change: () => void): void {
    change();
    this.redraw();
  }

  #handleKey(key: string): boolean {
    const panel = this.#panels.at(-1);
    if (!panel) return this.#options.onKey(key);
    // Esc closes an open completion first, as it does without a panel.
    if (panel.isTyping && isCancelKey(key) && this.#editor.isShowingAutocomplete()) return false;
    const outcome = panel.handleKey(key);
    this.#mainScreen.renderNow();
    if (outcome === "used") return true;
    if (outcome === "early") return this.#options.onKey(key);
    const isHandled = this.#options.onKey(key, { panel: panel.where });
    return outcome === "none" || isHandled;
  }

  #renderFrame(size: Size): readonly string[] {
    const { theme, now } = this.#options;
    const panel = this.#panels.findLast(({ where }) => where === "inline");
    const renderInput = (area: Size): readonly string[] => this.#renderPanel(panel, area);
    return renderFrame({ state: this.#state, theme, renderInput, now: now() }, size);
  }

  /** Without a panel, renders the editor; while the user types at a question, both. */
  #renderPanel(panel: OpenPanel | undefined, area: Size): readonly string[] {
    const { theme } = this.#options;
    if (!panel) return this.#renderEditor(area);
    if (!panel.isTyping) return panel.render({ ...area, theme });
    const editorLines = this.#renderEditor({ ...area, height: Math.max(3, Math.floor(area.height / 2)) });
    return [...panel.render({ ...area, height: Math.max(1, area.height - editorLines.length), theme }), ...editorLines];
  }

  #renderEditor({ width, height }: Size): readonly string[] {
    return this.#editor.render(width).slice(-height);
  }
}

const QUIET_MS = 300;
/** Long enough that keys which came before it was drawn are read first. */
const FOLLOW_UP_QUIET_MS = 1;
