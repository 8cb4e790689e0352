/** Where one types: several lines, with history and completion. */

import type { TUI } from "@earendil-works/pi-tui";
import type { Theme } from "../drawing/theme.ts";
import { WritingEditor } from "./writing-editor.ts";
import type { Written } from "./written.ts";

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
