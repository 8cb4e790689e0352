/**
 * Real keys before, during and at every question that lets foreign code run or grants something: nothing runs without Enter on its row
 * after the question was drawn. `pnpm test` types a part of the keys at other questions in each run; `pnpm test:hostile` types all of them.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Script } from "@pith/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { TestWorkspace, type TestWorkspaceOptions } from "../../e2e/support/test-workspace.ts";
import type { Tmux } from "../../e2e/support/tmux.ts";
import { findBuiltProgram } from "../support/built-program.ts";

/** A question, how it comes about, and what answers it. */
interface Question {
  readonly name: string;
  readonly options?: Partial<TestWorkspaceOptions>;
  /** What is typed in the shell. */
  readonly command: string;
  /** What is sent to the model, so that its reply leads to the question. */
  readonly message?: string;
  /** What the question says. */
  readonly shows: string;
  /** What it shows only when it takes keys. */
  readonly ready: string;
  /** Rows before the one that lets the code run, or keys that lead to it; then Enter is pressed. */
  readonly way: readonly string[];
  /** Letters that close the question: they answer no, or yes to a single command of the model. */
  readonly answers?: string;
  /** Letters and digits belong to a field of the question, so that they are not typed into the editor. */
  readonly hasField?: true;
}

/** The foreign code leaves this file when it runs. */
function hasRun(workspace: TestWorkspace): boolean {
  return existsSync(join(workspace.root, "user/ran"));
}

const MARK = 'writeFileSync(process.env.HOME + "/ran", "");';
const TRUSTED_CODE = `import { writeFileSync } from "node:fs";\ntry { ${MARK} } catch {}\nexport default () => {};\n`;
/** An extension of the user that asks when the session starts, and acts on the answer. */
const askingExtension = (ask: string): Record<string, string> => ({
  "extensions/ask.js": `import { writeFileSync } from "node:fs";
export default (pith) => {
  pith.on("session_start", (_, { ui }) => {
    void (async () => { if (${ask}) ${MARK} })();
  });
};
`,
});
const folder = { files: { ".pith/extensions/mark.js": TRUSTED_CODE, "mark.js": TRUSTED_CODE } };
const replies = (name: string, args: object): Script => [
  { parts: [{ type: "call", name, arguments: { ...args } }] },
  ...Array.from({ length: 40 }, () => "Done."),
];
const server = {
  settings: {
    sandbox: "off",
    mcpServers: { mark: { command: "sh", args: ["-c", 'touch "$HOME/ran"; cat > /dev/null'], sandbox: "off" } },
  },
  script: replies("mcp_find", {}),
};
const command = {
  settings: { sandbox: "off", permissionMode: "ask" },
  script: replies("bash", { command: "touch ~/ran" }),
};
const many = JSON.stringify(Array.from({ length: 9 }, (_, index) => (index === 4 ? "Run it" : `Leave ${index}`)));

const screenQuestions: readonly Question[] = [
  {
    ...{ name: "trust in a folder", options: folder, command: "pith" },
    ...{ shows: "Do you trust this folder?", ready: "Enter select", way: ["Right"] },
  },
  {
    ...{ name: "the start of an MCP server", options: server, command: "pith", message: "go" },
    ...{ shows: "start this program?", ready: "❯ No, not now", way: ["Down"] },
  },
  {
    ...{
      name: "a confirmation of an extension",
      options: { homeFiles: askingExtension('await ui.confirm("Run it?", "")') },
    },
    ...{ command: "pith", shows: "Run it?", ready: "(y then Enter)", way: [], answers: "n" },
  },
  {
    ...{ name: "a choice of an extension", command: "pith", shows: "Which?", ready: "❯ Leave it", way: ["Down"] },
    options: { homeFiles: askingExtension('(await ui.select("Which?", ["Leave it", "Run it"])) === "Run it"') },
  },
  {
    ...{
      name: "a long choice of an extension",
      command: "pith",
      shows: "Which?",
      ready: "type to filter",
      way: ["Run"],
    },
    options: { homeFiles: askingExtension(`(await ui.select("Which?", ${many})) === "Run it"`) },
    hasField: true,
  },
  {
    ...{ name: "a text input of an extension", command: "pith", shows: "What?", ready: "Enter submit", way: ["x"] },
    options: { homeFiles: askingExtension('(await ui.input("What?")) !== undefined') },
    hasField: true,
  },
  {
    ...{ name: "a command of the model", options: command, command: "pith", message: "go" },
    ...{ shows: "touch ~/ran", ready: "Enter confirm", way: ["1"], answers: "yn" },
  },
];

