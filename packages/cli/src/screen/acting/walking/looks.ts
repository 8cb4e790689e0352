/** What the pages of the tree are called, what they show, and which keys they name. */

import { forkSieves, treeSieves } from "../../panels/walking/rows/sieve.ts";
import type { TreeParts } from "../../panels/walking/tree/tree-panel.ts";

export type Look = Pick<TreeParts, "title" | "keys" | "sieves" | "enter">;

export const treeLook: Look = {
  title: "Tree",
  keys: [
    ...["Enter go", "/ search", "Tab filter", "←→ fold", "[ ] branches", "l label", "f fork", "Esc"],
    ...["b where you last left", "space reads on"],
  ],
  sieves: treeSieves,
  enter: "go",
};

export const forkLook: Look = {
  title: "Fork: a new session from before which message?",
  keys: ["Enter fork", "/ search", "Tab branches", "l label", "↑↓ walk", "Esc"],
  sieves: forkSieves,
  enter: "fork",
};
