/** Edit cases: a file, the edits, and the expected file or error. */

export interface EditCase {
  readonly name: string;
  /** UTF-8, or bytes. */
  readonly file: string | Uint8Array;
  /** Pairs of old and new text. */
  readonly edits: readonly (readonly [string, string])[];
  /** The whole file afterwards; where a refusal is expected, it stays as it was. */
  readonly becomes?: string;
  readonly refused?: RegExp;
  /** What the answer to an edit that was made says too. */
  readonly message?: RegExp;
}

const MARK = "\ufeff";
const code = "function one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n";
const tabs = "function one() {\n\tif (yes) {\n\t\treturn 1;\n\t}\n}\n";
const many = Array.from({ length: 60 }, (_, at) => `line ${at + 1}\n`).join("");

const plain: readonly EditCase[] = [
  { name: "a word", file: "one two three\n", edits: [["two", "2"]], becomes: "one 2 three\n" },
  { name: "a line", file: "a\nb\nc\n", edits: [["b\n", "B\n"]], becomes: "a\nB\nc\n" },
  {
    name: "several lines by one",
    file: code,
    edits: [["function one() {\n  return 1;\n}\n", "const one = 1;\n"]],
    becomes: "const one = 1;\n\nfunction two() {\n  return 2;\n}\n",
  },
  { name: "one line by several", file: "a\nb\nc\n", edits: [["b", "b1\nb2\nb3"]], becomes: "a\nb1\nb2\nb3\nc\n" },
  { name: "a deleted line", file: "a\nb\nc\n", edits: [["b\n", ""]], becomes: "a\nc\n" },
  { name: "a deleted word", file: "a b c", edits: [[" b", ""]], becomes: "a c" },
  { name: "everything", file: "a\nb\n", edits: [["a\nb\n", "c\n"]], becomes: "c\n" },
  { name: "everything deleted", file: "a\n", edits: [["a\n", ""]], becomes: "" },
  { name: "the first letter", file: "abc", edits: [["a", "A"]], becomes: "Abc" },
  { name: "the last letter", file: "abc", edits: [["c", "C"]], becomes: "abC" },
  { name: "a line put before", file: "a\nb\n", edits: [["b", "a2\nb"]], becomes: "a\na2\nb\n" },
  { name: "a line put behind", file: "a\nb\n", edits: [["b\n", "b\nc\n"]], becomes: "a\nb\nc\n" },
  { name: "an empty line put between", file: "a\nb\n", edits: [["a\nb", "a\n\nb"]], becomes: "a\n\nb\n" },
  { name: "two lines joined", file: "a\nb\n", edits: [["a\nb", "a b"]], becomes: "a b\n" },
  { name: "a line parted", file: "a b\n", edits: [["a b", "a\nb"]], becomes: "a\nb\n" },
  { name: "only white space changed", file: "if(a)\n", edits: [["if(a)", "if (a)"]], becomes: "if (a)\n" },
  { name: "deeper indentation", file: "  a\n", edits: [["  a", "    a"]], becomes: "    a\n" },
  { name: "blanks at the end that are asked for", file: "a\nb\n", edits: [["a\n", "a  \n"]], becomes: "a  \nb\n" },
  { name: "old text inside new text", file: "x = 1\n", edits: [["1", "1 + 1"]], becomes: "x = 1 + 1\n" },
  { name: "new text that repeats the old", file: "aXb", edits: [["X", "XX"]], becomes: "aXXb" },
  { name: "new text that is there elsewhere", file: "a\nb\n", edits: [["a", "b"]], becomes: "b\nb\n" },
];

