/** Implements the multi-line editor and stores its history. Typed or pasted text must never control the terminal. */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeOwnerOnlyFile } from "@pith/agent/node";
import type { HostContext } from "@pith/host/host-context";
import { stripControls } from "@pith/host/text/safe-text";
import type { Theme } from "../render/theme.ts";
import { Editor, type EditorTheme, getKeybindings, type TUI } from "../terminal/pi-tui.ts";
import { type EditorMessage, ImageAttachments, parseImagePaths } from "./message.ts";
import { findPastes, type Paste, SentPastes } from "./paste-markers.ts";

const PASTE_START = "\x1b[200~";

const PASTE_END = "\x1b[201~";

const MAX_COMPLETIONS = 8;

/** Longer text becomes a paste marker, because the editor wraps its whole text again for each key. */
const MAX_TEXT_CHARS = 100_000;

/** Input waits this long for an image. A slower image is inserted when it is read. */
const IMAGE_WAIT_MS = 2_000;

/** What can be completed before the cursor. `prefix` is the text that a suggestion replaces. */
export type CompletionTarget =
  | { readonly kind: "command" | "path"; readonly prefix: string }
  | { readonly kind: "argument"; readonly prefix: string; readonly command: string };

/** Finds the path, command or argument before the cursor. A command begins the message. */
export function findCompletionTarget(
  lines: readonly string[],
  { line, col }: { readonly line: number; readonly col: number },
): CompletionTarget | null {
  const before = (lines[line] ?? "").slice(0, col);
  const path = /(?:^|[\s(])(@(?:"[^"]*|\S*))$/.exec(before)?.[1];
  if (path !== undefined) return { kind: "path", prefix: path };
  if (line > 0) return null;
  if (/^\/[^\s/]*$/.test(before)) return { kind: "command", prefix: before };
  const [, command, argument = ""] = /^\/(\S+)\s+(\S*)$/.exec(before) ?? [];
  return command === undefined ? null : { kind: "argument", prefix: argument, command };
}

export class MessageEditor extends Editor {
  readonly images: ImageAttachments = new ImageAttachments();
  /** Attaches the image at a path. Returns false if there is none, so that the path is inserted as text. */
  onImagePath: ((path: string) => Promise<boolean>) | null = null;
  /** Receives follow-up messages. */
  onMessage: ((message: EditorMessage) => void) | null = null;
  #textBeforeInput = "";
  #pastes: readonly Paste[] = [];
  readonly #sentPastes = new SentPastes();
  /** The beginning of a paste whose end has not arrived yet. */
  #pasteBuffer = "";
  /** Input that arrives while images are read. It is handled afterwards, so that no message is sent without its image. Otherwise null. */
  #pendingInput: (() => void)[] | null = null;
  /** True if the user has moved to another suggestion of the list. */
  #hasMovedInList = false;
  readonly #getRows: () => number;

  constructor(tui: TUI, theme: EditorTheme) {
    super(withHalfHeight(tui), theme);
    this.#getRows = () => tui.terminal.rows;
  }

