/** Finds the program, the folder and the files of each command in a shell line. It runs nothing and guesses nothing. */

import { isStreamOrDevice, parseShellLine, type ShellCommand } from "../shell/parse-line.ts";
import type { ShellWord } from "../shell/parse-word.ts";

/**
 * Lists the files that a shell line reads, modifies, deletes and moves, in order. A path after a `cd` is joined with its folder and not
 * normalized.
 */
export function findShellTouches(line: string): readonly PathTouch[] {
  return commandsInFolders(line).flatMap(({ command, folder }) =>
    commandTouches(command).flatMap((touch): readonly PathTouch[] => {
      const path = joinPath(folder, touch.path);
      if (path === null) return [];
      if (touch.did !== "moved") return [{ ...touch, path }];
      const to = joinPath(folder, touch.to);
      return to === null ? [] : [{ ...touch, path, to }];
    }),
  );
}

/** A path and what happened to it. */
export type PathTouch =
  | { readonly path: string; readonly did: "read" | "modified" }
  /** The path may be a folder. With `isPattern`, a `*` in it stands for any characters of a name. */
  | { readonly path: string; readonly did: "deleted"; readonly isPattern?: true }
  | { readonly path: string; readonly did: "moved"; readonly to: string };

/** Returns null if the folder is unknown and the path is relative. */
function joinPath(folder: ShellWord, path: string): ShellWord {
  if (/^(?:[/~]|[A-Za-z]:)/.test(path) || folder === START_FOLDER) return path;
  return folder === null ? null : `${folder.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}`;
}

/** Whether a shell line only shows files, searches or listings, which can be shown again. */
export function isReadOnlyLine(line: string): boolean {
  const commands = parseShellCommands(line);
  return commands.length > 0 && commands.every(isReadOnlyCommand);
}

/** Parses the commands of a shell line. Returns an empty list if the line is ambiguous. */
export function parseShellCommands(line: string): readonly ShellCommand[] {
  return parseShellLine(line)?.commands ?? [];
}

/** Whether a command only shows files, searches or listings. */
export function isReadOnlyCommand(command: ShellCommand): boolean {
  const { name, args } = parseInvocation(command.words);
  if (command.outputPaths.some((path) => path === null || !isStreamOrDevice(path))) return false;
  if (runsNoProgram(command) || (args.length === 1 && /^--(?:version|help)$|^-[vV]$/.test(args[0] ?? ""))) return true;
  return READ_ONLY_PROGRAMS.test(name) && !(name === "sed" && isInPlace(parseOperands(args, { valueOptions: "efl" })));
}