const ends: readonly EditCase[] = [
  { name: "no final newline stays away", file: "a\nb", edits: [["a", "A"]], becomes: "A\nb" },
  { name: "no final newline, last line", file: "a\nb", edits: [["b", "B"]], becomes: "a\nB" },
  {
    name: "no final newline, asked for with one",
    file: "a\nb",
    edits: [["a\nb\n", "a\nc\n"]],
    becomes: "a\nc",
    message: /whitespace/,
  },
  { name: "a final newline added", file: "a\nb", edits: [["b", "b\n"]], becomes: "a\nb\n" },
  { name: "a final newline taken", file: "a\nb\n", edits: [["b\n", "b"]], becomes: "a\nb" },
  { name: "many final newlines stay", file: "a\n\n\n", edits: [["a", "b"]], becomes: "b\n\n\n" },
  { name: "newlines at the start stay", file: "\n\na", edits: [["a", "b"]], becomes: "\n\nb" },
  { name: "windows line ends, a word", file: "a\r\nb\r\nc\r\n", edits: [["b", "B"]], becomes: "a\r\nB\r\nc\r\n" },
  {
    name: "windows line ends, lines asked for plain",
    file: "a\r\nb\r\nc\r\n",
    edits: [["a\nb\n", "x\ny\n"]],
    becomes: "x\r\ny\r\nc\r\n",
  },
  {
    name: "windows line ends, lines asked for with theirs",
    file: "a\r\nb\r\nc\r\n",
    edits: [["a\r\nb\r\n", "x\r\ny\r\n"]],
    becomes: "x\r\ny\r\nc\r\n",
  },
  { name: "windows line ends, more lines", file: "a\r\nb\r\n", edits: [["b", "b1\nb2"]], becomes: "a\r\nb1\r\nb2\r\n" },
  { name: "windows line ends, fewer lines", file: "a\r\nb\r\nc\r\n", edits: [["a\nb\nc", "a c"]], becomes: "a c\r\n" },
  { name: "windows line ends, a line deleted", file: "a\r\nb\r\nc\r\n", edits: [["b\n", ""]], becomes: "a\r\nc\r\n" },
  { name: "windows line ends, behind the last one", file: "a\r\nb", edits: [["b", "b\nc"]], becomes: "a\r\nb\r\nc" },
  {
    name: "windows line ends in the new text of a plain file",
    file: "a\nb\n",
    edits: [["a", "x\r\ny"]],
    becomes: "x\ny\nb\n",
  },
  {
    name: "mixed line ends stay each as it is",
    file: "a\r\nb\nc\r\nd\n",
    edits: [["b\nc", "B\nC"]],
    becomes: "a\r\nB\nC\r\nd\n",
  },
  {
    name: "mixed line ends, a plain line gets a plain neighbour",
    file: "a\r\nb\nc\r\n",
    edits: [["b", "b\nb2"]],
    becomes: "a\r\nb\nb2\nc\r\n",
  },
  {
    name: "mixed line ends, a windows line gets a windows neighbour",
    file: "a\nb\r\nc\n",
    edits: [["b", "b\nb2"]],
    becomes: "a\nb\r\nb2\r\nc\n",
  },
  {
    name: "mixed line ends around a long replacement",
    file: "1\r\n2\n3\r\n4\n",
    edits: [["1\n2\n3\n4", "1\n2\nx\n4"]],
    becomes: "1\r\n2\nx\r\n4\n",
  },
  {
    name: "a lone carriage return is a letter like others",
    file: "a\rb\nc\n",
    edits: [["c", "C"]],
    becomes: "a\rb\nC\n",
  },
  { name: "a lone carriage return can be replaced", file: "a\rb\n", edits: [["a\rb", "a b"]], becomes: "a b\n" },
  {
    name: "two carriage returns before a line feed",
    file: "a\r\r\nb\r\n",
    edits: [["b", "B"]],
    becomes: "a\r\r\nB\r\n",
  },
  { name: "one line without an end", file: "a", edits: [["a", "a\nb"]], becomes: "a\nb" },
];

const marks: readonly EditCase[] = [
  { name: "a byte order mark stays", file: `${MARK}a\nb\n`, edits: [["b", "B"]], becomes: `${MARK}a\nB\n` },
  {
    name: "a byte order mark stays before a changed first line",
    file: `${MARK}a\n`,
    edits: [["a\n", "b\n"]],
    becomes: `${MARK}b\n`,
  },
  {
    name: "a byte order mark that is asked for too",
    file: `${MARK}a\n`,
    edits: [[`${MARK}a`, `${MARK}b`]],
    becomes: `${MARK}b\n`,
  },
  {
    name: "a byte order mark and windows line ends",
    file: `${MARK}a\r\nb\r\n`,
    edits: [["a\nb", "a\nc\nb"]],
    becomes: `${MARK}a\r\nc\r\nb\r\n`,
  },
  {
    name: "a byte order mark in the middle is a letter",
    file: `a${MARK}b\nc\n`,
    edits: [["c", "C"]],
    becomes: `a${MARK}b\nC\n`,
  },
  { name: "a byte order mark with nothing behind it", file: MARK, edits: [["a", "b"]], refused: /the file is empty/ },
  { name: "no byte order mark comes from new text", file: "a\n", edits: [["a", `${MARK}b`]], becomes: "b\n" },
];

