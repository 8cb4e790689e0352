/** Words and sentences of generated sessions in English. */

import type { Language } from "./language.ts";

export const english: Language = {
  name: "en",
  sentenceSeparator: " ",
  slots: {
    part: "the scheduler|the billing job|the nightly import|the search index|the mail queue|the login page|the export|the cache layer|the audit trail|the mobile client|the gateway|the report builder|the payment flow|the upload form|the review board|the staging cluster|the admin panel|the message bus|the price list|the translation team|the support desk|the data feed".split(
      "|",
    ),
    act: "waits for {part}|keeps a copy of what {part} sends|was written before {part} existed|reads from {part} and writes nothing back|depends on {thing} more than anyone expected|takes over once {part} has finished|shows {thing} to people who ask for it|had to be restarted because of {thing}|still talks to {part} over the old protocol|collects {thing} from every region|hands {thing} to {part}|fell behind and caught up again by itself|treats {thing} as a special case|was split into two smaller pieces|drops {thing} without saying so|needs {thing} before it can answer|passes the request on to {part}|was measured twice with the same outcome".split(
      "|",
    ),
    when: "After a restart|On most days|When traffic is low|During the last sprint|In the first version|Since the move|For large accounts|Under heavy load|Before the release|In the second region|At the end of each month|For historical reasons|In practice|Most of the time|Once the queue is empty|With the new driver|On the older machines|As a rule".split(
      "|",
    ),
    aside:
      "as {first} {last} pointed out in spring|which took about {n} minutes last time|roughly {n} percent of the time|according to ticket {ticket}|which {first} is looking into|after {n} attempts|as the notes from {month} say|and {part} does the same|though nobody complained|which is easy to miss|at a cost of {n} euros a month|with {n} rows at most".split(
        "|",
      ),
    thing:
      "stale sessions|duplicate rows|the rounding error|old invoices|half-written files|the retry counter|empty folders|time zones|broken links|the second factor|anonymous visitors|long names|the lock file|image previews|nested comments|late events|the feature switch|partial refunds|orphaned records|the daily quota|address changes|test accounts|print layouts|loose cables|backup tapes|holiday schedules|postal codes|shipping labels|keyboard shortcuts|warranty claims|spelling mistakes|font licences|spare batteries|parking permits|visitor badges|paper forms|tax tables|phone numbers|meeting notes|wiring diagrams".split(
        "|",
      ),
    first: "Anna|Ben|Carla|David|Elif|Frank|Grace|Henry|Ines|Jack|Kofi|Laura|Mehmet|Nora|Oscar|Priya".split("|"),
    last: "Abbott|Baker|Cole|Dixon|Ellis|Foster|Grant|Hughes|Irving|Jensen|Kaur|Lowe|Mbeki|Novak|Osei|Patel".split("|"),
    state: "open|closed|waiting|in review|blocked|done|postponed".split("|"),
    fixed:
      "None of this is urgent.|That much was known before.|It has been like this for years.|There is a page about it in the wiki.|We came back to this several times.|The details are in the appendix.|This is not the only way to look at it.|The rest follows from that.|A short test showed the same.|Some of it may be outdated.".split(
        "|",
      ),
  },
  sentences: [
    "{first} calls it the {coined} problem.",
    "See {path} and ticket {ticket}.",
    "It was {n} before and is {n} now.",
    "{Part} and {coined} {act}.",
    "{when} {part} {act}.",
    "{when} {part} {act}, {aside}.",
    "{Part} {act}, and {part} {act}.",
    "{Part} {act}.",
    "{Part} {act}, {aside}.",
    "{fixed}",
    "It turned out that {part} {act} whenever {part} {act}.",
    "{first} {last} asked whether {part} {act}.",
  ],
  logs: [
    "request {id} finished in {n} ms with status {n}",
    "{first} opened {path}",
    "worker {n} took job {id} from the queue",
    "cache hit for key {id} after {n} ms",
    "connection {n} closed by peer",
    "wrote {n} bytes to {path}",
    "checkpoint {n} done, {n} pages flushed",
    "retrying job {id} in {n} s",
    "{Part} {act}",
  ],
  requests: [
    "please look at {part} again, {thing} are still wrong",
    "why does it say that {part} {act}?",
    "ok, go on with {part}",
    "can you check {thing} as well?",
    "run it once more and show me what {part} does",
    "that is not what I meant, {part} {act}",
  ],
  replies: [
    "I looked at {part}. {Part} {act}. Next I will check {thing}.",
    "{Part} {act}, so I changed how {thing} are read.",
    "The tests pass now. {when} {part} {act}.",
    "I found it: {part} {act}, {aside}.",
  ],
  facts: {
    identifier: [
      "The switch for this is called «{camel}» and is off by default.",
      "Set «{upper}={n}» before the service starts.",
      "The table behind it is «{snake}».",
      "All of them share the header «X-{pascal}».",
    ],
    path: [
      "The settings are read from «{path}» and nowhere else.",
      "Logs of the importer end up in «{path}».",
      "The certificate was moved to «{path}».",
    ],
    port: [
      "The metrics are served on port «{port}».",
      "The tunnel listens on «localhost:{port}».",
      "Port «{port}» is taken by the old proxy.",
    ],
    version: [
      "It only works with libfoam «{version}» or newer.",
      "We are pinned to «{version}» of the driver.",
      "The bug is gone since «v{version}».",
    ],
    date: [
      "The old keys expire on «{date}».",
      "The contract with the host ends on «{date}».",
      "The freeze begins on «{date}» at noon.",
    ],
    number: [
      "An upload may have «{n} MB» at most.",
      "The pool was raised to «{n} connections».",
      "A session ends after «{n} minutes» of silence.",
      "The whole run costs «{n} dollars».",
    ],
    name: [
      "«{first} {coined}» owns the deployment keys.",
      "Questions about it go to «{first} {coined}».",
      "The vendor behind it is called «{coined} Systems».",
    ],
    decision: [
      "We decided to «keep the {coined} format» because the partners rely on it.",
      "The team agreed to «drop support for {coined}» next quarter.",
      "Never «restart the {coined} host» while a backup is running.",
      "From now on «every {coined} call goes through the proxy».",
    ],
    unusual: [
      "The spare key hangs behind the «aquarium».",
      "Her password hint is a kind of «mushroom».",
      "The old office smelled of «cinnamon».",
      "He named the printer after a «volcano».",
      "The alarm sounds like a «trombone».",
      "The first prototype was built in a «barn».",
    ],
    plain: [
      "The «second office has no lift».",
      "The customer «pays once a year».",
      "The «tests for this part are slow».",
      "The «new colleague starts in the morning».",
      "The «list is shown in reverse order».",
      "The «form has two pages now».",
      "This «value comes from the server».",
      "The «old page was taken down».",
    ],
  },
};
