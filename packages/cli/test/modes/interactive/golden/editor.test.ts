/** Golden screens of typing. */

import { createCompletionProvider } from "../../../../src/modes/interactive/editor/completion.ts";
import { golden } from "./golden.ts";

const provider = createCompletionProvider({
  listCommands: async () => [
    { value: "/compact", description: "summarize what was said, as far as it is not kept as it is" },
    { value: "/context", description: "what fills the context, by kind, tool and file" },
    { value: "/copy", description: "the last answer to the clipboard" },
    { value: "/review", description: "look at the newest change" },
  ],
  listArguments: async () => null,
  findPaths: async () =>
    ["src/screen/typing/editor-on.ts", "src/screen/typing/", "docs/a page of ours.md"].map((value) => ({ value })),
});

golden("the completion of a command", async ({ screen, terminal }) => {
  screen.editor.setAutocompleteProvider(provider);
  terminal.type("/co");
});

golden("the completion of a path", async ({ screen, terminal }) => {
  screen.editor.setAutocompleteProvider(provider);
  terminal.type("look at @ty");
});

golden("an editor with several lines, a long paste and an image", ({ screen, terminal }) => {
  terminal.type("this is the log:");
  terminal.press("\n", `\x1b[200~${"a line of it\n".repeat(40)}\x1b[201~`, "\n");
  screen.editorText.insert("and this is what I see: [image 1: 340 KB PNG]");
});

golden("messages that are queued during a run", ({ screen, terminal }) => {
  screen.update((state) => ({
    ...state,
    blocks: [{ kind: "user", id: "1", text: "make the tests pass", images: [] }],
    activity: { type: "running", startedAt: Date.UTC(2026, 0, 1, 11, 59, 48), phase: "thinking", chars: 0 },
    queue: {
      steering: ["leave the snapshots alone", "look at @a.ts first (+1 line)"],
      followUp: ["then write the changelog", "commit it", "and push"],
    },
  }));
  terminal.type("one more thing");
});

golden("a running shell line", ({ screen }) => {
  const line = { kind: "shell", exitCode: null, isCancelled: false, isPrivate: false, isOpen: true } as const;
  screen.update((state) => ({
    ...state,
    pendingShellBlocks: [
      {
        ...line,
        id: "s1",
        command: "npm test",
        output: "> test\n> vitest run\n\n ✓ one.test.ts (4)\n ✓ two.test.ts (2)",
      },
      { ...line, id: "s2", command: "git status", output: "", isPrivate: true },
    ],
  }));
});

golden("an editor with more lines than half of the screen", ({ terminal }) => {
  terminal.press(...Array.from({ length: 30 }, (_, at) => [...`line ${at}`, "\n"]).flat());
});