const unicode: readonly EditCase[] = [
  { name: "letters beyond ASCII", file: "Grüße\n", edits: [["Grüße", "Größe"]], becomes: "Größe\n" },
  { name: "Chinese", file: "你好,世界\n", edits: [["世界", "地球"]], becomes: "你好,地球\n" },
  { name: "emoji that share a half", file: "a 😀 b\n", edits: [["😀", "😁"]], becomes: "a 😁 b\n" },
  { name: "emoji that are joined", file: "👩‍👩‍👧\n", edits: [["👩‍👩‍👧", "👨‍👩‍👧"]], becomes: "👨‍👩‍👧\n" },
  {
    name: "a combining accent is not its letter",
    file: "cafe\u0301\ncafé\n",
    edits: [["café", "tea"]],
    becomes: "cafe\u0301\ntea\n",
  },
  { name: "half an emoji in old text", file: "a 😀 b\n", edits: [["a \ud83d", "c"]], refused: /half a character/ },
  { name: "half an emoji in new text", file: "a\n", edits: [["a", "\ude00"]], refused: /half a character/ },
  { name: "right to left", file: "שלום עולם\n", edits: [["עולם", "חבר"]], becomes: "שלום חבר\n" },
  { name: "a zero byte", file: "a\0b\nc\n", edits: [["c", "C"]], becomes: "a\0b\nC\n" },
  {
    name: "a line separator is no line end",
    file: "a\u2028b\nc\n",
    edits: [["b\nc", "b\nd"]],
    becomes: "a\u2028b\nd\n",
  },
  {
    name: "bytes that no encoding has",
    file: Uint8Array.of(0x61, 0x81, 0x62),
    edits: [["a", "b"]],
    refused: /cannot be written without loss/,
  },
  { name: "binary data", file: Uint8Array.of(0x61, 0, 0xff, 0x62), edits: [["a", "b"]], refused: /is not text/ },
];

const signs: readonly EditCase[] = [
  { name: "a dot is a dot", file: "axb a.b\n", edits: [["a.b", "c"]], becomes: "axb c\n" },
  {
    name: "stars and brackets",
    file: "x = a[*](.+)?\n",
    edits: [["a[*](.+)?", "b{1,2}|^$"]],
    becomes: "x = b{1,2}|^$\n",
  },
  { name: "a backslash", file: "C:\\new\\n\n", edits: [["\\new", "\\old"]], becomes: "C:\\old\\n\n" },
  {
    name: "$& in new text",
    file: "price\n",
    edits: [["price", "$& and $1 and $$ and $` and $'"]],
    becomes: "$& and $1 and $$ and $` and $'\n",
  },
  { name: "$<name> in new text", file: "a\n", edits: [["a", "$<a>"]], becomes: "$<a>\n" },
  { name: "a format in new text", file: "a\n", edits: [["a", "%s %d {0} #{x}"]], becomes: "%s %d {0} #{x}\n" },
  {
    name: "quotes of all kinds",
    file: 'say("it\'s `so`")\n',
    edits: [['"it\'s `so`"', "'no'"]],
    becomes: "say('no')\n",
  },
  {
    name: "HTML entities are no quotes",
    file: "a &quot;b&quot;\n",
    edits: [["&quot;b&quot;", '"b"']],
    becomes: 'a "b"\n',
  },
  { name: "an escape is two letters", file: 'a = "\\t"\n', edits: [['"\\t"', '"\t"']], becomes: 'a = "\t"\n' },
];

const typography: readonly EditCase[] = [
  {
    name: "curly double quotes asked for straight",
    file: "say “hello” now\n",
    edits: [['say "hello" now', 'say "goodbye" now']],
    becomes: "say “goodbye” now\n",
    message: /typographic characters/,
  },
  {
    name: "a curly apostrophe asked for straight",
    file: "it’s here\n",
    edits: [["it's here", "it's there"]],
    becomes: "it’s there\n",
  },
  { name: "straight quotes asked for curly", file: 'a = "b"\n', edits: [["a = “b”", "a = “c”"]], becomes: 'a = "c"\n' },
  {
    name: "a long dash asked for short",
    file: "one — two\n",
    edits: [["one - two", "one - three"]],
    becomes: "one — three\n",
  },
  { name: "a fixed blank asked for plain", file: "10\u00a0km\n", edits: [["10 km", "12 km"]], becomes: "12\u00a0km\n" },
  {
    name: "an exact match goes before a typographic one",
    file: '"a" “a”\n',
    edits: [['"a"', "b"]],
    becomes: "b “a”\n",
  },
  {
    name: "two typographic matches",
    file: "“a”\n„a‟\n",
    edits: [['"a"', "b"]],
    refused: /2 times \(ignoring typographic characters\), in lines 1, 2/,
  },
  {
    name: "quotes and blanks at the end at once",
    file: "say “a”  \nnext\n",
    edits: [['say "a"\nnext', 'say "a"\nlast']],
    becomes: "say “a”  \nlast\n",
  },
  {
    name: "a curly quote inside windows line ends",
    file: "x\r\n“a”\r\n",
    edits: [['x\n"a"', 'x\n"b"']],
    becomes: "x\r\n“b”\r\n",
  },
  { name: "a quote that new text drops", file: "“a”\n", edits: [['"a"', "a"]], becomes: "a\n" },
];

