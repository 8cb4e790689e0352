/** The first start of all, from the packed tarball, with a key in the environment. */

import { expectThat, type Scenario } from "../scenario.ts";
import { onFirstStart } from "./first-start.ts";

export const keyFound: Scenario = {
  name: "first-start-key",
  says: "with a key in the environment nobody is asked anything, and the first answer comes within a minute",
  run: async (keep) =>
    await onFirstStart(keep, {}, async (terminal) => {
      const first = await terminal.waitFor("claude-sonnet-5 with the API key in ANTHROPIC_API_KEY");
      expectThat(!first.includes("Choose a provider"), "the user was asked to choose a model");
    }),
};
