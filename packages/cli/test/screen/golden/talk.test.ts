/** Golden screens of a talk. */

import { golden } from "./golden.ts";

golden("an empty session", () => {});
golden("a question and its answer", ({ screen }) => {
  screen.change((state) => ({
    ...state,
    blocks: [
      { kind: "said", id: "1", text: "why does the test fail?", images: [] },
      { kind: "answered", id: "2", text: "Because **it** must.", isOpen: false, printed: 0 },
    ],
  }));
});
