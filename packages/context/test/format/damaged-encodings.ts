/** D11: files in other encodings, with other line ends, and with bytes that are not text. */

import {
  bytesOf,
  chain,
  type DamagedFile,
  file,
  inUtf16,
  joined,
  note,
  ourHeader,
  piHeader,
  withTrailers,
} from "./specimen.ts";

const [e1 = "", e2 = "", e3 = ""] = chain(3);
const lines = [piHeader, e1, e2, e3];
const text = `${lines.join("\n")}\n`;
const zeros = (count: number): string => "\0".repeat(count);
const whole = "e1 e2 e3";

const ends: readonly DamagedFile[] = [
  { name: "a byte order mark", bytes: bytesOf(`\ufeff${text}`), damage: "", entries: whole },
  { name: "a byte order mark and nothing else", bytes: bytesOf("\ufeff"), damage: "no-header@1", entries: "" },
  { name: "CR LF", bytes: bytesOf(text.replaceAll("\n", "\r\n")), damage: "", entries: whole },
  {
    name: "CR LF in Pith's file",
    bytes: bytesOf(`${withTrailers(ourHeader, e1, e2, e3).join("\r\n")}\r\n`),
    damage: "",
    entries: whole,
  },
  {
    name: "CR LF and a byte order mark",
    bytes: bytesOf(`\ufeff${text.replaceAll("\n", "\r\n")}`),
    damage: "",
    entries: whole,
  },
  { name: "CR LF cut between CR and LF", bytes: bytesOf(`${lines.join("\r\n")}\r`), damage: "", entries: whole },
  {
    name: "CR line ends",
    bytes: bytesOf(text.replaceAll("\n", "\r")),
    damage: "lone-carriage-returns@1",
    entries: whole,
  },
  {
    name: "CR line ends in Pith's file",
    bytes: bytesOf(withTrailers(ourHeader, e1, e2, e3).join("\r")),
    damage: "lone-carriage-returns@1",
    entries: whole,
  },
  { name: "blank lines", bytes: bytesOf(`\n\n${lines.join("\n \t\r\n\n")}\n\n`), damage: "", entries: whole },
  {
    name: "space around the lines",
    bytes: bytesOf(lines.map((line) => ` \t${line} \t\n`).join("")),
    damage: "",
    entries: whole,
  },
  { name: "no line end at the end", bytes: bytesOf(text.trimEnd()), damage: "", entries: whole },
  { name: "an empty file", bytes: bytesOf(""), damage: "no-header@1", entries: "" },
  { name: "only a line end", bytes: bytesOf("\n"), damage: "no-header@1", entries: "" },
  { name: "only space", bytes: bytesOf("  \n\t\n \r\n"), damage: "no-header@1", entries: "" },
];

const wide = `${[piHeader, e1, note("e2", "e1", ',"data":"漢字 👍 ä"'), e3].join("\n")}\n`;
const utf16: readonly DamagedFile[] = [
  { name: "UTF-16 LE with a mark", bytes: inUtf16(wide), damage: "utf-16@1", entries: whole },
  { name: "UTF-16 BE with a mark", bytes: inUtf16(wide, { big: true }), damage: "utf-16@1", entries: whole },
  { name: "UTF-16 LE without a mark", bytes: inUtf16(wide, { mark: false }), damage: "utf-16@1", entries: whole },
  {
    name: "UTF-16 BE without a mark",
    bytes: inUtf16(wide, { mark: false, big: true }),
    damage: "utf-16@1",
    entries: whole,
  },
  { name: "UTF-16 with CR LF", bytes: inUtf16(wide.replaceAll("\n", "\r\n")), damage: "utf-16@1", entries: whole },
  {
    name: "UTF-16 with CR line ends",
    bytes: inUtf16(wide.replaceAll("\n", "\r")),
    damage: "utf-16@1 lone-carriage-returns@1",
    entries: whole,
  },
  {
    name: "UTF-16 cut inside a character",
    bytes: inUtf16(wide).subarray(0, -3),
    damage: "utf-16@1 torn-tail@4",
    entries: "e1 e2",
  },
  {
    name: "UTF-16 with half a character in one line",
    bytes: inUtf16(wide.replace("👍", "\ud83d")),
    damage: "utf-16@1 invalid-utf8@3 missing-parent@4",
    entries: "e1 (e2) e3",
  },
];

