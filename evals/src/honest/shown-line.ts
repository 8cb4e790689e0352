/** Finds a line of a draft in the summary that the model reads, and tells whether the check marked or altered it. */

export type Verdict = "same" | "marked" | "altered";

export function judgeLine(text: string, shownText: string): Verdict {
  const expected = stripMarks(text);
  const shownLine = shownText.split("\n").find((line) => stripMarks(line) === expected);
  if (shownLine === undefined) return "altered";
  return MARK.test(shownLine) ? "marked" : "same";
}

/** Removes the bullet, the citations and the marks of the check. */
function stripMarks(line: string): string {
  return line
    .replace(MARK, "")
    .replaceAll(CITATION, "")
    .replace(/^[-*\d. ]+/, "")
    .replace(/\s+/g, " ")
    .trim();
}

const MARK = /\s*\((?:unconfirmed|not from the user)\)/;
const CITATION = /\s*[[(](?:entry:|blob:|#|[euat]\d)[^\])]*[\])]/g;
