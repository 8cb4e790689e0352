/** A text in one short line. */

export function clipped(text: string, width: number = WIDTH): string {
  const line = text
    .slice(0, 4 * width)
    .replace(/\s+/g, " ")
    .trim();
  // By characters: half of one would be shown as an escape.
  const signs = Array.from(line);
  return signs.length > width ? `${signs.slice(0, width - 1).join("")}…` : line;
}

const WIDTH = 160;