const nul: readonly DamagedFile[] = [
  { name: "zeros behind the last line end", bytes: bytesOf(text + zeros(512)), damage: "nul-bytes@5", entries: whole },
  {
    name: "zeros behind the last line, which has no end",
    bytes: bytesOf(text.trimEnd() + zeros(512)),
    damage: "nul-bytes@4",
    entries: whole,
  },
  {
    name: "zeros with a line end behind them",
    bytes: bytesOf(`${text}${zeros(512)}\n`),
    damage: "nul-bytes@5",
    entries: `${whole} (gap-3)`,
    branch: whole,
  },
  {
    name: "a line of zeros between two",
    bytes: file(piHeader, e1, zeros(9), e2, e3),
    damage: "nul-bytes@3",
    entries: "e1 (gap-1) e2 e3",
    branch: whole,
  },
  {
    name: "a line that became zeros",
    bytes: file(piHeader, e1, zeros(e2.length), e3),
    damage: "nul-bytes@3 missing-parent@4",
    entries: "e1 (e2) e3",
  },
  {
    name: "zeros before a line",
    bytes: file(piHeader, e1, zeros(4096) + e2, e3),
    damage: "nul-bytes@3",
    entries: whole,
  },
  {
    name: "zeros before a line of Pith",
    bytes: file(withTrailers(ourHeader, e1), zeros(5) + withTrailers(e2)[0], withTrailers(e3)),
    damage: "nul-bytes@3",
    entries: whole,
  },
  {
    name: "zeros inside a line",
    bytes: file(piHeader, e1, e2.replace("note", zeros(4)), e3),
    damage: "not-json@3",
    entries: "e1 (e2) e3",
  },
  { name: "zeros before the header", bytes: bytesOf(zeros(2) + text), damage: "nul-bytes@1", entries: whole },
  {
    name: "one zero before the header, in a file of even length",
    bytes: evenly(zeros(1) + text),
    damage: "nul-bytes@1",
    entries: whole,
  },
  {
    name: "one zero before the header, in a file of odd length",
    bytes: evenly(`${zeros(1) + text} `),
    damage: "nul-bytes@1",
    entries: whole,
  },
  {
    name: "zeros from the second byte on",
    bytes: bytesOf(`{${zeros(piHeader.length - 1)}\n${e1}\n`),
    damage: "damaged-header@1",
    entries: "e1",
    branch: "e1",
  },
  { name: "only zeros", bytes: bytesOf(zeros(512)), damage: "no-header@1 nul-bytes@1", entries: "" },
];

const letters: readonly DamagedFile[] = [
  {
    name: "a byte that is not UTF-8 inside a string",
    bytes: spoilt(text, [0xff]),
    damage: "invalid-utf8@3",
    entries: "e1 (e2) e3",
  },
  {
    name: "half a character inside a string",
    bytes: spoilt(text, [0xc3]),
    damage: "invalid-utf8@3",
    entries: "e1 (e2) e3",
  },
  {
    name: "half a surrogate pair written as UTF-8",
    bytes: spoilt(text, [0xed, 0xa0, 0x80]),
    damage: "invalid-utf8@3",
    entries: "e1 (e2) e3",
  },
  {
    name: "an overlong encoding of a letter",
    bytes: spoilt(text, [0xc0, 0xaf]),
    damage: "invalid-utf8@3",
    entries: "e1 (e2) e3",
  },
  {
    name: "a file that ends inside a character",
    bytes: bytesOf(`${text}{"a":"ä`).subarray(0, -1),
    damage: "torn-tail@5",
    entries: whole,
  },
  {
    name: "half a surrogate pair as an escape",
    bytes: file(piHeader, e1, note("e2", "e1", ',"data":"\\ud800 \\udc00\\ud800"'), e3),
    damage: "",
    entries: whole,
  },
  {
    name: "U+2028 and U+2029 in a string",
    bytes: file(piHeader, e1, note("e2", "e1", ',"data":"a\u2028b\u2029c\u0085d"'), e3),
    damage: "",
    entries: whole,
  },
  {
    name: "U+FEFF, U+FFFD and U+0000 in a string",
    bytes: file(piHeader, e1, note("e2", "e1", ',"data":"\ufeff\ufffd\\u0000"'), e3),
    damage: "",
    entries: whole,
  },
];

export const damagedEncodings: readonly DamagedFile[] = [...ends, ...utf16, ...nul, ...letters];

/** The text with these bytes in the middle of e2's `note`. */
function spoilt(whole: string, bytes: readonly number[]): Uint8Array {
  const at = whole.indexOf("note", whole.indexOf('"id":"e2"')) + 2;
  return joined(bytesOf(whole.slice(0, at)), Uint8Array.from(bytes), bytesOf(whole.slice(at)));
}

/** With a space more, where the length is odd. */
function evenly(odd: string): Uint8Array {
  const bytes = bytesOf(odd);
  return bytes.length % 2 === 0 ? bytes : bytesOf(`${odd} `);
}
