/** Text from a session on one line: nothing in it moves the cursor, changes a colour or turns the reading round. */

/** At most so many letters; line ends become spaces. */
export function plainText(text: string, most: number = LETTERS): string {
  const start = text.slice(0, most * 20).toWellFormed();
  const words = withoutSequences(start)
    .replace(/(?![\t\n\v\f\r])[\p{Cc}\p{Cf}\p{Co}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  // Counted in letters, not in halves of them; most texts are short enough either way.
  const letters = words.length > most ? [...words] : [];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : words;
}

/** The same text without colours, titles, links and whatever else a terminal would obey. */
export function withoutSequences(text: string): string {
  return text.replace(SEQUENCES, "");
}

const LETTERS = 200;
const ESC = "\u001b";
const BELL = "\u0007";
/** Strings up to their end (titles, links), then commands (colours, the cursor), then the short ones. */
const SEQUENCES = new RegExp(
  [
    `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BELL}${ESC}\u009c]*(?:${BELL}|${ESC}\\\\|\u009c)?`,
    `(?:${ESC}\\[|\u009b)[0-?]*[ -/]*[@-~]?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join("|"),
  "g",
);
