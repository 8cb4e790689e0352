/** A talk with an extension: its commands are completed, listed and run, and its tools are seen at work. */

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { all, atRest } from "./editor/at-work.ts";
import { talkOn } from "./talk-on.ts";

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
  const talk = await talkOn([], all({ prepare }));
  // What can be completed is loaded behind the first picture.
  while (!(await talk.terminal.all()).join("\n").includes("greets whoever it is told")) {
    talk.terminal.press("\x15");
    talk.terminal.type("/gre");
    await sleep(200);
  }
  talk.terminal.press("\x1b", "\x15");
  talk.say("/greet Ada");
  await talk.sees("Which colour?");
  talk.terminal.press("\x1b[B", "\r");
  await talk.sees("Hello, Ada in green");
  await talk.sees("colour: green");
  talk.say("/quiet");
  talk.say("/help quiet");
  expect(await talk.sees("says nothing (")).toContain("/quiet");
});

test("XUI13 the progress of an extension's tool is shown while it runs", async () => {
  const calls = { parts: [{ type: "call", name: "crew", arguments: { task: "all of it" } }] } as const;
  const talk = await talkOn([calls, "done now"], all({ prepare }));
  talk.say("work");
  const seen = await talk.sees("part 7 runs");
  expect(seen).toContain("part 0 runs");
  expect(seen).toContain("crew task=all of it");
  writeFileSync(join(talk.folder, "go"), "");
  await talk.sees("done now");
  await atRest(talk);
  expect(existsSync(join(talk.folder, "go"))).toBe(true);
});
