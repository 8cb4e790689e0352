/** What stands between quote marks in a line, of whatever language; code in backticks is no quotation. */

export function quotations(text: string): readonly string[] {
  return MARKS.flatMap((marks) => [...text.matchAll(marks)].map(([, quoted = ""]) => quoted)).filter((quoted) =>
    /[\p{L}\p{N}]/u.test(quoted),
  );
}

/** The text without its quotations. */
export function withoutQuotations(text: string): string {
  return MARKS.reduce((rest, marks) => rest.replace(marks, " "), text);
}

const MARKS: readonly RegExp[] = [
  /"([^"\n]*)"/gu,
  /“([^“”„\n]*)”/gu,
  /„([^„“”\n]*)[“”]/gu,
  /«([^«»\n]*)»/gu,
  /»([^«»\n]*)«/gu,
  /「([^「」\n]*)」/gu,
  /『([^『』\n]*)』/gu,
  /(?<![\p{L}\p{N}])‘((?:[^‘’\n]|(?<=\p{L})’(?=\p{L}))*)’/gu,
  /(?<![\p{L}\p{N}])'((?:[^'\n]|(?<=\p{L})'(?=\p{L}))*)'(?![\p{L}\p{N}])/gu,
];