  /** Builds a message from the submitted text, with its images and pastes. */
  buildMessage(text: string): EditorMessage {
    const message = {
      text,
      typed: this.#textBeforeInput,
      images: this.images.findIn(this.#textBeforeInput),
      pastes: this.#pastes,
    };
    return this.#sentPastes.collapse(message);
  }

  /** Sends the text as a follow-up. It passes through the same input queue as Enter, so that messages keep their order. */
  sendAsFollowUp(): void {
    if (this.#pendingInput) return void this.#pendingInput.push(() => this.sendAsFollowUp());
    const [typed, text] = [this.getText(), this.getExpandedText().trim()];
    if (text === "") return;
    const pastes = findPastes(typed, this.#pastedTexts);
    this.addToHistory(text);
    this.setText("");
    const message = { text, typed, images: this.images.findIn(typed), pastes, isFollowUp: true } as const;
    this.onMessage?.(this.#sentPastes.collapse(message));
  }

  override handleInput(data: string): void {
    if (this.#pendingInput) return void this.#pendingInput.push(() => this.handleInput(data));
    this.#textBeforeInput = this.getText();
    this.#pastes = findPastes(this.#textBeforeInput, this.#pastedTexts);
    // The list, its borders and its position line take at most half of the screen.
    this.setAutocompleteMaxVisible(Math.min(MAX_COMPLETIONS, Math.floor(this.#getRows() / 2) - 4));
    this.#prepareList(data);
    if (this.#pasteBuffer !== "" || data.includes(PASTE_START)) this.#handlePaste(this.#pasteBuffer + data);
    else super.handleInput(isPrintable(data) ? stripControls(data) : data);
    if (this.getText() !== this.#textBeforeInput) this.#updateCompletion();
  }

  /** Closes the list before Enter or Tab if the key must not take a suggestion from it. */
  #prepareList(data: string): void {
    if (!this.isShowingAutocomplete()) return;
    const keys = getKeybindings();
    if (keys.matches(data, "tui.select.up") || keys.matches(data, "tui.select.down")) this.#hasMovedInList = true;
    const isEnter = keys.matches(data, "tui.select.confirm");
    if (!isEnter && !keys.matches(data, "tui.input.tab")) return;
    const target = findCompletionTarget(this.getLines(), this.getCursor());
    // Quick keys change the text before the list follows.
    const isOutdated = target?.prefix !== this.#base.autocompletePrefix;
    // Enter sends an argument as it is typed: a command accepts more than the list offers, such as a short model name.
    const isSentAsTyped = isEnter && target?.kind === "argument" && !this.#hasMovedInList;
    if (isOutdated || isSentAsTyped) this.#base.cancelAutocomplete();
  }

  /** Updates an open list after every change. The base class does not after some, such as Ctrl+U. */
  #updateCompletion(): void {
    this.#hasMovedInList = false;
    if (this.isShowingAutocomplete()) this.#base.updateAutocomplete();
    else this.#completeFolder();
  }

  /** Offers the contents of a folder after its slash. The base class does not: it opens a list only after a letter. */
  #completeFolder(): void {
    const target = findCompletionTarget(this.getLines(), this.getCursor());
    if (target?.kind === "path" && target.prefix.endsWith("/")) this.#base.tryTriggerAutocomplete();
  }

  /** Pasted texts by the number in their marker. The base class clears them before it calls `onSubmit`. */
  get #pastedTexts(): ReadonlyMap<number, string> {
    return this.#base.pastes;
  }

  get #base(): PrivateParts {
    return this as unknown as PrivateParts;
  }

  override setText(text: string): void {
    const safeText = stripControls(text);
    super.setText(safeText.length > MAX_TEXT_CHARS ? "" : safeText);
    if (safeText.length > MAX_TEXT_CHARS) this.#insertText(safeText);
  }

  override insertTextAtCursor(text: string): void {
    super.insertTextAtCursor(stripControls(text));
  }

  override addToHistory(text: string): void {
    if (text.length <= MAX_TEXT_CHARS) super.addToHistory(stripControls(text));
  }

  #handlePaste(data: string): void {
    const start = data.indexOf(PASTE_START) + PASTE_START.length;
    const end = data.indexOf(PASTE_END, start);
    this.#pasteBuffer = end < 0 ? data : "";
    if (end < 0) return;
    this.#insertPaste(data.slice(start, end));
    if (data.length > end + PASTE_END.length) this.handleInput(data.slice(end + PASTE_END.length));
  }

  #insertPaste(text: string): void {
    const paths = this.onImagePath ? parseImagePaths(text) : [];
    if (paths.length === 0) {
      this.#insertText(text);
      return;
    }
    this.#pendingInput = [];
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, IMAGE_WAIT_MS).unref());
    void Promise.race([this.#attachImages(paths, text), timeout]).then(() => this.#flushPendingInput());
  }

  /** A path that is not an image is inserted as text. */
  async #attachImages(paths: readonly string[], text: string): Promise<void> {
    const otherPaths: string[] = [];
    for (const path of paths) if (!(await this.onImagePath?.(path).catch(() => false))) otherPaths.push(path);
    if (otherPaths.length > 0) this.#insertText(otherPaths.length === paths.length ? text : otherPaths.join(" "));
    this.tui.requestRender();
  }

  #flushPendingInput(): void {
    const pending = this.#pendingInput ?? [];
    this.#pendingInput = null;
    for (const handle of pending) handle();
    this.tui.requestRender();
  }

  #insertText(text: string): void {
    super.handleInput(`${PASTE_START}${stripControls(decodePaste(text))}${PASTE_END}`);
  }
}

