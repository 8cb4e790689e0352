/** Where one types: several lines, with history and completion. */

import { Editor, type TUI } from "@earendil-works/pi-tui";
import type { Theme } from "../drawing/theme.ts";

export interface EditorParts {
  readonly theme: Theme;
  readonly submitted: (text: string) => void;
}

export function editorOn(tui: TUI, { theme, submitted }: EditorParts): Editor {
  const editor = new Editor(tui, {
    borderColor: theme.border,
    selectList: {
      selectedPrefix: theme.accent,
      selectedText: theme.accent,
      description: theme.dim,
      scrollInfo: theme.dim,
      noMatch: theme.dim,
    },
  });
  editor.onSubmit = (text) => {
    if (text.trim() === "") return;
    editor.addToHistory(text);
    submitted(text);
  };
  return editor;
}
