/** A minimal program that sends one request to a model with `node:http` and no dependencies. */

import { request } from "node:http";

const [address, text] = process.argv.slice(2);
const content = [{ type: "text", text }];
const body = JSON.stringify({ model: "floor", max_tokens: 1000, stream: true, messages: [{ role: "user", content }] });
const headers = {
  "content-type": "application/json",
  "content-length": Buffer.byteLength(body),
  "x-api-key": "floor",
  "anthropic-version": "2023-06-01",
};
const outgoing = request(`${address}/v1/messages`, { method: "POST", headers }, async (response) => {
  let events = "";
  for await (const chunk of response) events += chunk;
  for (const line of events.split("\n")) {
    if (line.startsWith("data: ")) process.stdout.write(JSON.parse(line.slice(6)).delta?.text ?? "");
  }
});
outgoing.end(body);
