/** One pass over the lines of a file into its index, a piece at a time. It gives up at the first line that is not as it should be. */

import { isBlank } from "../../../session/codec/split-lines.ts";
import { forwards, type PassedLine } from "../lines/forwards.ts";
import { type Indexed, idAt } from "./line-at.ts";
import { ROOT } from "./line-index.ts";
import { type Sketch, sketchOf } from "./sketch.ts";

/** The lines between two places of the file, added to the index. Yields after every piece; returns whether all of it was sound. */
export function* indexed(ground: Indexed, start: number, end: number): Generator<undefined, boolean> {
  let yielded = start;
  let last = ground.index.rows === 0 ? null : { id: idAt(ground, ground.index.rows - 1), row: ground.index.rows - 1 };
  for (const line of forwards(ground.file, { start, end, limits: ground.limits })) {
    if (line.offset - yielded > PIECE) {
      yielded = line.offset;
      yield undefined;
    }
    if (isBlank(line.bytes)) continue;
    const sketch = sketchOf(line, ground.rules);
    const row: number | null = sketch && addedRow(ground, sketch, { line, last });
    if (sketch === null || row === null) return false;
    last = { id: sketch.id, row };
  }
  return true;
}

interface Before {
  readonly line: PassedLine;
  readonly last: { readonly id: string; readonly row: number } | null;
}

function addedRow(ground: Indexed, { id, parentId, kind }: Sketch, { line, last }: Before): number | null {
  const { index } = ground;
  const bears = (wanted: string) => (row: number) => idAt(ground, row) === wanted;
  if (index.find(id, bears(id)) !== -1) return null;
  const follows = parentId !== null && parentId === last?.id ? last.row : null;
  const parent = follows ?? (parentId === null ? ROOT : index.find(parentId, bears(parentId)));
  if (parent === ROOT && parentId !== null) return null;
  return index.add({ id, kind, parent, offset: line.offset, length: line.length });
}

const PIECE = 4 * 1024 * 1024;
