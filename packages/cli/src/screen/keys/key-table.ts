/** Every key that is no typing: what it does, and how it is pressed unless the keymap file says otherwise. */

export interface KeyRow {
  /** As the keymap file names it. */
  readonly id: ActionId;
  readonly keys: readonly string[];
  /** What it does, for people. */
  readonly says: string;
}

export type ActionId =
  | "stop"
  | "quit"
  | "clear"
  | "tree"
  | "fold"
  | "transcript"
  | "mode"
  | "suspend"
  | "model"
  | "externalEditor"
  | "followUp"
  | "takeBack"
  | "pasteImage"
  | "undoCompaction"
  | "seen"
  | "context";

export const keyTable: readonly KeyRow[] = [
  { id: "stop", keys: ["escape"], says: "stop what is under way" },
  { id: "tree", keys: ["escape escape"], says: "the tree of this session, when nothing is under way" },
  { id: "clear", keys: ["ctrl+c"], says: "stop, or empty the editor; twice: quit" },
  { id: "quit", keys: ["ctrl+d"], says: "quit, when the editor is empty" },
  { id: "suspend", keys: ["ctrl+z"], says: "sleep; fg in the shell brings it back" },
  { id: "fold", keys: ["ctrl+o"], says: "open or close what is folded" },
  { id: "transcript", keys: ["ctrl+t"], says: "all that was said and done, from the beginning" },
  { id: "mode", keys: ["shift+tab"], says: "the next permission mode: plan, ask, edit" },
  { id: "model", keys: ["ctrl+l"], says: "choose who speaks" },
  { id: "externalEditor", keys: ["ctrl+g"], says: "write on in your editor" },
  { id: "followUp", keys: ["alt+enter"], says: "say it when the work under way is done" },
  { id: "takeBack", keys: ["alt+up"], says: "take what waits back into the editor" },
  { id: "pasteImage", keys: ["ctrl+v"], says: "paste a picture" },
  { id: "undoCompaction", keys: ["alt+u"], says: "undo the newest compaction, or take that back" },
  { id: "seen", keys: ["alt+s"], says: "what the model sees now" },
  { id: "context", keys: ["alt+c"], says: "what fills the context" },
];
