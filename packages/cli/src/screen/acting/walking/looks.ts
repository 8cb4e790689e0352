/** What the pages of the tree are called, what they show, and which keys they name. */

import { forkSieves, treeSieves } from "../../panels/walking/rows/sieve.ts";
import type { TreeParts } from "../../panels/walking/tree/tree-panel.ts";

export type Look = Pick<TreeParts, "title" | "hints" | "sieves" | "enter">;

export const treeLook: Look = {
  title: "Tree",
  hints: [
    ...["Enter goes", "/ search", "Tab filter", "←→ fold", "l label", "f fork", "[ ] branches"],
    ...["b where you last left", "Space reads on", "Esc closes"],
  ],
  sieves: treeSieves,
  enter: "go",
};

export const forkLook: Look = {
  title: "Fork: a new session from before which message?",
  hints: ["Enter forks", "/ search", "Tab branches", "l label", "↑↓ walk", "Esc closes"],
  sieves: forkSieves,
  enter: "fork",
};