/** In plain mode a line is an answer, so Enter after a number is Enter on its row. */
const plainQuestions: readonly Question[] = screenQuestions
  .filter(({ hasField }) => !hasField)
  .map((question) => ({
    ...question,
    ...{ command: `${question.command} --plain`, ready: "Enter a number from 0", name: `${question.name}, plain` },
    way: [question.name === "trust in a folder" || question.way[0] === "Down" ? "2" : "1"],
  }));

const subcommandQuestions: readonly Question[] = [
  {
    ...{ name: "pith extensions add", options: { ...folder, settings: { sandbox: "off" } } },
    ...{ command: "pith extensions add ./mark.js", shows: "[y/N]", ready: "[y/N]", way: [] },
  },
  { name: "pith trust", options: folder, command: "pith trust", shows: "[y/N]", ready: "[y/N]", way: [] },
  {
    name: "pith mcp trust",
    options: server,
    command: "pith mcp trust mark",
    shows: "[y/N]",
    ready: "[y/N]",
    way: ["y"],
  },
];

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz0123456789"];

/** Keys that are pressed at once after the command or the message, as tmux names them. */
const earlyKeys: readonly (readonly string[])[] = [
  [...LETTERS],
  ["y"],
  ["y", "Enter"],
  ["y", "Enter", "y", "Enter", "y", "Enter"],
  ["Y", "e", "s", "Enter"],
  ...[1, 2, 3, 4, 5].map((digit) => [`${digit}`, "Enter"]),
  Array.from({ length: 12 }, () => "Enter"),
  ["Down", "Enter"],
  ["Right", "Enter", "Enter"],
  ["Up", "Up", "Enter"],
  ["Tab", "Enter", "Space", "Enter"],
  ["r", "u", "n", "Enter"],
  ["C-m", "C-j", "C-m"],
  ["Escape", "y", "Enter"],
  ["Escape", "Escape", "Down", "Enter"],
];

const first = Math.floor(Math.random() * 1_000);

/** All in the long form; otherwise every `of`th, and others in each run. */
function takeShare<Item>(items: readonly Item[], of: number): readonly Item[] {
  return isLong ? items : items.filter((_, index) => (index + first) % of === 0);
}

async function createWorkspace({ options = {} }: Question): Promise<TestWorkspace> {
  const workspace = await TestWorkspace.create({
    script: () => "Done.",
    program: findBuiltProgram(),
    settings: { sandbox: "off" },
    rows: 36,
    ...options,
  });
  onTestFinished(() => workspace.remove());
  return workspace;
}

/** Starts the program so that its question is on the way. Nothing waits for the question. */
async function start(question: Question, workspace: TestWorkspace, keys: readonly string[]): Promise<Tmux> {
  const tmux = await workspace.openTerminal();
  await tmux.type(question.command);
  if (question.message === undefined) {
    await tmux.press("Enter", ...keys);
    return tmux;
  }
  await tmux.press("Enter");
  await tmux.waitFor(/claude|Ready\./);
  await tmux.enter(question.message);
  if (keys.length > 0) await tmux.press(...keys);
  return tmux;
}

/** Leaves the editor, if keys go to it, and waits until the question takes keys. */
async function returnToQuestion({ ready }: Question, tmux: Tmux): Promise<void> {
  for (let left = 20; left > 0; left -= 1) {
    const screen = await tmux.screen();
    // The first Esc may only close a completion. `Why not?` is the field of a permission question.
    if (/back to the question|Why not\?/.test(screen)) await tmux.press("Escape");
    else if (screen.includes(ready)) break;
    await sleep(200);
  }
  await tmux.waitFor(ready);
  // A choice has no hints that show when it takes keys.
  if (ready.startsWith("❯")) await sleep(500);
}

