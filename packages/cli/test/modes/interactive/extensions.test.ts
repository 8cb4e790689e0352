/** Tests a session with an extension: its commands are completed, listed and run, and its tools are shown. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { allowAll, startInteractiveApp, waitUntilIdle } from "../../support/interactive-app.ts";

const body = `
import { existsSync } from "node:fs";
export default (pith) => {
  pith.registerCommand("greet", {
    description: "greets whoever it is told",
    argumentHint: "[name]",
    run: async (words, { ui }) => {
      const colour = await ui.select("Which colour?", ["red", "green"]);
      ui.setStatus("colour", "colour: " + colour);
      return "Hello, " + words + " in " + colour;
    },
  });
  pith.registerCommand("quiet", { description: "says nothing", run: async () => undefined });
  pith.registerTool({
    name: "crew",
    description: "works in parts",
    parameters: { type: "object", properties: { task: { type: "string" } } },
    run: async ({ update }) => {
      update(Array.from({ length: 8 }, (_, at) => "part " + at + " runs").join("\\n"));
      while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 20));
      return { content: [{ type: "text", text: "all parts are done" }] };
    },
  });
};
`;

const prepare = ({ home }: { readonly home: string }): void => {
  mkdirSync(join(home, "extensions"));
  writeFileSync(join(home, "extensions/greeter.js"), body);
};

test("XUI13 a command of an extension is completed, listed and run, and can ask questions and show text", async () => {
  const app = await startInteractiveApp([], allowAll({ prepare }));
  // What can be completed is loaded behind the first picture.
  while (!(await app.terminal.scrollback()).join("\n").includes("greets whoever it is told")) {
    app.terminal.press("\x15");
    app.terminal.type("/gre");
    await sleep(200);
  }
  app.terminal.press("\x1b", "\x15");
  app.submit("/greet Ada");
  await app.waitForText("Which colour?");
  app.terminal.press("\x1b[B", "\r");
  await app.waitForText("Hello, Ada in green");
  await app.waitForText("colour: green");
  app.submit("/quiet");
  app.submit("/help quiet");
  expect(await app.waitForText("says nothing (")).toContain("/quiet");
});

test("XUI13 the progress of an extension's tool is shown while it runs", async () => {
  const calls = { parts: [{ type: "call", name: "crew", arguments: { task: "all of it" } }] } as const;
  const app = await startInteractiveApp([calls, "done now"], allowAll({ prepare }));
  app.submit("work");
  const screenText = await app.waitForText("part 7 runs");
  expect(screenText).toContain("part 0 runs");
  expect(screenText).toContain("crew task=all of it");
  writeFileSync(join(app.folder, "go"), "");
  await app.waitForText("done now");
  await waitUntilIdle(app);
  expect(existsSync(join(app.folder, "go"))).toBe(true);
});
