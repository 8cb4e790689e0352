/** Golden screens of typing. */

import { completion } from "../../../../src/modes/interactive/editor/completion.ts";
import { golden } from "./golden.ts";

const provider = completion({
  commands: async () => [
    { value: "/compact", says: "summarise what was said, as far as it is not kept as it is" },
    { value: "/context", says: "what fills the context, by kind, tool and file" },
    { value: "/copy", says: "the last answer to the clipboard" },
    { value: "/review", says: "look at the newest change" },
  ],
  argumentsOf: async () => null,
  paths: async () =>
    ["src/screen/typing/editor-on.ts", "src/screen/typing/", "docs/a page of ours.md"].map((value) => ({ value })),
});

golden("a completion of commands", async ({ screen, terminal }) => {
  screen.editor.setAutocompleteProvider(provider);
  terminal.type("/co");
});

golden("a completion of paths", async ({ screen, terminal }) => {
  screen.editor.setAutocompleteProvider(provider);
  terminal.type("look at @ty");
});

golden("several lines with a long paste and a picture", ({ screen, terminal }) => {
  terminal.type("this is the log:");
  terminal.press("\n", `\x1b[200~${"a line of it\n".repeat(40)}\x1b[201~`, "\n");
  screen.words.insert("and this is what I see: [picture 1: 340 KB png]");
});

golden("words that wait while it works", ({ screen, terminal }) => {
  screen.change((state) => ({
    ...state,
    blocks: [{ kind: "said", id: "1", text: "make the tests pass", images: [] }],
    work: { type: "running", since: Date.UTC(2026, 0, 1, 11, 59, 48), doing: "thinking", letters: 0 },
    queue: {
      steering: ["leave the snapshots alone", "look at @a.ts first (+1 line)"],
      followUp: ["then write the changelog", "commit it", "and push"],
    },
  }));
  terminal.type("one more thing");
});

golden("a shell line that runs", ({ screen }) => {
  const line = { kind: "shell", exitCode: null, isCancelled: false, isPrivate: false, isOpen: true } as const;
  screen.change((state) => ({
    ...state,
    shell: [
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

golden("more lines than half of the screen", ({ terminal }) => {
  terminal.press(...Array.from({ length: 30 }, (_, at) => [...`line ${at}`, "\n"]).flat());
});