/** The way to the row, and Enter: then the code runs. It shows that the question was open all the time. */
async function acceptAndCheck(question: Question, workspace: TestWorkspace, tmux: Tmux): Promise<void> {
  await returnToQuestion(question, tmux);
  expect(hasRun(workspace)).toBe(false);
  // In plain mode, the terminal still has the line that was begun before.
  if (question.command.includes("--plain")) await tmux.press("C-u");
  for (const key of question.way) await tmux.press(key);
  await tmux.press("Enter");
  for (let left = 500; left > 0 && !hasRun(workspace); left -= 1) await sleep(20);
  expect(hasRun(workspace)).toBe(true);
}

const cases = (questions: readonly Question[], of: number) =>
  takeShare(
    questions.flatMap((question) => earlyKeys.map((keys) => ({ question, keys }))),
    of,
  ).map(({ question, keys }) => [question.name, keys.join(" ").slice(0, 40), question, keys] as const);

describe("ASK7 keys typed before the question run nothing", () => {
  test.each(cases([...screenQuestions, ...plainQuestions], 25))(
    "and only Enter at it does: %s, keys %s",
    async (_, __, question, keys) => {
      const workspace = await createWorkspace(question);
      const tmux = await start(question, workspace, keys);
      // A typed Esc may stop the run before it asks.
      if (!keys.includes("Escape")) await tmux.waitFor(question.shows);
      await tmux.settled();
      expect(hasRun(workspace)).toBe(false);
      if ((await tmux.screen()).includes(question.shows)) await acceptAndCheck(question, workspace, tmux);
    },
  );

  test.each(cases(subcommandQuestions, 15))(
    "and change no file of a subcommand: %s, keys %s",
    async (_, __, question, keys) => {
      const workspace = await createWorkspace(question);
      const tmux = await start(question, workspace, keys);
      await tmux.waitFor(question.shows);
      await tmux.settled();
      await tmux.press("Enter");
      await tmux.waitUntil((screen) => screen.trimEnd().endsWith("\n$"), "the shell");
      expect(hasRun(workspace)).toBe(false);
      for (const name of ["trust.json", "mcp-pins.json", "extensions/mark.js"])
        expect(existsSync(join(workspace.home, name))).toBe(false);
    },
  );
});

describe("ASK7 letters typed until the question appears run nothing", () => {
  test.each(takeShare(screenQuestions, 7).map((question) => [question.name, question] as const))(
    "at %s",
    async (_, question) => {
      const workspace = await createWorkspace(question);
      const tmux = await start(question, workspace, []);
      for (let index = 0; !(await tmux.screen()).includes(question.shows) && index < 2_000; index += 1)
        await tmux.type(LETTERS[index % LETTERS.length] ?? "");
      await tmux.type("yes");
      await tmux.settled();
      expect(hasRun(workspace)).toBe(false);
      if (!question.hasField) await acceptAndCheck(question, workspace, tmux);
    },
  );
});

describe("ASK7 in plain mode, only the number of the row allows a run", () => {
  test.each(takeShare(plainQuestions, 4).map((question) => [question.name, question] as const))(
    "at %s",
    async (_, question) => {
      const workspace = await createWorkspace(question);
      const tmux = await start(question, workspace, []);
      await tmux.waitFor(question.ready);
      for (const line of ["y", "yes", "Y", "run it", "1 more thing", "12", "+1", "Yes, 2"]) await tmux.enter(line);
      await tmux.press("Enter", "Enter", "Enter");
      await tmux.settled();
      await acceptAndCheck(question, workspace, tmux);
    },
  );
});

describe("ASK7 at the question, letters, digits and pastes run nothing; only Enter on a row does", () => {
  test.each(takeShare(screenQuestions, 3).map((question) => [question.name, question] as const))(
    "at %s",
    async (_, question) => {
      const { answers = "", hasField } = question;
      const workspace = await createWorkspace(question);
      const tmux = await start(question, workspace, []);
      for (const letter of LETTERS.filter((each) => !answers.includes(each))) {
        await returnToQuestion(question, tmux);
        await tmux.type(letter);
        await sleep(80);
        expect({ letter, hasRun: hasRun(workspace) }).toEqual({ letter, hasRun: false });
      }
      await returnToQuestion(question, tmux);
      await tmux.paste("y\n1\n2\nrun\n");
      await tmux.settled();
      expect(hasRun(workspace)).toBe(false);
      expect(await tmux.screen()).toContain(question.shows);
      if (hasField) await tmux.press("C-u");
      await acceptAndCheck(question, workspace, tmux);
    },
  );
});
