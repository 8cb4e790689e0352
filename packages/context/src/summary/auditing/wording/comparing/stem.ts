/** What the inflected forms of a word begin with: rough, but the same for all of them in most languages that inflect at the end. */

export function stem(word: string): string {
  const [, bare = word] = ENDING.exec(word.slice(0, LONGEST)) ?? [];
  return bare.replace(/([bdfglmnprt])\1$/, "$1").slice(0, LETTERS);
}

const ENDING = new RegExp(
  [
    "^(.{3,}?)(?:ments?|ings?|ions?|ies|ers?|ed|es|s|e|y",
    "|ungen|ingen|ung|en|em",
    "|ando|iendo|ado|ada|ar|ir|os|as|a|o",
    "|ть|ет|ит|ут|ют|ыи|ая|ое|ые|ов|ам|ах|ы|и|а|у|е|о)$",
  ].join(""),
  "u",
);
const LETTERS = 5;
const LONGEST = 40;
