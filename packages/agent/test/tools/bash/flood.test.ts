/** Tests endless output: memory stays constant while the whole output goes to disk. */

import { expect, test } from "vitest";
import { floods, MOST_GROWN_MB, runFlood } from "./floods.ts";

test.each(floods(100_000_000))(
  "BASH14 100 MB of output made of $name makes memory grow by at most 64 MB",
  async ({ command, bytes }) => {
    const { grownMb, length, details } = await runFlood(command);
    expect(details).toMatchObject({ exitCode: 0, bytes });
    expect(length).toBeLessThan(54_000);
    expect(grownMb).toBeLessThan(MOST_GROWN_MB);
  },
);
