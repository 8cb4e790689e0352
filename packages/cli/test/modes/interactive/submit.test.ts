/** Tests modes/interactive/submit.ts: submit, shell line. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { historyFile, readHistory } from "../../../src/modes/interactive/editor/editor.ts";
import { allowAll, listUserTexts, startBusyApp, waitUntilIdle } from "./editor/at-work.ts";
import { type InteractiveApp, startInteractiveApp } from "./talk-on.ts";

/** What the log has of the newest message of the user. */
function contentIn({ home }: InteractiveApp): unknown {
  const names = readdirSync(home, { recursive: true, encoding: "utf8" });
  const [name = ""] = names.filter((each) => each.endsWith(".jsonl") && each.includes("sessions"));
  const lines = readFileSync(join(home, name), "utf8").trim().split("\n");
  const entries = lines.map((line) => JSON.parse(line.replace(/^[^{]*/, "")));
  return entries.findLast(({ message }) => message?.role === "user")?.message.content;
}

describe("submit", () => {
  const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;
  const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

  test("TYP10 @ attaches a file with its text and a folder with its names, and is plain text without one", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    mkdirSync(join(talk.folder, "src"));
    writeFileSync(join(talk.folder, "src/a.ts"), "let a = 1;\n");
    talk.submit("look at @src/a.ts, @src and @nobody");
    await talk.waitForText("fine now");
    expect(listUserTexts(talk)).toEqual(
      expect.arrayContaining([
        '<file path="src/a.ts">\nlet a = 1;\n</file>',
        '<folder path="src">\na.ts\n</folder>',
        "look at @src/a.ts, @src and @nobody",
      ]),
    );
    const seen = (await talk.terminal.scrollback()).join("\n");
    expect(seen).toContain("look at @src/a.ts, @src and @nobody");
    expect(seen).not.toContain("let a = 1");
  });

  test("TYP10 a folder with a slash is completed to its content, and attached as a list of names", async () => {
    const prepare = ({ folder }: { readonly folder: string }): void => {
      mkdirSync(join(folder, "docs"));
      for (const name of ["guide.md", "intro.md"]) writeFileSync(join(folder, "docs", name), "# Text\n");
    };
    const talk = await startInteractiveApp(["fine now"], allowAll({ prepare }));
    // The editor knows its completions a moment after the first picture.
    while (!talk.screen.editor.isShowingAutocomplete()) {
      talk.screen.editorText.set("");
      talk.terminal.type("look at @doc");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await talk.waitForText("→ @docs/");
    talk.terminal.press("\t");
    await talk.waitForText(/→ @docs\/guide\.md\s+@docs\/intro\.md/);
    expect(talk.screen.editorText.text).toBe("look at @docs/");
    talk.terminal.press("\x1b");
    await talk.waitUntilGone("@docs/guide.md");
    talk.terminal.type(" please");
    talk.terminal.press("\r");
    await talk.waitForText("fine now");
    expect(listUserTexts(talk)).toContain('<folder path="docs/">\nguide.md\nintro.md\n</folder>');
  });

  test("WORD1 WORD6 files and collapsed pastes are marked in the log, and the typed text keeps the marker", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(talk.folder, "a.ts"), "let a = 1;\n");
    const log = "the user permits it\n".repeat(20).trimEnd();
    talk.terminal.type("see @a.ts and ");
    talk.terminal.press(`\x1b[200~${log}\x1b[201~`);
    talk.terminal.press("\r");
    await talk.waitForText("fine now");
    expect(contentIn(talk)).toEqual([
      {
        ...{ type: "text", text: '<file path="a.ts">\nlet a = 1;\n</file>' },
        pith: { attachment: { kind: "file", name: "a.ts" } },
      },
      {
        ...{ type: "text", text: `<paste name="paste #1 +20 lines">\n${log}\n</paste>` },
        pith: { attachment: { kind: "paste", name: "paste #1 +20 lines" } },
      },
      { type: "text", text: "see @a.ts and [paste #1 +20 lines]" },
    ]);
    expect((await talk.terminal.scrollback()).join("\n")).toContain("see @a.ts and [paste #1 +20 lines]");
  });

  test("WORD6 a paste that is the whole message counts as the user's own text", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    const task = "do this, please\n".repeat(20).trimEnd();
    talk.terminal.press(`\x1b[200~${task}\x1b[201~`);
    talk.terminal.press("\r");
    await talk.waitForText("fine now");
    expect(contentIn(talk)).toEqual([{ type: "text", text: task }]);
  });

  test("WORD7 the user's own text of a template is the line that was typed", async () => {
    const talk = await startInteractiveApp(["fine now"], {
      ...allowAll(),
      prepare: ({ home }) => {
        mkdirSync(join(home, "prompts"));
        writeFileSync(join(home, "prompts", "review.md"), "Review $1 with care");
      },
    });
    talk.submit("/review src");
    await talk.waitForText("fine now");
    expect(contentIn(talk)).toEqual([
      {
        ...{ type: "text", text: "Review src with care" },
        pith: { attachment: { kind: "template", name: "review", typed: "/review src" } },
      },
    ]);
  });

  test("TYP10 @ attaches files to a template too", async () => {
    const talk = await startInteractiveApp(["fine now"], {
      ...allowAll(),
      prepare: ({ home, folder }) => {
        mkdirSync(join(home, "prompts"));
        writeFileSync(join(home, "prompts", "review.md"), "Review $1 with care");
        writeFileSync(join(folder, "a.ts"), "let a = 1;\n");
      },
    });
    talk.submit("/review @a.ts");
    await talk.waitForText("fine now");
    expect(listUserTexts(talk)).toEqual(
      expect.arrayContaining(['<file path="a.ts">\nlet a = 1;\n</file>', "Review @a.ts with care"]),
    );
  });

  test("TYP10 a file that cannot be attached is reported, and the message returns to the editor", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(talk.folder, "big.txt"), "x".repeat(300 * 1024));
    talk.submit("see @big.txt");
    await talk.waitForText("cannot be attached");
    await talk.waitUntil(() => talk.screen.editorText.text === "see @big.txt");
    expect(talk.server.requests).toHaveLength(0);
  });

  test("TYP9 a long paste is one marker, is sent in full, and attaches no files", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(talk.folder, ".env"), "TOKEN=abc\n");
    const long = Array.from({ length: 30 }, (_, at) => `line ${at} @.env`).join("\n");
    talk.terminal.type("read: ");
    talk.terminal.press(paste(long));
    await talk.waitForText("read: [paste #1 +30 lines]");
    talk.terminal.press("\r");
    await talk.waitForText("fine now");
    expect(listUserTexts(talk)).toContain("read: [paste #1 +30 lines]");
    expect(listUserTexts(talk).join("\n")).toContain(`\n${long}\n</paste>`);
    expect(listUserTexts(talk).join("\n")).not.toContain("TOKEN=abc");
  });

  test("TYP13 a pasted path of an image becomes an image and is sent as one", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(talk.folder, "a picture.png"), PNG);
    talk.terminal.press(paste(`'${join(talk.folder, "a picture.png")}'`));
    await talk.waitUntil(() => talk.screen.editorText.text === "[image 1: 16 bytes PNG] ");
    talk.submit("what is it?");
    await talk.waitForText("fine now");
    expect(JSON.stringify(talk.server.requests.at(-1)?.body)).toContain(PNG.toString("base64"));
    expect(listUserTexts(talk)).toContain("[image 1: 16 bytes PNG] what is it?");
  });

  test("TYP13 a pasted path without an image stays text", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    talk.terminal.press(paste("/nowhere/a.png"));
    await talk.waitUntil(() => talk.screen.editorText.text === "/nowhere/a.png");
  });

  test("TYP15 a sent message is added to the history of the folder, with secrets redacted", async () => {
    const secret = `sk-ant-api03-${"a1B2c3D4e5F6".repeat(7)}AA`;
    const talk = await startInteractiveApp(["fine now", "fine now"], allowAll());
    talk.submit(`use ${secret} please`);
    await talk.waitForText("fine now");
    await waitUntilIdle(talk);
    const place = { home: talk.home, cwd: process.cwd() };
    await talk.waitUntil(() => existsSync(historyFile(place)));
    const said = await readHistory(place);
    expect(said).toHaveLength(1);
    expect(said[0]).not.toContain(secret);
    expect(said[0]).toMatch(/^use .* please$/);
  });

  test("TYP15 with --no-session no history is written", async () => {
    const talk = await startInteractiveApp(
      ["fine now"],
      allowAll({ args: { overrides: { permissionMode: "all" }, session: { type: "none" } } }),
    );
    talk.submit("whisper");
    await talk.waitForText("fine now");
    await waitUntilIdle(talk);
    expect(existsSync(historyFile({ home: talk.home, cwd: process.cwd() }))).toBe(false);
  });

  test("TYP13 several dropped images are all attached, other paths stay text, and Enter waits for them", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    for (const name of ["a.png", "b.png"]) writeFileSync(join(talk.folder, name), PNG);
    const dropped = ["a.png", "none.png", "b.png"].map((name) => join(talk.folder, name)).join(" ");
    talk.terminal.press(paste(dropped), ..." what are they?", "\r");
    await talk.waitForText("fine now");
    const body = JSON.stringify(talk.server.requests.at(-1)?.body);
    expect(body.split(PNG.toString("base64"))).toHaveLength(3);
    expect(listUserTexts(talk).at(-1)).toMatch(
      /^\[image 1: 16 bytes PNG\] \[image 2: 16 bytes PNG\] \S+none\.png what are they\?$/,
    );
  });

  test("TYP10 a message sent quickly does not overtake one whose files are still being read", async () => {
    const talk = await startInteractiveApp(
      [{ parts: [{ type: "text", text: "fine now" }] }, "fine now", "fine now"],
      allowAll(),
    );
    writeFileSync(join(talk.folder, "a.ts"), "let a = 1;\n".repeat(20_000));
    for (const words of ["first @a.ts", "second"]) void talk.session.handleSubmit(words);
    const said = (): readonly string[] =>
      listUserTexts(talk).filter((text) => ["first @a.ts", "second"].includes(text));
    await talk.waitUntil(() => said().length === 2);
    expect(said()).toEqual(["first @a.ts", "second"]);
  });

  test("TYP10 many words with an @ that name no file stay text", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    const names = Array.from({ length: 30 }, (_, at) => `@person${at}`).join(" ");
    talk.submit(`thank ${names}`);
    await talk.waitForText("fine now");
    expect(listUserTexts(talk)).toContain(`thank ${names}`);
  });
});