const READ_ONLY_PROGRAMS =
  /^(?:cat|tac|nl|wc|less|more|head|tail|grep|rg|ag|awk|sed|ls|find|fd|tree|stat|file|cd|pwd|echo|printf|sort|uniq|cut|tr|od|jq|which|type|diff|cmp|test|true|date|sleep|ps|du|df|\[\[?|git (?:log|diff|show|status|grep|blame|ls-files|rev-parse))$/;

/** Lists what a command does with files, in order. */
function commandTouches({ words, patterns, inputPaths, outputPaths }: ShellCommand): readonly PathTouch[] {
  const { name, args } = parseInvocation(words);
  const program = shellPrograms.get(name);
  const operandTouches = program ? program.touches({ ...parseOperands(args, program), patterns }) : [];
  return [...operandTouches, ...toPathTouches(inputPaths, "read"), ...toPathTouches(outputPaths, "modified")];
}

function toPathTouches(words: readonly ShellWord[], did: "read" | "modified" | "deleted"): readonly PathTouch[] {
  return words.flatMap((path) => (path === null || isStreamOrDevice(path) ? [] : [{ path, did }]));
}

interface ShellProgram extends ArgumentSpec {
  readonly touches: (operands: Operands & Pick<ShellCommand, "patterns">) => readonly PathTouch[];
}

const readTouches: ShellProgram["touches"] = ({ paths }) => toPathTouches(paths, "read");
const modifyTouches: ShellProgram["touches"] = ({ paths }) => toPathTouches(paths, "modified");
const searchTouches: ShellProgram["touches"] = (operands) => (/r/i.test(operands.options) ? [] : readTouches(operands));
const streamEditTouches: ShellProgram["touches"] = (operands) =>
  isInPlace(operands) ? modifyTouches(operands) : readTouches(operands);
const patchTouches: ShellProgram["touches"] = ({ paths }) => toPathTouches(paths.slice(0, 1), "modified");
const deleteTouches: ShellProgram["touches"] = ({ paths, patterns }) => [
  ...toPathTouches(paths.map(trimSlashes), "deleted"),
  ...patterns.map((path) => ({ path, did: "deleted", isPattern: true }) as const),
];
// `--cached` and `--dry-run` leave the file where it is.
const gitDeleteTouches: ShellProgram["touches"] = (operands) =>
  /[cn]/.test(operands.options) ? [] : deleteTouches(operands);
const moveTouches: ShellProgram["touches"] = ({ paths }) => {
  const [target = null] = paths.slice(-1);
  return sourcePaths(paths).flatMap((source): readonly PathTouch[] => {
    if (source === null) return [];
    const path = trimSlashes(source) ?? source;
    if (target === null) return [{ path, did: "deleted" }];
    const isFolder = paths.length > 2 || /(?:^|\/)\.{0,2}$/.test(target);
    const name = path.slice(path.lastIndexOf("/") + 1);
    const to = target === "." ? name : `${trimSlashes(target)}/${name}`;
    return [{ path, did: "moved", to: isFolder ? to : target }];
  });
};
const copyTouches: ShellProgram["touches"] = ({ options, paths }) =>
  /[ra]/i.test(options) ? [] : [...toPathTouches(sourcePaths(paths), "read"), ...targetTouches(paths)];

const trimSlashes = (path: ShellWord): ShellWord => path?.replace(/(?<=.)\/{1,99}$/, "") ?? null;
const isInPlace = ({ options }: Pick<Operands, "options">): boolean => options.includes("i");
const sourcePaths = (paths: readonly ShellWord[]): readonly ShellWord[] => paths.slice(0, -1);
// After several sources, the last operand is a folder.
const targetTouches = (paths: readonly ShellWord[]): readonly PathTouch[] =>
  toPathTouches(paths.length === 2 ? paths.slice(1) : [], "modified");

const shellPrograms: ReadonlyMap<string, ShellProgram> = new Map<string, ShellProgram>([
  ["cat", { touches: readTouches }],
  ["tac", { touches: readTouches }],
  ["nl", { touches: readTouches }],
  ["wc", { touches: readTouches }],
  ["less", { touches: readTouches }],
  ["more", { touches: readTouches }],
  ["head", { valueOptions: "nc", touches: readTouches }],
  ["tail", { valueOptions: "nc", touches: readTouches }],
  ["awk", { valueOptions: "fFv", scriptOptions: "f", touches: readTouches }],
  ["grep", { valueOptions: "efmABC", scriptOptions: "ef", touches: searchTouches }],
  ["sed", { valueOptions: "efl", scriptOptions: "ef", touches: streamEditTouches }],
  ["tee", { touches: modifyTouches }],
  ["touch", { valueOptions: "drt", touches: modifyTouches }],
  ["rm", { touches: deleteTouches }],
  ["unlink", { touches: deleteTouches }],
  ["rmdir", { touches: deleteTouches }],
  ["git rm", { touches: gitDeleteTouches }],
  ["mv", { touches: moveTouches }],
  ["git mv", { touches: moveTouches }],
  ["cp", { touches: copyTouches }],
  ["patch", { valueOptions: "pido", touches: patchTouches }],
]);

interface Operands {
  /** The letters of the options, in order. */
  readonly options: string;
  readonly paths: readonly ShellWord[];
}

/** How a program reads its arguments. */
interface ArgumentSpec {
  /** Options that take the next word as their value. */
  readonly valueOptions?: string;
  /** If set, the first operand is a pattern or a script, unless one of these options supplies it. */
  readonly scriptOptions?: string;
}

function parseOperands(words: readonly ShellWord[], { valueOptions = "", scriptOptions }: ArgumentSpec): Operands {
  const separatorIndex = words.indexOf("--");
  const paths: ShellWord[] = [];
  let options = "";
  let isOptionValue = false;
  for (const word of separatorIndex < 0 ? words : words.slice(0, separatorIndex)) {
    const parsedOptions: OptionFlags | null = isOptionValue ? null : parseOptionFlags(word, valueOptions);
    if (parsedOptions) options += parsedOptions.flags;
    else if (!isOptionValue) paths.push(word);
    isOptionValue = parsedOptions?.takesNext ?? false;
  }
  // `sed -i ''` on BSD passes an empty word, which means "no backup".
  const operandPaths = paths
    .concat(separatorIndex < 0 ? [] : words.slice(separatorIndex + 1))
    .filter((path) => path !== "");
  const hasScriptOperand = scriptOptions !== undefined && ![...scriptOptions].some((char) => options.includes(char));
  return { options, paths: hasScriptOperand ? operandPaths.slice(1) : operandPaths };
}

interface OptionFlags {
  readonly flags: string;
  readonly takesNext: boolean;
}

/** Reads the flags of an option: n and i for `-ni.bak`. Stops at a flag that takes a value. Returns null for a word that is not an option. */
function parseOptionFlags(word: ShellWord, valueOptions: string): OptionFlags | null {
  const [, long, short] = /^-(?:(-[\w-]{1,40})|(\w{1,40}))/.exec(word ?? "") ?? [];
  if (long !== undefined) return { flags: LONG_OPTION_FLAGS[long] ?? "", takesNext: false };
  if (short === undefined) return null;
  const valueIndex = [...short].findIndex((char) => valueOptions.includes(char));
  if (valueIndex < 0) return { flags: short, takesNext: false };
  return { flags: short.slice(0, valueIndex + 1), takesNext: word?.length === valueIndex + 2 };
}

const LONG_OPTION_FLAGS: Readonly<Record<string, string>> = {
  "-in-place": "i",
  "-recursive": "r",
  "-cached": "c",
  "-dry-run": "n",
};

/** Lists the commands of a shell line, each with the folder that the `cd` commands before it lead to. */
export function commandsInFolders(line: string): readonly CommandInFolder[] {
  const folders: ShellWord[] = [START_FOLDER];
  return parseShellCommands(line).map((command) => {
    enterFolder(folders, command);
    return { command, folder: folders.at(-1) ?? null };
  });
}

const START_FOLDER = "";

/** Updates the stack of folders, one per subshell level: a `cd` in a subshell does not change the folder outside. */
function enterFolder(folders: ShellWord[], { depth, words }: ShellCommand): void {
  while (folders.length > depth + 1) folders.pop();
  while (folders.length < depth + 1) folders.push(folders.at(-1) ?? null);
  const { name, args } = parseInvocation(words);
  if (name === "cd") folders[depth] = changeFolder(folders[depth] ?? null, args);
}

function changeFolder(folder: ShellWord, [target = null, ...more]: readonly ShellWord[]): ShellWord {
  return target === null || target === "-" || more.length > 0 ? null : joinPath(folder, target);
}

/** A command and the folder it runs in. */
export interface CommandInFolder {
  readonly command: ShellCommand;
  /** Empty for the folder the line starts in; null if it is unknown. */
  readonly folder: ShellWord;
}

/** Whether a command runs no program, such as the redirections of a loop or `set -e`. */
export function runsNoProgram({ words, assignments }: ShellCommand): boolean {
  return words[0] === "set" || words.length + assignments.length === 0;
}

/** Finds the program that a command runs and its arguments. */
export function parseInvocation(words: readonly ShellWord[]): Invocation {
  const index = words.findIndex((word) => word === null || !COMMAND_PREFIX_PATTERN.test(word));
  const first = words[index] ?? "";
  const name = first.slice(first.lastIndexOf("/") + 1);
  const args = words.slice(index + 1);
  return name === "git" ? { name: `git ${args[0]}`, args: args.slice(1) } : { name, args };
}

/** Programs that run another program, and `LANG=C` after `env`. */
const COMMAND_PREFIX_PATTERN = /^(?:sudo|env|time|command|nohup|exec|[A-Za-z_]\w{0,99}=.*)$/s;

/** A program and its arguments. */
export interface Invocation {
  /** The name without its folder. A git command has two words, such as `git log`. */
  readonly name: string;
  readonly args: readonly ShellWord[];
}
