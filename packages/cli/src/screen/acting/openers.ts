/** Commands that open a panel where there is a screen; every other way of calling them is answered as anywhere. */

import type { Opener } from "./talking.ts";

/** By the command's name, without its slash. Loaded when they are wanted. */
export const openers: Readonly<Record<string, () => Promise<Opener>>> = {
  resume: async () => (await import("./sessions/resume.ts")).resume,
  new: async () => (await import("./sessions/begin-new.ts")).beginNew,
  clear: async () => (await import("./sessions/begin-new.ts")).beginNew,
  reload: async () => (await import("./sessions/reload.ts")).reloadOnScreen,
  transcript: async () => (await import("./sessions/transcript/open-transcript.ts")).openTranscript,
  tree: async () => (await import("./walking/open-tree.ts")).openTree,
  fork: async () => (await import("./walking/open-tree.ts")).openFork,
  branch: async () => (await import("./walking/open-tree.ts")).openFork,
  mode: async () => (await import("./permitting/change-mode.ts")).openMode,
  model: async () => (await import("./choosing/choose-model.ts")).openModels,
  thinking: async () => (await import("./choosing/choose-thinking.ts")).openThinking,
  settings: async () => (await import("./choosing/show-settings.ts")).openSettings,
  compact: async () => (await import("./fitting/open-compact.ts")).openCompact,
  undo: async () => (await import("./fitting/step-compaction.ts")).openUndo,
  redo: async () => (await import("./fitting/step-compaction.ts")).openRedo,
  autocompact: async () => (await import("./fitting/open-autocompact.ts")).openAutocompact,
  context: async () => (await import("./fitting/open-context.ts")).openContext,
  seen: async () => (await import("./fitting/open-seen.ts")).openSeen,
  copy: async () => (await import("./looking/copy.ts")).copyOnScreen,
  diff: async () => (await import("./looking/diff.ts")).diffOnScreen,
};

/** Those that open no panel, so that they are wanted without pages, too. */
export const wordless: readonly string[] = ["copy", "new", "clear", "reload"];