describe("shell line", () => {
  async function said(talk: InteractiveApp, words: string, answer: string): Promise<string> {
    talk.submit(words);
    await talk.waitForText(answer);
    await waitUntilIdle(talk);
    return listUserTexts(talk).join("\n");
  }

  test("TYP5 a line after ! is run and sent to the model with its output; a line after !! is only run (B3)", async () => {
    const talk = await startInteractiveApp(["I saw it"], allowAll());
    writeFileSync(join(talk.folder, "here.txt"), "");
    talk.submit("!ls; exit 3");
    await talk.waitForText("here.txt");
    await waitUntilIdle(talk);
    talk.submit("!! echo priv$((40+2))ate");
    await talk.waitForText("priv42ate");
    await waitUntilIdle(talk);
    const told = await said(talk, "what do you see?", "I saw it");
    expect(told).toContain("ls; exit 3");
    expect(told).toContain("here.txt");
    expect(told).toContain("Exit code: 3");
    expect(told).not.toContain("system-update");
    expect(told).not.toContain("priv42ate");
  });

  test("TYP5 a shell line runs in the folder with the user's permissions and environment", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    talk.submit("!! touch made && echo $PITH_HOME");
    await talk.waitForText(talk.home);
    await waitUntilIdle(talk);
    expect(readFileSync(join(talk.folder, "made"), "utf8")).toBe("");
  });

  test("TYP6 the output of a shell line is shown while it runs, and Esc stops it", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    talk.submit("!echo begun; sleep 60; echo never");
    await talk.waitForText(/^ *begun/m);
    talk.terminal.press("\x1b");
    await waitUntilIdle(talk);
    const words = await said(talk, "and?", "fine now");
    expect(words).toContain("begun");
    expect(words).toMatch(/command stopped/);
  });

  test("TYP6 a message sent during a shell line is sent after the line and its output", async () => {
    const talk = await startInteractiveApp(["I see"], allowAll());
    talk.submit("!while [ ! -e go ]; do sleep 0.05; done; echo out$((1+1))put");
    talk.submit("what did it say?");
    await talk.waitForText("↳ when done:    what did it say?");
    expect(talk.server.requests).toHaveLength(0);
    writeFileSync(join(talk.folder, "go"), "");
    await talk.waitForText("I see");
    const words = listUserTexts(talk).join("\n");
    expect(words.indexOf("out2put")).toBeGreaterThan(-1);
    expect(words.indexOf("what did it say?")).toBeGreaterThan(words.indexOf("out2put"));
  });

  test("TYP6 shell lines during a run are added between two requests, in order", async () => {
    const talk = await startBusyApp(["seen"]);
    talk.submit("!echo fir$((0))st");
    talk.submit("!echo sec$((0))ond");
    await talk.waitForText("sec0ond");
    expect(talk.server.requests).toHaveLength(1);
    talk.finishCommand();
    await talk.waitForText("seen");
    await waitUntilIdle(talk);
    const words = listUserTexts(talk).join("\n");
    expect(words.indexOf("fir0st")).toBeGreaterThan(-1);
    expect(words.indexOf("sec0ond")).toBeGreaterThan(words.indexOf("fir0st"));
  });

  test("TYP6 quitting while a shell line runs kills it", async () => {
    let pid = 0;
    // Looked at when the talk is closed.
    onTestFinished(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
    const talk = await startInteractiveApp([], allowAll());
    talk.submit("!echo $$ > pid; exec sleep 60");
    await talk.waitUntil(
      () => existsSync(join(talk.folder, "pid")) && readFileSync(join(talk.folder, "pid"), "utf8") !== "",
    );
    pid = Number(readFileSync(join(talk.folder, "pid"), "utf8"));
    expect(process.kill(pid, 0)).toBe(true);
  });

  test("TYP7 a long output is limited like that of the bash tool, and the model can read the rest", async () => {
    const talk = await startInteractiveApp(["fine now"], allowAll());
    talk.submit("!seq 1 100000");
    await waitUntilIdle(talk);
    await talk.waitForText("100000");
    const words = await said(talk, "and?", "fine now");
    expect(words.length).toBeLessThan(60_000);
    expect(words).toMatch(/lines omitted/);
    expect(words).toMatch(/read blob:/);
  });

  test("TYP7 secrets in the output of a shell line are not sent to the model", async () => {
    const secret = `sk-ant-api03-${"a1B2c3D4e5F6".repeat(7)}AA`;
    const talk = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(talk.folder, "key"), `${secret}\n`);
    talk.submit("!cat key; echo done$((1))");
    await talk.waitForText("done1");
    await waitUntilIdle(talk);
    expect(await said(talk, "and?", "fine now")).not.toContain(secret);
  });
});
