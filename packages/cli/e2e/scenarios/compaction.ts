/** A compaction in the middle of a turn: the context grows too full while tools run, and the work goes on by itself. */

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
