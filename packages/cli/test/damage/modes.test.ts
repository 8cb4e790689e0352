/** Tests a damaged session in each of the six modes, as a process: it is reported, and none of the damaged line is shown or sent. */

import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { TestWorkspace as Terminal } from "../../e2e/support/test-workspace.ts";
import { Editor } from "../support/acp-editor.ts";
import { findBuiltProgram } from "../support/built-program.ts";
import { TestProgram } from "../support/test-program.ts";
import { type Flip, type FortyEntries, flipsOf, placeFile, writeFortyEntries } from "./forty-entries.ts";

const SEED = Number(process.env.PITH_SEED ?? 22);
const SAYS = "This session is damaged";
const PROMPT = "What did I ask first?";

interface Shown {
  /** All that the user or the other program gets to see. */
  readonly output: string;
  /** Where the notice has to be. */
  readonly notice: string;
}

interface Place {
  readonly program: Pick<TestProgram, "server" | "folder" | "home">;
  readonly session: FortyEntries;
}

let program: TestProgram;
let terminal: Terminal;
let places: { readonly process: Place; readonly terminal: Place };

beforeAll(async () => {
  const bin = findBuiltProgram();
  program = new TestProgram({ bin });
  await program.serve(() => "Understood.");
  terminal = await Terminal.create({ script: () => "Understood.", program: bin, columns: 120, rows: 50 });
  places = {
    process: { program, session: await writeFortyEntries(program.folder, program.home) },
    terminal: { program: terminal, session: await writeFortyEntries(terminal.folder, terminal.home) },
  };
});

afterAll(async () => {
  await program.remove();
  await terminal.remove();
});

const keys = (): Readonly<Record<string, string>> => ({
  ANTHROPIC_API_KEY: "any",
  ANTHROPIC_BASE_URL: program.server.url,
});

async function inPrint(): Promise<Shown> {
  const { out, notes } = await program.run(["-p", "-c", PROMPT], { variables: keys() });
  return { output: out + notes, notice: notes };
}

async function inJson(): Promise<Shown> {
  const { out, notes } = await program.run(["--mode", "json", "-c", PROMPT], { variables: keys() });
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  return {
    output: out + notes,
    notice: lines
      .filter(({ type }) => type === "session_damaged")
      .map((line) => line.message)
      .join("\n"),
  };
}

async function inPlain(): Promise<Shown> {
  const { out, notes } = await program.run(["--plain", "-c"], { variables: keys(), input: `${PROMPT}\n` });
  return { output: out + notes, notice: out };
}

/** Switched to from a new session, as a program does that shows a list. */
async function inRpc({ session }: Place): Promise<Shown> {
  const env = { PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home, ...keys() };
  const child = spawn(process.execPath, [program.bin, "--mode", "rpc"], {
    cwd: program.folder,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  let output = "";
  const ended = new Promise((resolve) => child.on("close", resolve));
  const isDone = new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk) => {
      output += chunk;
      if (output.includes('"agent_settled"') || output.includes('"success":false')) resolve();
    });
  });
  child.stdin.write(`${JSON.stringify({ type: "switch_session", sessionPath: session.id })}\n`);
  child.stdin.write(`${JSON.stringify({ type: "prompt", message: PROMPT })}\n`);
  await isDone;
  child.stdin.end();
  await ended;
  const damageEvents = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ type }) => type === "session_damaged");
  return { output, notice: damageEvents.map(({ message }) => message).join("\n") };
}

async function inAcp({ session }: Place): Promise<Shown> {
  const editor = await Editor.start({ program });
  const { sessions } = await editor.agent.request("session/list", { cwd: program.folder });
  expect(sessions.map(({ sessionId }) => sessionId)).toContain(session.id);
  await editor.agent.request("session/load", { sessionId: session.id, cwd: program.folder, mcpServers: [] });
  await editor.say(session.id, PROMPT);
  editor.child.stdin.end();
  await editor.ended;
  const chunks = editor.updates("agent_message_chunk", session.id).map(({ content }) => JSON.stringify(content));
  return {
    output: JSON.stringify(editor.notifications) + editor.notes,
    notice: chunks.filter((text) => text.includes(SAYS)).join("\n"),
  };
}

