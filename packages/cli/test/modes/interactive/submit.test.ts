/** Tests modes/interactive/submit.ts: submit, shell line. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { historyFile, readHistory } from "../../../src/modes/interactive/editor/editor.ts";
import {
  allowAll,
  type InteractiveApp,
  listUserTexts,
  startBusyApp,
  startInteractiveApp,
  waitUntilIdle,
} from "../../support/interactive-app.ts";

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
    const app = await startInteractiveApp(["fine now"], allowAll());
    mkdirSync(join(app.folder, "src"));
    writeFileSync(join(app.folder, "src/a.ts"), "let a = 1;\n");
    app.submit("look at @src/a.ts, @src and @nobody");
    await app.waitForText("fine now");
    expect(listUserTexts(app)).toEqual(
      expect.arrayContaining([
        '<file path="src/a.ts">\nlet a = 1;\n</file>',
        '<folder path="src">\na.ts\n</folder>',
        "look at @src/a.ts, @src and @nobody",
      ]),
    );
    const screenText = (await app.terminal.scrollback()).join("\n");
    expect(screenText).toContain("look at @src/a.ts, @src and @nobody");
    expect(screenText).not.toContain("let a = 1");
  });

  test("TYP10 a folder with a slash is completed to its content, and attached as a list of names", async () => {
    const prepare = ({ folder }: { readonly folder: string }): void => {
      mkdirSync(join(folder, "docs"));
      for (const name of ["guide.md", "intro.md"]) writeFileSync(join(folder, "docs", name), "# Text\n");
    };
    const app = await startInteractiveApp(["fine now"], allowAll({ prepare }));
    // The editor knows its completions a moment after the first picture.
    while (!app.screen.editor.isShowingAutocomplete()) {
      app.screen.editorText.set("");
      app.terminal.type("look at @doc");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await app.waitForText("→ @docs/");
    app.terminal.press("\t");
    await app.waitForText(/→ @docs\/guide\.md\s+@docs\/intro\.md/);
    expect(app.screen.editorText.text).toBe("look at @docs/");
    app.terminal.press("\x1b");
    await app.waitUntilGone("@docs/guide.md");
    app.terminal.type(" please");
    app.terminal.press("\r");
    await app.waitForText("fine now");
    expect(listUserTexts(app)).toContain('<folder path="docs/">\nguide.md\nintro.md\n</folder>');
  });

  test("WORD1 WORD6 files and collapsed pastes are marked in the log, and the typed text keeps the marker", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(app.folder, "a.ts"), "let a = 1;\n");
    const log = "the user permits it\n".repeat(20).trimEnd();
    app.terminal.type("see @a.ts and ");
    app.terminal.press(`\x1b[200~${log}\x1b[201~`);
    app.terminal.press("\r");
    await app.waitForText("fine now");
    expect(contentIn(app)).toEqual([
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
    expect((await app.terminal.scrollback()).join("\n")).toContain("see @a.ts and [paste #1 +20 lines]");
  });

  test("WORD6 a paste that is the whole message counts as the user's own text", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    const task = "do this, please\n".repeat(20).trimEnd();
    app.terminal.press(`\x1b[200~${task}\x1b[201~`);
    app.terminal.press("\r");
    await app.waitForText("fine now");
    expect(contentIn(app)).toEqual([{ type: "text", text: task }]);
  });

  test("WORD7 the user's own text of a template is the line that was typed", async () => {
    const app = await startInteractiveApp(["fine now"], {
      ...allowAll(),
      prepare: ({ home }) => {
        mkdirSync(join(home, "prompts"));
        writeFileSync(join(home, "prompts", "review.md"), "Review $1 with care");
      },
    });
    app.submit("/review src");
    await app.waitForText("fine now");
    expect(contentIn(app)).toEqual([
      {
        ...{ type: "text", text: "Review src with care" },
        pith: { attachment: { kind: "template", name: "review", typed: "/review src" } },
      },
    ]);
  });

  test("TYP10 @ attaches files to a template too", async () => {
    const app = await startInteractiveApp(["fine now"], {
      ...allowAll(),
      prepare: ({ home, folder }) => {
        mkdirSync(join(home, "prompts"));
        writeFileSync(join(home, "prompts", "review.md"), "Review $1 with care");
        writeFileSync(join(folder, "a.ts"), "let a = 1;\n");
      },
    });
    app.submit("/review @a.ts");
    await app.waitForText("fine now");
    expect(listUserTexts(app)).toEqual(
      expect.arrayContaining(['<file path="a.ts">\nlet a = 1;\n</file>', "Review @a.ts with care"]),
    );
  });

  test("TYP10 a file that cannot be attached is reported, and the message returns to the editor", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(app.folder, "big.txt"), "x".repeat(300 * 1024));
    app.submit("see @big.txt");
    await app.waitForText("cannot be attached");
    await app.waitUntil(() => app.screen.editorText.text === "see @big.txt");
    expect(app.server.requests).toHaveLength(0);
  });

  test("TYP9 a long paste is one marker, is sent in full, and attaches no files", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(app.folder, ".env"), "TOKEN=abc\n");
    const long = Array.from({ length: 30 }, (_, at) => `line ${at} @.env`).join("\n");
    app.terminal.type("read: ");
    app.terminal.press(paste(long));
    await app.waitForText("read: [paste #1 +30 lines]");
    app.terminal.press("\r");
    await app.waitForText("fine now");
    expect(listUserTexts(app)).toContain("read: [paste #1 +30 lines]");
    expect(listUserTexts(app).join("\n")).toContain(`\n${long}\n</paste>`);
    expect(listUserTexts(app).join("\n")).not.toContain("TOKEN=abc");
  });

  test("TYP13 a pasted path of an image becomes an image and is sent as one", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(app.folder, "a picture.png"), PNG);
    app.terminal.press(paste(`'${join(app.folder, "a picture.png")}'`));
    await app.waitUntil(() => app.screen.editorText.text === "[image 1: 16 bytes PNG] ");
    app.submit("what is it?");
    await app.waitForText("fine now");
    expect(JSON.stringify(app.server.requests.at(-1)?.body)).toContain(PNG.toString("base64"));
    expect(listUserTexts(app)).toContain("[image 1: 16 bytes PNG] what is it?");
  });

  test("TYP13 a pasted path without an image stays text", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    app.terminal.press(paste("/nowhere/a.png"));
    await app.waitUntil(() => app.screen.editorText.text === "/nowhere/a.png");
  });

  test("TYP15 a sent message is added to the history of the folder, with secrets redacted", async () => {
    const secret = `sk-ant-api03-${"a1B2c3D4e5F6".repeat(7)}AA`;
    const app = await startInteractiveApp(["fine now", "fine now"], allowAll());
    app.submit(`use ${secret} please`);
    await app.waitForText("fine now");
    await waitUntilIdle(app);
    const place = { home: app.home, cwd: process.cwd() };
    await app.waitUntil(() => existsSync(historyFile(place)));
    const history = await readHistory(place);
    expect(history).toHaveLength(1);
    expect(history[0]).not.toContain(secret);
    expect(history[0]).toMatch(/^use .* please$/);
  });

  test("TYP15 with --no-session no history is written", async () => {
    const app = await startInteractiveApp(
      ["fine now"],
      allowAll({ args: { overrides: { permissionMode: "all" }, session: { type: "none" } } }),
    );
    app.submit("whisper");
    await app.waitForText("fine now");
    await waitUntilIdle(app);
    expect(existsSync(historyFile({ home: app.home, cwd: process.cwd() }))).toBe(false);
  });

  test("TYP13 several dropped images are all attached, other paths stay text, and Enter waits for them", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    for (const name of ["a.png", "b.png"]) writeFileSync(join(app.folder, name), PNG);
    const dropped = ["a.png", "none.png", "b.png"].map((name) => join(app.folder, name)).join(" ");
    app.terminal.press(paste(dropped), ..." what are they?", "\r");
    await app.waitForText("fine now");
    const body = JSON.stringify(app.server.requests.at(-1)?.body);
    expect(body.split(PNG.toString("base64"))).toHaveLength(3);
    expect(listUserTexts(app).at(-1)).toMatch(
      /^\[image 1: 16 bytes PNG\] \[image 2: 16 bytes PNG\] \S+none\.png what are they\?$/,
    );
  });

  test("TYP10 a message sent quickly does not overtake one whose files are still being read", async () => {
    const app = await startInteractiveApp(
      [{ parts: [{ type: "text", text: "fine now" }] }, "fine now", "fine now"],
      allowAll(),
    );
    writeFileSync(join(app.folder, "a.ts"), "let a = 1;\n".repeat(20_000));
    for (const words of ["first @a.ts", "second"]) void app.session.handleSubmit(words);
    const sentTexts = (): readonly string[] =>
      listUserTexts(app).filter((text) => ["first @a.ts", "second"].includes(text));
    await app.waitUntil(() => sentTexts().length === 2);
    expect(sentTexts()).toEqual(["first @a.ts", "second"]);
  });

  test("TYP10 many words with an @ that name no file stay text", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    const names = Array.from({ length: 30 }, (_, at) => `@person${at}`).join(" ");
    app.submit(`thank ${names}`);
    await app.waitForText("fine now");
    expect(listUserTexts(app)).toContain(`thank ${names}`);
  });
});

describe("shell line", () => {
  async function submitAndWait(app: InteractiveApp, words: string, answer: string): Promise<string> {
    app.submit(words);
    await app.waitForText(answer);
    await waitUntilIdle(app);
    return listUserTexts(app).join("\n");
  }

  test("TYP5 a line after ! is run and sent to the model with its output; a line after !! is only run (B3)", async () => {
    const app = await startInteractiveApp(["I saw it"], allowAll());
    writeFileSync(join(app.folder, "here.txt"), "");
    app.submit("!ls; exit 3");
    await app.waitForText("here.txt");
    await waitUntilIdle(app);
    app.submit("!! echo priv$((40+2))ate");
    await app.waitForText("priv42ate");
    await waitUntilIdle(app);
    const userTexts = await submitAndWait(app, "what do you see?", "I saw it");
    expect(userTexts).toContain("ls; exit 3");
    expect(userTexts).toContain("here.txt");
    expect(userTexts).toContain("Exit code: 3");
    expect(userTexts).not.toContain("system-update");
    expect(userTexts).not.toContain("priv42ate");
  });

  test("TYP5 a shell line runs in the folder with the user's permissions and environment", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    app.submit("!! touch made && echo $PITH_HOME");
    await app.waitForText(app.home);
    await waitUntilIdle(app);
    expect(readFileSync(join(app.folder, "made"), "utf8")).toBe("");
  });

  test("TYP6 the output of a shell line is shown while it runs, and Esc stops it", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    app.submit("!echo begun; sleep 60; echo never");
    await app.waitForText(/^ *begun/m);
    app.terminal.press("\x1b");
    await waitUntilIdle(app);
    const words = await submitAndWait(app, "and?", "fine now");
    expect(words).toContain("begun");
    expect(words).toMatch(/command stopped/);
  });

  test("TYP6 a message sent during a shell line is sent after the line and its output", async () => {
    const app = await startInteractiveApp(["I see"], allowAll());
    app.submit("!while [ ! -e go ]; do sleep 0.05; done; echo out$((1+1))put");
    app.submit("what did it say?");
    await app.waitForText("↳ when done:    what did it say?");
    expect(app.server.requests).toHaveLength(0);
    writeFileSync(join(app.folder, "go"), "");
    await app.waitForText("I see");
    const words = listUserTexts(app).join("\n");
    expect(words.indexOf("out2put")).toBeGreaterThan(-1);
    expect(words.indexOf("what did it say?")).toBeGreaterThan(words.indexOf("out2put"));
  });

  test("TYP6 shell lines during a run are added between two requests, in order", async () => {
    const app = await startBusyApp(["seen"]);
    app.submit("!echo fir$((0))st");
    app.submit("!echo sec$((0))ond");
    await app.waitForText("sec0ond");
    expect(app.server.requests).toHaveLength(1);
    app.finishCommand();
    await app.waitForText("seen");
    await waitUntilIdle(app);
    const words = listUserTexts(app).join("\n");
    expect(words.indexOf("fir0st")).toBeGreaterThan(-1);
    expect(words.indexOf("sec0ond")).toBeGreaterThan(words.indexOf("fir0st"));
  });

  test("TYP6 quitting while a shell line runs kills it", async () => {
    let pid = 0;
    // Looked at when the talk is closed.
    onTestFinished(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
    const app = await startInteractiveApp([], allowAll());
    app.submit("!echo $$ > pid; exec sleep 60");
    await app.waitUntil(
      () => existsSync(join(app.folder, "pid")) && readFileSync(join(app.folder, "pid"), "utf8") !== "",
    );
    pid = Number(readFileSync(join(app.folder, "pid"), "utf8"));
    expect(process.kill(pid, 0)).toBe(true);
  });

  test("TYP7 a long output is limited like that of the bash tool, and the model can read the rest", async () => {
    const app = await startInteractiveApp(["fine now"], allowAll());
    app.submit("!seq 1 100000");
    await waitUntilIdle(app);
    await app.waitForText("100000");
    const words = await submitAndWait(app, "and?", "fine now");
    expect(words.length).toBeLessThan(60_000);
    expect(words).toMatch(/lines omitted/);
    expect(words).toMatch(/read blob:/);
  });

  test("TYP7 secrets in the output of a shell line are not sent to the model", async () => {
    const secret = `sk-ant-api03-${"a1B2c3D4e5F6".repeat(7)}AA`;
    const app = await startInteractiveApp(["fine now"], allowAll());
    writeFileSync(join(app.folder, "key"), `${secret}\n`);
    app.submit("!cat key; echo done$((1))");
    await app.waitForText("done1");
    await waitUntilIdle(app);
    expect(await submitAndWait(app, "and?", "fine now")).not.toContain(secret);
  });
});
