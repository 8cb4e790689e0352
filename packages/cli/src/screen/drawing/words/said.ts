/** What a person said, marked so that it is found again when one looks back. */

import type { Said } from "../../state/block.ts";
import type { Brush } from "../brush.ts";
import { firstLines, leftTold } from "../lines/part-shown.ts";
import { wrapped } from "../lines/wrapped.ts";
import { drawPicture } from "../picture.ts";

export function drawSaid({ text, images, from }: Said, brush: Brush): readonly string[] {
  const { theme, width, isUnfolded } = brush;
  const ink = from === "program" ? theme.dim : theme.user;
  const { lines, left } = firstLines(text, isUnfolded ? Number.POSITIVE_INFINITY : MOST);
  const words = lines.length === 0 ? [] : wrapped(lines.join("\n"), { width, mark: ink(from ? "» " : "> "), ink });
  return [...words, ...leftTold(left, "more", brush), ...images.flatMap((image) => drawPicture(image, brush))];
}

/** What is longer was pasted, and whoever pasted it knows it. */
const MOST = 40;
