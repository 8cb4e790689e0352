/** Finds the files that the commands of a shell line read and modify. */

import { isNoFile, type ShellCommand } from "../shell/shell-line.ts";
import type { ShellWord } from "../shell/words.ts";
import { invocation, joinPath, locatedCommands, runsNothing, shellCommands } from "./located-commands.ts";

export interface Operands {
  /** One letter each, in order. */
  readonly options: string;
  readonly paths: readonly ShellWord[];
}

/** How a program takes its words. */
export interface Taking {
  /** Options that take the word behind them. */
  readonly takes?: string;
  /** The first operand is a pattern or a script, unless one of these options brings it. */
  readonly script?: string;
}

export function operands(words: readonly ShellWord[], { takes = "", script }: Taking): Operands {
  const over = words.indexOf("--");
  const paths: ShellWord[] = [];
  let options = "";
  let isTaken = false;
  for (const word of over < 0 ? words : words.slice(0, over)) {
    const said: Options | null = isTaken ? null : optionsIn(word, takes);
    if (said) options += said.letters;
    else if (!isTaken) paths.push(word);
    isTaken = said?.takesNext ?? false;
  }
  // The empty word is how one kind of `sed -i` says that it wants no copy.
  const named = paths.concat(over < 0 ? [] : words.slice(over + 1)).filter((path) => path !== "");
  const isScripted = script !== undefined && ![...script].some((letter) => options.includes(letter));
  return { options, paths: isScripted ? named.slice(1) : named };
}

interface Options {
  readonly letters: string;
  readonly takesNext: boolean;
}

/** `-ni.bak` says n and i; behind a letter that takes a value comes the value. Null for a word that is no option. */
function optionsIn(word: ShellWord, takes: string): Options | null {
  const [, long, short] = /^-(?:(-[\w-]{1,40})|(\w{1,40}))/.exec(word ?? "") ?? [];
  if (long !== undefined) return { letters: LONG[long] ?? "", takesNext: false };
  if (short === undefined) return null;
  const valued = [...short].findIndex((letter) => takes.includes(letter));
  if (valued < 0) return { letters: short, takesNext: false };
  return { letters: short.slice(0, valued + 1), takesNext: word?.length === valued + 2 };
}

const LONG: Readonly<Record<string, string>> = { "-in-place": "i", "-recursive": "r" };

export interface Touch {
  readonly path: string;
  readonly did: "read" | "modified";
}

/** In the order of the command. */
export function commandTouches({ words, readsFrom, writesTo }: ShellCommand): readonly Touch[] {
  const { name, rest } = invocation(words);
  const program = programs.get(name);
  const named = program ? program.touches(operands(rest, program)) : [];
  return [...named, ...touches(readsFrom, "read"), ...touches(writesTo, "modified")];
}

/** Whether it only shows what can be had again: files, searches, listings. */
export function isLook(command: ShellCommand): boolean {
  const { name, rest } = invocation(command.words);
  if (command.writesTo.some((path) => path === null || !isNoFile(path))) return false;
  if (runsNothing(command)) return true;
  return LOOKING.test(name) && !(name === "sed" && isInPlace(operands(rest, { takes: "efl" })));
}

const LOOKING =
  /^(?:cat|tac|nl|wc|less|more|head|tail|grep|rg|ag|awk|sed|ls|find|fd|tree|stat|file|cd|pwd|echo|sort|uniq|cut|tr|jq|which|git (?:log|diff|show|status|grep|blame|ls-files))$/;

interface Program extends Taking {
  readonly touches: (said: Operands) => readonly Touch[];
}

const reading: Program["touches"] = ({ paths }) => touches(paths, "read");
const modifying: Program["touches"] = ({ paths }) => touches(paths, "modified");
const searching: Program["touches"] = (said) => (/r/i.test(said.options) ? [] : reading(said));
const streaming: Program["touches"] = (said) => (isInPlace(said) ? modifying(said) : reading(said));
const patching: Program["touches"] = ({ paths }) => touches(paths.slice(0, 1), "modified");
const moving: Program["touches"] = ({ paths }) => [...touches(sources(paths), "modified"), ...target(paths)];
const copying: Program["touches"] = ({ options, paths }) =>
  /[ra]/i.test(options) ? [] : [...touches(sources(paths), "read"), ...target(paths)];

const isInPlace = ({ options }: Operands): boolean => options.includes("i");
const sources = (paths: readonly ShellWord[]): readonly ShellWord[] => paths.slice(0, -1);
// Behind several sources the last one is a folder.
const target = (paths: readonly ShellWord[]): readonly Touch[] =>
  touches(paths.length === 2 ? paths.slice(1) : [], "modified");

const programs: ReadonlyMap<string, Program> = new Map<string, Program>([
  ["cat", { touches: reading }],
  ["tac", { touches: reading }],
  ["nl", { touches: reading }],
  ["wc", { touches: reading }],
  ["less", { touches: reading }],
  ["more", { touches: reading }],
  ["head", { takes: "nc", touches: reading }],
  ["tail", { takes: "nc", touches: reading }],
  ["awk", { takes: "fFv", script: "f", touches: reading }],
  ["grep", { takes: "efmABC", script: "ef", touches: searching }],
  ["sed", { takes: "efl", script: "ef", touches: streaming }],
  ["tee", { touches: modifying }],
  ["touch", { takes: "drt", touches: modifying }],
  ["rm", { touches: modifying }],
  ["git rm", { touches: modifying }],
  ["mv", { touches: moving }],
  ["git mv", { touches: moving }],
  ["cp", { touches: copying }],
  ["patch", { takes: "pido", touches: patching }],
]);

function touches(words: readonly ShellWord[], did: Touch["did"]): readonly Touch[] {
  return words.flatMap((path) => (path === null || isNoFile(path) ? [] : [{ path, did }]));
}

/** In the order of the line. A path behind a `cd` is said in two parts: they are joined, and nothing else is done to it. */
export function shellTouches(line: string): readonly Touch[] {
  return locatedCommands(line).flatMap(({ command, folder }) =>
    commandTouches(command).flatMap(({ path, did }) => {
      const whole = joinPath(folder, path);
      return whole === null ? [] : [{ path: whole, did }];
    }),
  );
}

/** Whether a line only shows what can be had again: files, searches, listings. Then nothing in its output is news. */
export function onlyLooks(line: string): boolean {
  const commands = shellCommands(line);
  return commands.length > 0 && commands.every(isLook);
}
