/** Numbers of lines for places in a text. */

/** Counted from 1; the places are in order. */
export function linesAt(text: string, places: readonly number[]): readonly number[] {
  let line = 1;
  let next = text.indexOf("\n");
  return places.map((place) => {
    while (next >= 0 && next < place) {
      line++;
      next = text.indexOf("\n", next + 1);
    }
    return line;
  });
}
