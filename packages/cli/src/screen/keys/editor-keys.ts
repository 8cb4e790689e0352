/** Keys of the editor itself, under the ids that pi-tui gives them, and what each does. */

export interface EditorKeyRow {
  /** As the keymap file names it. */
  readonly id: EditorKeyId;
  readonly keys: readonly string[];
  /** What it does, for people. */
  readonly says: string;
}

export type EditorKeyId = `tui.${"editor" | "input" | "select"}.${string}`;

export const editorKeys: readonly EditorKeyRow[] = [
  { id: "tui.input.submit", keys: ["enter"], says: "say it; while it works: before its next request" },
  { id: "tui.input.newLine", keys: ["shift+enter", "ctrl+j"], says: "a new line; so does \\ at the end of one" },
  { id: "tui.input.tab", keys: ["tab"], says: "complete a command, an argument or a path" },
  { id: "tui.editor.cursorUp", keys: ["up"], says: "a line up; on the first: what was said before" },
  { id: "tui.editor.cursorDown", keys: ["down"], says: "a line down; on the last: what was said after it" },
  { id: "tui.editor.cursorLeft", keys: ["left", "ctrl+b"], says: "a letter to the left" },
  { id: "tui.editor.cursorRight", keys: ["right", "ctrl+f"], says: "a letter to the right" },
  { id: "tui.editor.cursorWordLeft", keys: ["alt+left", "ctrl+left", "alt+b"], says: "a word to the left" },
  { id: "tui.editor.cursorWordRight", keys: ["alt+right", "ctrl+right", "alt+f"], says: "a word to the right" },
  { id: "tui.editor.cursorLineStart", keys: ["home", "ctrl+home", "ctrl+a"], says: "to the start of the line" },
  { id: "tui.editor.cursorLineEnd", keys: ["end", "ctrl+end", "ctrl+e"], says: "to the end of the line" },
  { id: "tui.editor.pageUp", keys: ["pageUp", "ctrl+pageUp"], says: "a page up" },
  { id: "tui.editor.pageDown", keys: ["pageDown", "ctrl+pageDown"], says: "a page down" },
  { id: "tui.editor.jumpForward", keys: ["ctrl+]"], says: "forward to the letter that is typed next" },
  { id: "tui.editor.jumpBackward", keys: ["ctrl+alt+]"], says: "back to the letter that is typed next" },
  { id: "tui.editor.deleteCharBackward", keys: ["backspace"], says: "delete the letter before" },
  { id: "tui.editor.deleteCharForward", keys: ["delete", "ctrl+d"], says: "delete the letter behind" },
  { id: "tui.editor.deleteWordBackward", keys: ["ctrl+w", "alt+backspace"], says: "delete the word before" },
  { id: "tui.editor.deleteWordForward", keys: ["alt+d", "alt+delete"], says: "delete the word behind" },
  { id: "tui.editor.deleteToLineStart", keys: ["ctrl+u"], says: "delete to the start of the line" },
  { id: "tui.editor.deleteToLineEnd", keys: ["ctrl+k"], says: "delete to the end of the line" },
  { id: "tui.editor.yank", keys: ["ctrl+y"], says: "put back what was deleted last" },
  { id: "tui.editor.yankPop", keys: ["alt+y"], says: "put back what was deleted before that" },
  { id: "tui.editor.undo", keys: ["ctrl+-"], says: "undo the last change of the words" },
  { id: "tui.editor.historyPrevious", keys: [], says: "what was said before, wherever the cursor is" },
  { id: "tui.editor.historyNext", keys: [], says: "what was said after it, wherever the cursor is" },
  { id: "tui.select.up", keys: ["up"], says: "the row above, in a completion" },
  { id: "tui.select.down", keys: ["down"], says: "the row below, in a completion" },
  { id: "tui.select.confirm", keys: ["enter"], says: "take the row, in a completion" },
  { id: "tui.select.cancel", keys: ["escape", "ctrl+c"], says: "close a completion" },
];