const space: readonly EditCase[] = [
  {
    name: "blanks at the end that were not asked for",
    file: "a  \nb\t\nc\n",
    edits: [["a\nb\nc", "a\nb\nd"]],
    becomes: "a  \nb\t\nd\n",
    message: /whitespace/,
  },
  { name: "blanks at the end that are not there", file: "a\nb\n", edits: [["a  \nb  ", "a  \nc"]], becomes: "a\nc\n" },
  {
    name: "tabs asked for as four blanks",
    file: tabs,
    edits: [["    if (yes) {\n        return 1;\n    }", "    if (no) {\n        return 2;\n    }"]],
    becomes: tabs.replace("yes", "no").replace("1", "2"),
  },
  {
    name: "tabs asked for as two blanks",
    file: tabs,
    edits: [["  if (yes) {\n    return 1;", "  if (yes) {\n    log();\n    return 1;"]],
    becomes: tabs.replace("\t\treturn", "\t\tlog();\n\t\treturn"),
  },
  {
    name: "tabs asked for as eight blanks",
    file: "\ta\n\t\tb\n",
    edits: [["        a\n                b", "        a\n                c"]],
    becomes: "\ta\n\t\tc\n",
  },
  {
    name: "blanks asked for as tabs",
    file: "if a:\n    b\n    c\n",
    edits: [["\tb\n\tc", "\tb\n\tif d:\n\t\te\n\tc"]],
    becomes: "if a:\n    b\n    if d:\n        e\n    c\n",
  },
  {
    name: "an indented line asked for with blanks",
    file: "a:\n\tb = 1\n",
    edits: [["    b = 1\n", "    b = 2\n"]],
    becomes: "a:\n\tb = 2\n",
  },
  {
    name: "a wrong depth is no match",
    file: "a\n      b\n",
    edits: [["a\n  b", "a\n  c"]],
    refused: /was not found.*\n1: a\n2: {7}b$/,
  },
  {
    name: "white space in the middle of a line counts",
    file: "a  =  1\n",
    edits: [["a = 1", "a = 2"]],
    refused: /most similar lines are:\n1: a {2}= {2}1/,
  },
  {
    name: "two loose matches",
    file: "\ta\n\tb\nx\n\ta\n\tb\n",
    edits: [["    a\n    b", "c"]],
    refused: /2 times \(ignoring whitespace\), in lines 1, 4/,
  },
  {
    name: "a loose match beside an exact one",
    file: "\ta\n    a\n",
    edits: [["    a", "    b"]],
    becomes: "\ta\n    b\n",
  },
  {
    name: "an empty line with blanks in it",
    file: "a\n   \nb\n",
    edits: [["a\n\nb", "a\n\nc"]],
    becomes: "a\n   \nc\n",
  },
  {
    name: "a blank line with blanks that are not there",
    file: "a\n\nb\n",
    edits: [["a\n    \nb", "a\n    \nc"]],
    becomes: "a\n\nc\n",
  },
  { name: "only blanks match nothing loosely", file: "a\n\t\nb\n", edits: [["     ", "x"]], refused: /was not found/ },
  { name: "loose lines deleted whole", file: "a\n\tb  \nc\n", edits: [["    b\n", ""]], becomes: "a\nc\n" },
  {
    name: "a loose match keeps windows line ends",
    file: "a  \r\n\tb\r\nc\r\n",
    edits: [["a\n    b\nc", "a\n    b\n    d\nc"]],
    becomes: "a  \r\n\tb\r\n\td\r\nc\r\n",
  },
  {
    name: "a loose match with windows line ends in what is asked",
    file: "\ta\n\tb\n",
    edits: [["    a\r\n    b", "    a\r\n    c"]],
    becomes: "\ta\n\tc\n",
  },
  {
    name: "loose lines that are as new text wants them",
    file: "\ta\n",
    edits: [["    a", "\ta"]],
    refused: /already contains/,
  },
  { name: "a line above a loose block", file: "\ta\n", edits: [["    a", "    z\n    a"]], becomes: "\tz\n\ta\n" },
  { name: "a tab in the middle stays", file: "\ta\tb\n", edits: [["    a\tb", "    a\tc"]], becomes: "\ta\tc\n" },
];

