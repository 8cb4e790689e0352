/** A summary line by line, whatever its lines end with: a model takes each of these for the end of one. */

export function linesOf(story: string): readonly string[] {
  return story.split(LINE_END);
}

const LINE_END = /\r\n|[\n\r\u2028\u2029\u0085\v\f]/u;
