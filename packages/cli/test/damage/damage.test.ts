/** Tests a session in which one bit has flipped: every mode reports it, nothing of the damaged line is used, and the model still gets a request. */

import type { AgentEvent } from "@pith/agent";
import { noRedaction } from "@pith/context/host";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { startApp } from "../../src/app/start.ts";
import { parseCliArgs } from "../../src/args/args.ts";
import { saveEnvironment } from "../support/interactive-app.ts";
import { TestProgram } from "../support/test-program.ts";
import { type Flip, type FortyEntries, flipsOf, placeFile, writeFortyEntries } from "./forty-entries.ts";

const SEED = Number(process.env.PITH_SEED ?? 22);

let program: TestProgram;
let session: FortyEntries;
let flips: readonly Flip[];
const restoreEnvironment = saveEnvironment();

beforeAll(async () => {
  program = new TestProgram();
  const { url } = await program.serve(() => "Understood.");
  Object.assign(process.env, { PITH_HOME: program.home, HOME: program.userHome });
  Object.assign(process.env, { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url });
  session = await writeFortyEntries(program.folder, program.home);
  const all = flipsOf(session.bytes, SEED);
  flips = isLong ? all : onePerLine(all);
});

afterAll(async () => {
  restoreEnvironment();
  await program.remove();
});

/** Another place in each line, so that every place is tried. */
function onePerLine(all: readonly Flip[]): readonly Flip[] {
  const lines = Map.groupBy(all, ({ line }) => line);
  return [...lines.values()].map((each, at) => each[at % each.length]).filter((flip) => flip !== undefined);
}

interface Opened {
  readonly events: readonly AgentEvent[];
  /** The body of the request that followed, as text. */
  readonly request: string;
  readonly end: string;
}

/** What all modes do: open the newest session of the folder, show what is to be told, and send a prompt. */
async function openAndPrompt(bytes: Uint8Array): Promise<Opened> {
  placeFile(session, bytes);
  const events: AgentEvent[] = [];
  const read = parseCliArgs(["-c", "--sandbox", "off"]);
  if (read.type !== "args") throw new Error(JSON.stringify(read));
  const ready = await startApp(read.args, {
    cwd: program.folder,
    onEvent: (event) => void events.push(event),
    notify: () => {},
    setRedaction: () => noRedaction,
  });
  if (ready.type !== "app") throw new Error(JSON.stringify(ready));
  const damaged = ready.takeDamageEvent();
  if (damaged) events.push(damaged);
  const served = program.server.requests.length;
  let end = "";
  const run = ready.agent.prompt("What did I ask first?");
  for (let step = await run.next(); ; step = await run.next()) {
    if (!step.done) continue;
    end = step.value.type === "failed" ? step.value.why : step.value.type;
    break;
  }
  await ready.close();
  return { events, request: JSON.stringify(program.server.requests.slice(served).map(({ body }) => body)), end };
}

describe("one flipped bit", () => {
  test("HARM1 an undamaged session opens without a notice", async () => {
    const { events, request, end } = await openAndPrompt(session.bytes);
    expect(events.filter(({ type }) => type === "session_damaged")).toEqual([]);
    expect(end).toBe("done");
    expect(request).not.toContain("[Pith: ");
  });

  test("HARM1 HARM3 any flipped bit causes one notice, none of the damaged line is used, and the provider accepts the request", async () => {
    const untold: string[] = [];
    const spoken: string[] = [];
    const failed: string[] = [];
    for (const flip of flips) {
      const { events, request, end } = await openAndPrompt(flip.bytes);
      if (events.filter(({ type }) => type === "session_damaged").length !== 1) untold.push(flip.name);
      const output = request + JSON.stringify(events);
      if (flip.altered !== null && output.includes(JSON.stringify(flip.altered).slice(1, -1)))
        spoken.push(`${flip.name}: ${flip.altered}`);
      if (end !== "done" || request.includes("(continue)")) failed.push(`${flip.name}: ${end}`);
    }
    expect({ untold, spoken, failed }).toEqual({ untold: [], spoken: [], failed: [] });
    expect(flips.length).toBeGreaterThan(40);
  }, 600_000);
});
