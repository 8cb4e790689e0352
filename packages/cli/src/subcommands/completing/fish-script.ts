/** The completions of fish, one line for each word. */

import { firstWords, groups, type Line, type LineFlag, type Words } from "./lines.ts";

export function fishScript(all: readonly Line[]): string {
  return [
    "# Completions of pith for fish; made by: pith completions fish",
    START,
    ...firstWords(all).map(([word, says]) => complete("__pith_at ''", `-f -a ${quoted(word)} -d ${quoted(says)}`)),
    ...[...groups(all)].flatMap(([group, members]) =>
      members.map(({ name, says }) =>
        complete(`__pith_at ${quoted(group)}`, `-f -a ${quoted(name.split(" ")[1] ?? "")} -d ${quoted(says)}`),
      ),
    ),
    ...all.flatMap(linesFor),
  ].join("\n");
}

/** `__pith_at NAME`: just these words stand there. `__pith_in NAME`: they do, and more may follow. */
const START = `function __pith_words
    set -l words (commandline -opc)
    for word in $words[2..-1]
        string match -q -- '-*' $word; and break
        echo -- $word
    end
end
function __pith_at
    set -l words (__pith_words)
    test "$words" = "$argv[1]"; and test (count (commandline -opc)) -le (math 1 + (count $words))
end
function __pith_in
    set -l words (__pith_words)
    test -z "$argv[1]"; and begin; test (count $words) -eq 0; return; end
    string match -q -- "$argv[1] *" "$words "
end
function __pith_sessions
    set -l program (commandline -opc)[1]
    $program __sessions 2>/dev/null
end`;

function linesFor({ name, flags, words }: Line): readonly string[] {
  const where = `__pith_in ${quoted(name)}`;
  const own =
    name === "" || (typeof words !== "string" && words.length === 0) ? [] : [complete(where, valueFor(words))];
  return [...own, ...flags.map((flag) => complete(where, flagFor(flag)))];
}

function flagFor({ name, short, says, value }: LineFlag): string {
  const parts = [short === undefined ? "" : `-s ${short}`, `-l ${name}`, value === null ? "" : `-r ${valueFor(value)}`];
  return [...parts, `-d ${quoted(says)}`].filter((part) => part !== "").join(" ");
}

function valueFor(words: Words): string {
  if (words === "sessions") return "-f -a '(__pith_sessions)'";
  if (words === "folders") return "-f -a '(__fish_complete_directories)'";
  return words === "files" ? "-F" : `-f -a ${quoted(words.join(" "))}`;
}

function complete(where: string, what: string): string {
  return `complete -c pith -n ${quoted(where)} ${what}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
