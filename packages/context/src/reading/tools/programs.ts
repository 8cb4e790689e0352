/** What the programs of a shell do with the files they are named: the common ones, and only the obvious. */

import { type Operands, operands, type Taking } from "./operands.ts";
import type { ShellCommand } from "./shell-commands.ts";
import type { Word } from "./shell-words.ts";

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
export function isLook({ words, writesTo }: ShellCommand): boolean {
  const { name, rest } = invocation(words);
  if (writesTo.some((path) => path === null || !isNoFile(path))) return false;
  return LOOKING.test(name) && !(name === "sed" && isInPlace(operands(rest, { takes: "efl" })));
}

const LOOKING =
  /^(?:cat|tac|nl|wc|less|more|head|tail|grep|rg|ag|awk|sed|ls|find|fd|tree|stat|file|cd|pwd|echo|sort|uniq|cut|tr|jq|which|git (?:log|diff|show|status|grep|blame|ls-files))$/;

interface Invocation {
  /** Without the folder it lies in; git's programs have two words. */
  readonly name: string;
  readonly rest: readonly Word[];
}

export function invocation(words: readonly Word[]): Invocation {
  const at = words.findIndex((word) => word === null || !STANDS_BEFORE.test(word));
  const first = words[at] ?? "";
  const name = first.slice(first.lastIndexOf("/") + 1);
  const rest = words.slice(at + 1);
  return name === "git" ? { name: `git ${rest[0]}`, rest: rest.slice(1) } : { name, rest };
}

/** Words of loops and conditions, `LANG=C`, and programs that run another. */
const STANDS_BEFORE = /^(?:then|do|else|if|while|!|sudo|env|time|command|nohup|exec|[A-Za-z_]\w{0,99}=.*)$/s;

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
const sources = (paths: readonly Word[]): readonly Word[] => paths.slice(0, -1);
// Behind several sources the last one is a folder.
const target = (paths: readonly Word[]): readonly Touch[] =>
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

function touches(words: readonly Word[], did: Touch["did"]): readonly Touch[] {
  return words.flatMap((path) => (path === null || isNoFile(path) ? [] : [{ path, did }]));
}

/** Standard input, the numbers of open files, and devices. */
function isNoFile(path: string): boolean {
  return /^(?:-|\d{1,3}|\/dev\/.*)$/s.test(path);
}
