/** Compactions: in the middle of a turn, and with `/compact`, which shows what it would do, is undone by one key and done again. */

import { expectThat, type Scenario } from "../scenario.ts";
import { call, inTurn, withSummaries, words } from "../support/scripts.ts";
import { TestWorkspace } from "../support/test-workspace.ts";

const PAGES = 16;

export const compaction: Scenario = {
  name: "compaction",
  says: "a context that grows too full in mid-turn is made smaller, and the work goes on without a word",
  run: async (keep) => {
    // Each page is different, so that none makes another outdated.
    const pages = Array.from({ length: PAGES }, (_, at) => [`page${at + 1}.txt`, `Page ${at + 1}. ${words(1_000)}`]);
    const files = Object.fromEntries(pages);
    const reads = Object.keys(files).map((path) => call("read", { path }));
    const script = withSummaries(inTurn(...reads, "All pages are read."));
    const workspace = await keep(
      TestWorkspace.create({ script, files, settings: { contextWindow: 16_000 }, columns: 140, rows: 40 }),
    );
    const terminal = await workspace.startProgram();
    await terminal.enter("Read all pages.");
    await terminal.waitFor("All pages are read.");
    const screenText = await terminal.scrollback();
    expectThat(/compacted: /.test(screenText), `no receipt is seen:\n${screenText}`);
    expectThat(
      screenText.split("Read all pages.").length === 2,
      `the question is there twice, or gone:\n${screenText}`,
    );
    const kinds =
      workspace
        .sessions()
        .join("")
        .match(/"type":"compaction"/g) ?? [];
    return `${kinds.length} in one turn, and it went on`;
  },
};

export const undo: Scenario = {
  name: "preview-undo-redo",
  says: "a compaction is previewed, done, undone and done again, and the log says so each time",
  run: async (keep) => {
    const script = withSummaries(inTurn(...Array.from({ length: 4 }, () => words(2_300)), "I see."));
    const workspace = await keep(
      TestWorkspace.create({ script, settings: { contextWindow: 16_000 }, columns: 140, rows: 40 }),
    );
    const terminal = await workspace.startProgram();
    for (const say of ["Tell me a long story.", "And a second one.", "And a third one.", "And a fourth one."]) {
      const sent = workspace.server.requests.length;
      await terminal.enter(say);
      await terminal.waitUntil(() => workspace.server.requests.length > sent, "the model to be asked");
      await terminal.waitUntil(
        (screen) => screen.includes("line 00069") && !screen.includes(" s · Esc stop"),
        "its end",
      );
    }
    await terminal.enter("/compact");
    const preview = await terminal.waitFor("Compact now?");
    expectThat(/summarized[\s\S]*searchable[\s\S]*kept/.test(preview), `the preview lacks something:\n${preview}`);
    await terminal.press("Enter");
    await terminal.waitFor(/compacted: /);
    await terminal.enter("What do you see?");
    expectThat((await workspace.waitForRequest("What do you see?")).includes(TOLD), "no summary was sent");
    await terminal.press("M-u");
    await terminal.waitFor(/undone/);
    await terminal.enter("And what now?");
    expectThat(!(await workspace.waitForRequest("And what now?")).includes(TOLD), "it was not undone");
    await terminal.enter("/redo");
    await terminal.waitFor(/Compaction restored/);
    return "previewed, done, undone, done again";
  },
};

/** What stands in every summary. */
const TOLD = "counting the stars";
