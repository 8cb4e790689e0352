/** Lists texts that have controlled, blinded or fooled a terminal or its user. Sequences carry numbers that none of ours has, so that one that gets through is recognized. */

/** More than two hundred. */
export const hostileTexts: readonly string[] = [
  ...new Set([
    ...controls(),
    ...sequences().map((sequence) => `${sequence} word ${sequence}`),
    ...unseen().map((sign) => `${sign}pass${sign}word${sign}`),
    ...halves(),
    ...floods(),
    ...markdown(),
  ]),
];

/** C0, delete and C1, each within a word. */
function controls(): readonly string[] {
  const points = [...Array.from({ length: 32 }, (_, at) => at), ...Array.from({ length: 33 }, (_, at) => 0x7f + at)];
  return points.map((point) => `a${String.fromCharCode(point)}b`);
}

function sequences(): readonly string[] {
  return [
    // Inks, cursor, erasing, scrolling, modes.
    ...[
      "\x1b[5;38;5;177m",
      "\x1b[8m",
      "\x1b[38:2::77:7:7m",
      "\x9b5;31m",
      "\x1b[77A",
      "\x1b[77;77H",
      "\x1b[77G",
      "\x1b[77d",
    ],
    ...["\x1b[2J\x1b[77H", "\x1b[3J", "\x1b[1J", "\x1b[1K", "\x1b[77L", "\x1b[77M", "\x1b[77P", "\x1b[77@", "\x1b[77S"],
    ...["\x1b[77T", "\x1b[77X", "\x1b[7;7r", "\x1b[!p", "\x1bc", "\x1b7", "\x1b8", "\x1bD", "\x1bM", "\x1bE", "\x1bH"],
    ...["\x1b[?1077h", "\x1b[?47h", "\x1b[?1003h", "\x1b[?7l", "\x1b[?5h", "\x1b[20h", "\x1b[4h", "\x1b(0", "\x1b)0"],
    ...["\x1b%G", "\x1b#8", "\x1b=", "\x1b>", "\x1bN", "\x1bO", "\x1b[77 q", '\x1b[77"q', "\x1b[>77m", "\x1b[>77u"],
    // Questions that a terminal answers as if somebody had typed.
    ...["\x1b[6n", "\x1b[c", "\x1b[>c", "\x1b[=c", "\x1b[77x", "\x1b[21t", "\x1b[18t", "\x1b[?77$p", "\x1b]10;?\x07"],
    ...["\x1bP$q77m\x1b\\", "\x1bP+q544e\x1b\\", "\x90$qm\x9c", "\x1bZ", "\x05"],
    // Titles, links, clipboards, notifications, colours, files.
    ...["\x1b]0;gotcha\x07", "\x1b]2;gotcha\x1b\\", "\x9d0;gotcha\x9c", "\x1bkgotcha\x1b\\", "\x1b]l gotcha\x1b\\"],
    ...["\x1b]8;;http://gotcha.example\x1b\\bank\x1b]8;;\x1b\\", "\x1b]8;id=77;file:///etc/passwd\x07x\x1b]8;;\x07"],
    ...[
      "\x1b]52;c;Z290Y2hh\x07",
      "\x1b]52;p;?\x07",
      "\x1b]9;gotcha\x07",
      "\x1b]777;notify;got;cha\x07",
      "\x1b]99;;gotcha\x1b\\",
    ],
    ...["\x1b]4;77;?\x07", "\x1b]11;#770000\x07", "\x1b]104\x07", "\x1b]7;file://gotcha/\x07", "\x1b]133;A\x07"],
    ...[
      "\x1b]1337;File=inline=1:Z290\x07",
      "\x1b]1337;SetUserVar=a=Yg==\x07",
      "\x1b]50;gotcha\x07",
      "\x1b]46;/tmp/log\x07",
    ],
    // Pictures.
    ...[
      "\x1bPq#77;2;0;0;0#77~~@@\x1b\\",
      "\x1b_Gi=77,s=1,v=1;AAAA\x1b\\",
      "\x1b_pi:c\x07",
      "\x1b^gotcha\x1b\\",
      "\x1bXgotcha\x1b\\",
    ],
    // Pastes, wrapped sequences, sequences without an end and within each other.
    ...[
      "\x1b[200~rm -rf ~\x1b[201~",
      "\x1b[201~gotcha",
      "\x1bPtmux;\x1b\x1b]0;gotcha\x07\x1b\\",
      "\x1bP\x1b]0;gotcha\x07\x1b\\",
    ],
    ...[
      "\x1b",
      "\x1b[",
      "\x1b[77",
      "\x1b]",
      "\x1b]0;no end",
      "\x1bP",
      "\x1b_",
      "\x9b",
      "\x1b\x1b[77A",
      "\x1b[7\x1b[77A7A",
    ],
    ...["\x1b\\", "\u001b\u005b77B", "\x1b[\x0077A", "\x1b[77\r\nA", "\x18\x1b[77A", "\x1b\u200b[77A"],
  ];
}

/** Reading order, no width, tags, fillers, separators, variation selectors of the second plane, annotations. */
function unseen(): readonly string[] {
  const formats = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c\u200b\u2060\u2061\u2062";
  const more = "\u2063\u2064\u206a\u206f\ufeff\u00ad\u180e\u2028\u2029\u3164\u115f\u1160\uffa0\ufff9\ufffa\ufffb";
  return [...formats, ...more, "\u{e0041}\u{e007f}", "\u{e0001}", "\u{e0101}", "\u{1d173}", "\u{13430}"];
}

function halves(): readonly string[] {
  return ["\ud800", "\udfff", "a\ud83d", "\ude00b", "\udc00\ud800"];
}

/** Signs upon signs, long lines, many lines, lines written over again. */
function floods(): readonly string[] {
  return [
    `a${"\u0301".repeat(300)}`,
    `${"\u0e49".repeat(300)}`,
    "x".repeat(1_500),
    "\u{1f600}".repeat(200),
    "日".repeat(300),
    "\n".repeat(100),
    "line\n".repeat(100),
    "\t".repeat(100),
    "50%\r".repeat(100),
    "\b".repeat(100),
    "👩\u200d".repeat(100),
  ];
}

/** What Markdown would make a sequence or a link of. */
function markdown(): readonly string[] {
  return [
    "[bank](http://gotcha.example/\x1b]8;;\x07)",
    "![a](\x1b[77A)",
    "```\x1b[77A\n\x1b[77B\n```",
    "# \x1b]0;gotcha\x07",
    "| a\x1b[77A | b |\n|---|---|\n| \x9b77B | \u202e |",
    "&#27;[77A &#x1b;[77B &#155;77A",
    "<b>\x1b[77A</b>",
    "- \x1b[77A\n  1. \x1b[77B",
    `${">".repeat(300)} deep`,
    `${"[".repeat(300)}`,
    `${"*".repeat(301)}`,
  ];
}