/** What the base class keeps private. */
interface PrivateParts {
  readonly pastes: ReadonlyMap<number, string>;
  /** The text that the open list completes. */
  readonly autocompletePrefix: string;
  tryTriggerAutocomplete(): void;
  updateAutocomplete(): void;
  cancelAutocomplete(): void;
}

/** Reports a height that makes the editor half of the screen high: it uses 30% of the height for lines, plus two rows for borders. */
function withHalfHeight(tui: TUI): TUI {
  const terminal = {
    get rows(): number {
      return Math.ceil(((Math.floor(tui.terminal.rows / 2) - 2) * 10) / 3);
    },
  };
  return { terminal, requestRender: () => tui.requestRender() } as unknown as TUI;
}

/** True for text. The data of a key begins with a control character or is DEL. */
function isPrintable(data: string): boolean {
  return data !== "\x7f" && (data.codePointAt(0) ?? 0) >= 0x20;
}

/** Some terminals encode the line ends and tabs of a paste as keys. */
function decodePaste(text: string): string {
  return text.replaceAll("\x1b[106;5u", "\n").replaceAll("\x1b[109;5u", "\n").replaceAll("\x1b[105;5u", "\t");
}

export function createEditor(
  tui: TUI,
  { theme, onSubmit }: { readonly theme: Theme; readonly onSubmit: (message: EditorMessage) => void },
): MessageEditor {
  const editor = new MessageEditor(tui, {
    borderColor: theme.border,
    selectList: {
      selectedPrefix: theme.accent,
      selectedText: theme.accent,
      description: theme.dim,
      scrollInfo: theme.dim,
      noMatch: theme.dim,
    },
  });
  editor.onMessage = onSubmit;
  editor.onSubmit = (text) => {
    if (text.trim() === "") return;
    editor.addToHistory(text);
    onSubmit(editor.buildMessage(text));
  };
  // A shell line has a border of another colour.
  editor.onChange = (text) => {
    editor.borderColor = text.startsWith("!") ? theme.warning : theme.border;
  };
  return editor;
}

/** The length of the base editor's history. */
const MAX_LOADED_PROMPTS = 100;

/** A file with more lines is rewritten with only the newest prompts. */
const MAX_FILE_LINES = 1_000;

const MAX_PROMPT_CHARS = 16 * 1024;

const MAX_FILE_BYTES = 8 * 1024 * 1024;

export type HistoryLocation = Pick<HostContext, "cwd" | "home">;

/** Returns the prompts, oldest first. Returns an empty list if the file cannot be read. */
export async function readHistory(location: HistoryLocation): Promise<readonly string[]> {
  const path = historyFile(location);
  const text = await readFile(path, "utf8").catch(() => "");
  const prompts = text.split("\n").flatMap(parseLine);
  if (prompts.length > MAX_FILE_LINES || text.length > MAX_FILE_BYTES)
    await writeOwnerOnlyFile(path, Buffer.from(prompts.slice(-MAX_LOADED_PROMPTS).map(formatLine).join("")));
  return [...new Set(prompts.toReversed())].slice(0, MAX_LOADED_PROMPTS).toReversed();
}

/** Appends a prompt, which must not contain secrets. Very long prompts are not saved. */
export async function addToHistory(prompt: string, location: HistoryLocation): Promise<void> {
  if (prompt.length > MAX_PROMPT_CHARS) return;
  const path = historyFile(location);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  const file = await open(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
  await file
    .chmod(0o600)
    .then(() => file.write(formatLine(prompt)))
    .finally(() => file.close());
}

export function historyFile({ home, cwd }: HistoryLocation): string {
  return join(home, "history", `${createHash("sha256").update(cwd).digest("hex").slice(0, 24)}.jsonl`);
}

function formatLine(prompt: string): string {
  return `${JSON.stringify(prompt)}\n`;
}

/** Ignores an incomplete line. */
function parseLine(line: string): readonly string[] {
  try {
    const prompt: unknown = JSON.parse(line);
    return typeof prompt === "string" ? [prompt] : [];
  } catch {
    return [];
  }
}
