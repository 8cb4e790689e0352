/** Tests requests to the API of a local server, over HTTP. */

import { expect, test } from "vitest";
import { startServer } from "../../src/index.ts";

test("KIT6 responds to a local server's API with a query, and logs the request without a protocol", async () => {
  const server = await startServer({ script: () => "fine", local: { kind: "llama.cpp", model: "m", window: 4096 } });
  const answers = await Promise.all(
    ["/props?model=m&autoload=false", "/nowhere?a=b"].map((path) => fetch(server.url + path)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 404]);
  expect(server.requests.map(({ wire }) => wire)).toEqual([null, null]);
  expect(server.requests.map(({ outcome }) => outcome).sort()).toEqual(["local", "unknown"]);
  await server.close();
});