const several: readonly EditCase[] = [
  {
    name: "two edits apart from each other",
    file: "a b c\n",
    edits: [
      ["a", "1"],
      ["c", "3"],
    ],
    becomes: "1 b 3\n",
  },
  {
    name: "two edits in reverse order",
    file: "a b c\n",
    edits: [
      ["c", "3"],
      ["a", "1"],
    ],
    becomes: "1 b 3\n",
  },
  {
    name: "two adjacent edits",
    file: "ab\n",
    edits: [
      ["a", "1"],
      ["b", "2"],
    ],
    becomes: "12\n",
  },
  {
    name: "two edits that swap words",
    file: "left right\n",
    edits: [
      ["left", "right"],
      ["right", "left"],
    ],
    becomes: "right left\n",
  },
  {
    name: "the second edit does not see the text of the first",
    file: "a\nb\n",
    edits: [
      ["a", "x"],
      ["x", "y"],
    ],
    refused: /edits\[1\].oldText was not found/,
  },
  {
    name: "the first edit writes what the second looks for",
    file: "a\nb\n",
    edits: [
      ["a", "b"],
      ["b", "c"],
    ],
    becomes: "b\nc\n",
  },
  {
    name: "twenty edits",
    file: many,
    edits: Array.from({ length: 20 }, (_, at) => [`line ${3 * at + 1}\n`, `LINE ${at}\n`] as const),
    becomes: many.replace(/line (\d+)\n/g, (line, number) =>
      Number(number) % 3 === 1 ? `LINE ${(number - 1) / 3}\n` : line,
    ),
  },
  {
    name: "two overlapping edits",
    file: "abcd\n",
    edits: [
      ["abc", "1"],
      ["cd", "2"],
    ],
    refused: /edits\[0\].oldText and edits\[1\].oldText overlap in line 1/,
  },
  {
    name: "one edit inside the other",
    file: "a\nb\nc\n",
    edits: [
      ["a\nb\nc", "x"],
      ["b", "y"],
    ],
    refused: /overlap in line 2/,
  },
  {
    name: "two edits of the same text",
    file: "a\n",
    edits: [
      ["a", "b"],
      ["a", "c"],
    ],
    refused: /overlap/,
  },
  {
    name: "two edits that overlap only in unchanged lines",
    file: "a\nb\nc\n",
    edits: [
      ["a\nb", "A\nb"],
      ["b\nc", "b\nC"],
    ],
    refused: /overlap in line 2/,
  },
  {
    name: "one valid and one invalid edit: none is made",
    file: "a\nb\n",
    edits: [
      ["a", "x"],
      ["zzz", "y"],
    ],
    refused: /was not changed.*edits\[1\]/,
  },
  {
    name: "two invalid edits: both are named",
    file: "a\nb\n",
    edits: [
      ["yyy", "x"],
      ["zzz", "y"],
    ],
    refused: /edits\[0\][\s\S]*edits\[1\]/,
  },
  {
    name: "one edit that matches ignoring white space, one exact",
    file: "\ta\nb\n",
    edits: [
      ["    a", "    A"],
      ["b", "B"],
    ],
    becomes: "\tA\nB\n",
    message: /edits\[0\] matched ignoring whitespace/,
  },
  {
    name: "two edits with windows line ends",
    file: "a\r\nb\r\nc\r\n",
    edits: [
      ["c", "c\nd"],
      ["a", "z\na"],
    ],
    becomes: "z\r\na\r\nb\r\nc\r\nd\r\n",
  },
];