async function inScreen(): Promise<Shown> {
  const tmux = await terminal.startProgram("-c");
  await tmux.enter(PROMPT);
  await tmux.waitFor("Understood.");
  const output = await tmux.scrollback();
  await tmux.end();
  return { output, notice: output.replaceAll(/\s+/g, " ") };
}

const modes = { print: inPrint, json: inJson, plain: inPlain, rpc: inRpc, acp: inAcp, screen: inScreen };
const names = Object.keys(modes) as readonly (keyof typeof modes)[];

/** The header, a message of the user behind the compaction, a result, and the last line; or all. */
function chosen(all: readonly Flip[]): readonly Flip[] {
  const lines = Map.groupBy(all, ({ line }) => line);
  const last = Math.max(...lines.keys());
  const each = [...lines].map(([line, flips]) => ({ line, flip: flips[line % flips.length] ?? flips[0] }));
  const wanted = isLong ? each : each.filter(({ line }) => line === 1 || line === last - 3);
  return wanted.flatMap(({ flip }) => flip ?? []);
}

async function open(mode: keyof typeof modes, bytes: Uint8Array): Promise<Shown & { readonly requests: string }> {
  const place = mode === "screen" ? places.terminal : places.process;
  placeFile(place.session, bytes);
  const { requests: served } = place.program.server;
  const count = served.length;
  const shown = await modes[mode](place);
  const requests = place.program.server.requests.slice(count);
  expect(requests.map(({ outcome }) => outcome)).toEqual(["said"]);
  return { ...shown, requests: JSON.stringify(requests.map(({ body }) => body)) };
}

describe.each(names)("in %s mode", (mode) => {
  test("HARM1 HARM3 HARM4 a flipped bit is reported once, and nothing of the damaged line is shown or sent", async () => {
    const { session } = mode === "screen" ? places.terminal : places.process;
    for (const flip of chosen(flipsOf(session.bytes, SEED))) {
      const { notice, output, requests } = await open(mode, flip.bytes);
      expect(notice.split(SAYS).length - 1, flip.name).toBe(1);
      expect(notice).toContain(`pith doctor ${session.id.slice(0, 8)}`);
      if (flip.altered !== null) expect(output + requests, flip.name).not.toContain(flip.altered);
    }
  }, 1_200_000);

  test("HARM1 HARM6 a torn end is reported to the user and to the model, and saved beside the file", async () => {
    const { session } = mode === "screen" ? places.terminal : places.process;
    const half = session.bytes.subarray(session.bytes.lastIndexOf('{"type":"message"')).subarray(0, 120);
    const { notice, requests } = await open(mode, Buffer.concat([session.bytes, half]));
    expect(notice).toContain("1 line at the end cut off (line 4");
    expect(requests).toContain("[Pith: the last lines of this session were cut off");
    expect(existsSync(`${session.path}.damaged`)).toBe(true);
  });
});

test("HARM5 a damaged message at the end is not continued without a prompt", async () => {
  const { session } = places.process;
  const lines = session.bytes.toString().trimEnd().split("\n");
  const question = lines.findLastIndex((line) => line.includes('"role":"user"'));
  const flipped = lines
    .slice(0, question + 1)
    .map((line, at) => (at === question ? line.replace("puffin", "muffin") : line));
  placeFile(session, Buffer.from(`${flipped.join("\n")}\n`));
  const { requests } = program.server;
  const count = requests.length;
  const { code, notes } = await program.run(["-p", "-c"], { variables: keys() });
  expect(code).toBe(1);
  expect(notes).toContain(SAYS);
  expect(notes).toMatch(/the last message of this session \(#\d+\) is damaged.*send a message to continue/);
  expect(program.server.requests.length).toBe(count);
});

test("HARM7 pith doctor SESSION shows the damaged lines and changes nothing", async () => {
  const { session } = places.process;
  placeFile(session, Buffer.from(session.bytes.toString().replace("puffin", "muffin")));
  const { out, code } = await program.run(["doctor", "last"], { variables: keys() });
  expect(code).toBe(1);
  expect(out).toMatch(/^line \d+: the checksum does not match/m);
  expect(out).toContain("muffin");
  expect(readFileSync(session.path, "utf8")).toContain("muffin");
  placeFile(session, session.bytes);
  expect((await program.run(["doctor", "last"], { variables: keys() })).code).toBe(0);
});
