/** Strings that have led some program out of a folder, into a device or into an option: each is no good name for anything of ours. */

const TARGETS = ["etc/passwd", "secret.jsonl", ".ssh/id_ed25519", "secret"];

export const hostileStrings: readonly string[] = [
  ...new Set([
    ...traversals(),
    ...encoded(),
    ...absolute(),
    ...windows(),
    ...controls(),
    ...lookAlikes(),
    ...endings(),
    ...homes(),
    ...options(),
    ...shells(),
    ...long(),
  ]),
];

/** Good names that mean something to a careless look-up. */
export const inherited: readonly string[] = [
  ...["constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "toLocaleString"],
];

function traversals(): readonly string[] {
  const depths = [1, 2, 3, 5, 8, 13];
  return depths.flatMap((depth) =>
    TARGETS.flatMap((target) => [
      `${"../".repeat(depth)}${target}`,
      `${"..\\".repeat(depth)}${target.replaceAll("/", "\\")}`,
      `a/${"../".repeat(depth)}${target}`,
    ]),
  );
}

/** A dot, a slash or both as somebody may decode them later. */
function encoded(): readonly string[] {
  const ups = [
    ...["%2e%2e%2f", "..%2f", "%2e%2e/", "..%5c", "%2e%2e%5c", "%252e%252e%252f", "..%c0%af", "..%ef%bc%8f"],
    ...["%uff0e%uff0e%u2215", "..;/", "....//", "..././", "..\\/", ".%00./", "&#46;&#46;&#47;", "\\x2e\\x2e\\x2f"],
  ];
  return ups.flatMap((up) => TARGETS.map((target) => `${up}${up}${target}`));
}

function absolute(): readonly string[] {
  const devices = ["zero", "random", "tty", "stdin", "fd/0", "full", "null", "mem"].map((name) => `/dev/${name}`);
  const self = ["environ", "mem", "cmdline", "fd/1", "root/etc/passwd", "cwd/../secret"].map(
    (name) => `/proc/self/${name}`,
  );
  const forms = ["/", "//", "/./", "///", "/etc/../", "file:///", "file:", "jar:file:/", "\\\\?\\", "//?/", "\\\\.\\"];
  return [...devices, ...self, ...forms.flatMap((form) => TARGETS.map((target) => `${form}${target}`))];
}

function windows(): readonly string[] {
  const numbered = ["COM", "LPT"].flatMap((name) =>
    [..."0123456789\u00b9\u00b2\u00b3"].map((digit) => `${name}${digit}`),
  );
  const names = ["CON", "con", "PRN", "AUX", "aux", "NUL", "nul", "CONIN$", "CONOUT$", "CLOCK$", ...numbered];
  const devices = names.flatMap((name) => [name, `${name}.txt`, `${name}:`, `${name} `]);
  return [
    ...devices.filter((each) => !/^(?:CON|con)(?:IN|OUT)/.test(each) || each.includes("$")),
    ...["C:", "c:\\a", "C:a", "C:/a", "\\\\server\\share\\a", "\\\\.\\pipe\\a", "\\\\?\\UNC\\s\\a", "a::$DATA", "a:b"],
  ];
}

function controls(): readonly string[] {
  const points = [...Array.from({ length: 32 }, (_, at) => at), ...Array.from({ length: 33 }, (_, at) => 0x7f + at)];
  const within = ["/a\u0000b", "../\u0000a", "a/\u001b[2J", "a.jsonl\u0000"];
  return [...points.map((point) => `a${String.fromCharCode(point)}b`), ...within];
}

function lookAlikes(): readonly string[] {
  const signs =
    "\u2215\u2044\uff0f\u29f8\u2571\u2f03\uff3c\u29f9\u2024\uff0e\u2025\u2026\u3002\ufe52\u0430\u0435\u03bf\uff41\u2170\u212a\u017f";
  const unseen =
    "\u200b\u200c\u200d\u2060\u00ad\u202a\u202e\u2066\u2069\u200e\u200f\u061c\ufeff\u2028\u2029\u3164\u115f\u{e0041}\u{e0100}\ufe0f";
  const halves = ["\ud800", "\udfff", "a\ud800", "\udfffa"];
  return [
    ...[...signs, ...unseen].flatMap((sign) => [`a${sign}b`, `..${sign}..${sign}a`]),
    ...halves,
    "e\u0301",
    "\u1e9b\u0323",
    "\ufb01le",
  ];
}

function endings(): readonly string[] {
  return [
    "",
    " ",
    "  ",
    ".",
    "..",
    "...",
    "a.",
    "a..",
    "a ",
    " a",
    "a. ",
    "a .",
    "a/",
    "a/.",
    "a/..",
    ".a",
    "._a",
    "a\\",
    ".git/config",
    ".pith",
    "a..b",
  ];
}

function homes(): readonly string[] {
  return [
    "~",
    "~/a",
    "~root",
    "~root/a",
    "~+/a",
    "~-",
    "$HOME",
    "$" + "{HOME}/a",
    "$PITH_HOME",
    "%USERPROFILE%",
    "%APPDATA%\\a",
    "$env:HOME",
  ];
}

function options(): readonly string[] {
  const names = [
    "help",
    "settings",
    "session",
    "trust",
    "allow",
    "base-url",
    "permission-mode",
    "sandbox",
    "tools",
    "pre",
    "version",
  ];
  return [
    ...[
      "-",
      "--",
      "---",
      "-p",
      "-c",
      "-rf",
      "-e",
      "-oProxyCommand=a",
      "-exec",
      "-\u2011help",
      "\u2014help",
      "\u2010\u2010trust",
    ],
    ...names.flatMap((name) => [`--${name}`, `--${name}=a`, `--${name} a`, `-${name}`, `/${name}`, `--${name}\u0000`]),
  ];
}

function shells(): readonly string[] {
  return [
    ...[
      "a;b",
      "a&b",
      "a&&b",
      "a|b",
      "a>b",
      "a<b",
      "a`b`",
      "$(a)",
      "a$b",
      "a'b",
      'a"b',
      "a*",
      "a?",
      "[a]",
      "{a,b}",
      "**/a",
    ],
    ...[
      "!a",
      "!!",
      "#a",
      "a b",
      "@a",
      "a@b",
      "a=b",
      "a,b",
      "a+b",
      "a(b)",
      "a^b",
      "<a>",
      "<!--",
      "]]>",
      "{{a}}",
      "$" + "{a}",
      "a%b",
    ],
  ];
}

function long(): readonly string[] {
  const lengths = [65, 255, 256, 1024, 4096, 100_000];
  return [
    ...lengths.map((length) => "x".repeat(length)),
    ...lengths.map((length) => "\u{1f600}".repeat(length)),
    "a/".repeat(5000),
  ];
}