const misses: readonly EditCase[] = [
  {
    name: "oldText on two lines",
    file: "a\nb\na\n",
    edits: [["a", "c"]],
    refused: /oldText occurs 2 times, in lines 1, 3;/,
  },
  { name: "oldText twice in one line", file: "a a\n", edits: [["a", "c"]], refused: /2 times, in lines 1, 1/ },
  { name: "oldText that overlaps itself", file: "aaa\n", edits: [["aa", "b"]], refused: /2 times/ },
  {
    name: "oldText that occurs very often",
    file: "a\n".repeat(5_000),
    edits: [["a", "b"]],
    refused: /1000 times or more, in lines 1, 2, .* …/,
  },
  { name: "an empty file", file: "", edits: [["a", "b"]], refused: /the file is empty/ },
  { name: "empty old text", file: "a\n", edits: [["", "b"]], refused: /oldText is empty/ },
  { name: "empty old text in an empty file", file: "", edits: [["", "b"]], refused: /use write/ },
  { name: "the same old and new", file: "a\n", edits: [["a", "a"]], refused: /are identical/ },
  { name: "the same apart from line ends", file: "a\nb\n", edits: [["a\nb", "a\r\nb"]], refused: /are identical/ },
  { name: "no edit at all", file: "a\n", edits: [], refused: /edits is empty/ },
  {
    name: "a letter wrong",
    file: code,
    edits: [["  retrun 2;", "  return 3;"]],
    refused: /most similar lines are:\n6: {3}return 2;/,
  },
  {
    name: "one line of a block wrong",
    file: code,
    edits: [["function two() {\n  return 3;\n}", "x"]],
    refused: /5: function two\(\) \{\n6: {3}return 2;\n7: \}/,
  },
  { name: "oldText in another case", file: "Hello World\n", edits: [["hello world", "x"]], refused: /1: Hello World/ },
  {
    name: "a line number in front, as a listing has it",
    file: code,
    edits: [["6: function two() {", "x"]],
    refused: /5: function two\(\) \{/,
  },
  { name: "no similar lines", file: code, edits: [["zzzzzz qqqqq", "x"]], refused: /and no similar lines/ },
  {
    name: "an edit that was already made",
    file: "b\n",
    edits: [["aaaa", "b"]],
    refused: /\(newText is already in line 1\)/,
  },
  {
    name: "a nearest line that is long is cut",
    file: `const value = ${"x".repeat(9_000)};\n`,
    edits: [[`const value = ${"x".repeat(200)};`, "y"]],
    refused: /^[\s\S]{0,600}\[…\]$/,
  },
  {
    name: "a block far longer than the file",
    file: "a line\n",
    edits: [["a line\n".repeat(50), "x"]],
    refused: /1: a line/,
  },
];

const large: readonly EditCase[] = [
  {
    name: "a large file, in the middle",
    file: `${"x y z\n".repeat(300_000)}needle\n${"x y z\n".repeat(300_000)}`,
    edits: [["needle", "thread"]],
    becomes: `${"x y z\n".repeat(300_000)}thread\n${"x y z\n".repeat(300_000)}`,
  },
  {
    name: "a large file with windows line ends, at both ends",
    file: `first\r\n${"x\r\n".repeat(300_000)}last`,
    edits: [
      ["first", "1st"],
      ["last", "end\nof it"],
    ],
    becomes: `1st\r\n${"x\r\n".repeat(300_000)}end\r\nof it`,
  },
  {
    name: "a large file, a miss",
    file: `${"const value = 1;\n".repeat(100_000)}const other = 2;\n`,
    edits: [["const other = 3;", "x"]],
    refused: /most similar lines/,
  },
  {
    name: "a very large file is searched for the exact text only",
    file: `${"x\n".repeat(2_000_000)}\tneedle\n`,
    edits: [["    needle", "thread"]],
    refused: /was not found; in a file this large it must match exactly/,
  },
  {
    name: "one line of a megabyte",
    file: `${"a".repeat(1_000_000)}b${"c".repeat(1_000_000)}`,
    edits: [["b", "B"]],
    becomes: `${"a".repeat(1_000_000)}B${"c".repeat(1_000_000)}`,
  },
  {
    name: "a large new text",
    file: "a\n",
    edits: [["a", "b\n".repeat(100_000)]],
    becomes: `${"b\n".repeat(100_000)}\n`,
  },
];

export const editCases: readonly (readonly [string, readonly EditCase[]])[] = [
  ["plain text", plain],
  ["line ends", ends],
  ["byte order marks", marks],
  ["unicode", unicode],
  ["special characters", signs],
  ["typographic characters", typography],
  ["white space", space],
  ["several edits", several],
  ["misses", misses],
  ["large files", large],
];
