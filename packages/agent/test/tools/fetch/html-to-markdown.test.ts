/** Tests HTML pages as Markdown, including pages made to hang the parser. */

import { describe, expect, test } from "vitest";
import { htmlToMarkdown, type MarkdownPage } from "../../../src/tools/fetch/html-to-markdown.ts";

function convert(html: string): Promise<MarkdownPage> {
  return htmlToMarkdown(html, { url: "https://example.com/docs/page", signal: new AbortController().signal });
}

async function markdown(html: string): Promise<string> {
  return (await convert(html)).text;
}

describe("HTML as Markdown", () => {
  test.each([
    ["headings", "<h1>One</h1><h3>Three <em>it</em></h3>", "# One\n\n### Three *it*"],
    ["paragraphs, ended or not", "<p>a<p>b</p>c<div>d</div>", "a\n\nb\n\nc\n\nd"],
    ["white space to single spaces", "<p> a \n\t b&nbsp;c </p>", "a b c"],
    ["line breaks", "<p>a<br>b <br/> c", "a\nb\nc"],
    ["emphasis without its outer spaces", "<p>a<b> b </b>c <i>d</i><strong></strong>", "a **b** c *d*"],
    ["code within a line", "<p>run <code>pnpm  test</code>", "run `pnpm test`"],
    ["entities", "<p>a &lt;b&gt; &amp;amp; &#8364; &copy", "a <b> &amp; € ©"],
    ["links to absolute URLs", '<a href="../x?a=1&amp;b=2">x</a>', "[x](https://example.com/x?a=1&b=2)"],
    [
      "links relative to the page's base element",
      '<base href="/other/"><a href="y">y</a>',
      "[y](https://example.com/other/y)",
    ],
    ["links with brackets in them", '<a href="/a_(b)">x</a>', "[x](https://example.com/a_(b%29)"],
    ["links without a URL to their text", '<a href="#a">a</a> <a href="javascript:f()">b</a> <a>c</a>', "a b c"],
    ["headings without their anchors", '<h2>Use<a href="#use">¶</a></h2>', "## Use"],
    [
      "links around blocks",
      '<a href="/c"><h3>Card</h3><p>text</p></a>',
      "### [Card](https://example.com/c)\n\n[text](https://example.com/c)",
    ],
    [
      "images with a text to links with this text",
      '<img src="a.png" alt="A  chart"><img src="b.png">',
      "![A chart](https://example.com/docs/a.png)",
    ],
    ["data URL images to their text", '<img src="data:image/png;base64,AA" alt="dot">', "dot"],
    ["lists, nested, ended or not", "<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "- a\n  - b\n  - c\n- d"],
    ["numbered lists", "<ol start=9><li>i<li>j</ol>", "9. i\n10. j"],
    ["list items of several blocks", "<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b"],
    ["quotes", "<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"],
    ["rules", "a<hr>b", "a\n\n---\n\nb"],
    ["code", '<pre><code class="language-ts">if (a) {\n  b();\n}\n</code></pre>', "```ts\nif (a) {\n  b();\n}\n```"],
    ["code with fences in it", "<pre>```\na\n```</pre>", "````\n```\na\n```\n````"],
    ["code in lines that are blocks", "<pre><div>a</div><div>b</div></pre>", "```\na\nb\n```"],
    ["tables", "<table><tr><th>A<th>B<tr><td>1|2<td>x<br>y</table>", "| A | B |\n| --- | --- |\n| 1\\|2 | x y |"],
    [
      "tables with a body",
      "<table><thead><tr><th>A<th>B</thead><tbody><tr><td>1<td>2</table>",
      "| A | B |\n| --- | --- |\n| 1 | 2 |",
    ],
    [
      "tables that only lay out",
      "<table><tr><td><h1>T</h1><td>x</table><table><tr><td>1.<td>y</table>",
      "# T\n\nx\n\n1. | y",
    ],
    ["definitions", "<dl><dt>T<dd>D<dd>E</dl>", "T\n\nD\n\nE"],
    ["elements nobody knows", "<constructor>a</constructor><my-thing>b</my-thing><__proto__>c", "ab<__proto__>c"],
    ["ends without beginnings", "</div></p></table>a</b>", "a"],
  ])("WEB10 converts %s", async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });

  test("WEB10 takes the title from the head", async () => {
    expect(await convert("<html><head><title> A &amp;\n B </title><body>c")).toEqual({
      title: "A & B",
      text: "c",
      isComplete: true,
    });
  });

  test("WEB10 takes only the first title element", async () => {
    const { title } = await convert("<title>A</title><svg><title>B</title></svg><title>C</title>");
    expect(title).toBe("A");
  });

  test.each([
    ["scripts", "<script>if (a </b>) '<p>b'</script>"],
    ["scripts inside other noise", `<nav><script>x("</nav><p>b")</script></nav><svg><script>c</script><style/></svg>`],
    ["styles", "<style>p { color: red }</style>"],
    ["menus", "<nav><ul><li>Home<li>About</ul></nav>"],
    ["footers", "<footer>© us</footer>"],
    ["hidden parts", "<div hidden>b</div><p style='color:red; DISPLAY : none'>b</p><span aria-hidden=true>b</span>"],
    ["drawings", "<svg><title>b</title><style>c</style><text>d</text></svg>"],
    ["controls", "<button>b</button><select><option>c</select><textarea>d</textarea><input value=e>"],
    ["comments", "<!-- b --><!doctype c><![CDATA[ d ]]>"],
    ["templates and frames", "<template>b</template><iframe src=x>c</iframe>"],
    ["a menu with unclosed items, to the end of its parent", "<div><nav><p>b<li>c</div>"],
  ])("WEB10 leaves out %s", async (_, html) => {
    expect(await markdown(`<p>a</p>${html}<p>z</p>`)).toBe("a\n\nz");
  });

  test("WEB10 shows only the main element if it contains text", async () => {
    expect(await markdown("<div>side</div><main><p>it</main>")).toBe("it");
    expect(await markdown("<div>side</div><div role=main><p>it</div>")).toBe("it");
    expect(await markdown("<div>all</div><main> </main>")).toBe("all");
  });
});

describe("a hostile page", () => {
  const MEGA = 1_000_000;
  test.each([
    ["a million nested elements", "<div>".repeat(MEGA)],
    ["many nested bold elements", "<b>x".repeat(MEGA / 4)],
    ["nested lists", "<ul><li>x".repeat(MEGA / 10)],
    ["nested quotes with many lines", `${"<blockquote>".repeat(5_000)}${"a<br>".repeat(MEGA / 10)}`],
    ["nested tables", "<table><tr><td>x".repeat(MEGA / 8)],
    ["end tags without start tags", "</p></div>".repeat(MEGA / 8)],
    ["very many attributes", `<a ${Array.from({ length: MEGA / 10 }, (_, at) => `a${at}`).join(" ")}>`],
    ["a tag that does not end", `<a href="${"x".repeat(MEGA)}`],
    ["a comment that does not end", `<!--${"-x".repeat(MEGA / 2)}`],
    ["nothing but spaces", "<b> </b>".repeat(MEGA / 10)],
    [
      "a row with very many cells, and many rows",
      `<table><tr>${"<td>a".repeat(MEGA / 20)}${"<tr><td>b".repeat(MEGA / 20)}`,
    ],
  ])("WEB11 is converted in time, and is at most twice as long as: %s", async (_, html) => {
    expect((await markdown(html)).length).toBeLessThan(2 * MEGA);
  });

  test("WEB11 with very many elements is converted in part, and marked as incomplete", async () => {
    const { text, isComplete } = await convert("<p>a</p>".repeat(MEGA / 4));
    expect(isComplete).toBe(false);
    expect(text.startsWith("a\n\na\n\n")).toBe(true);
  });

  test("WEB11 does not block other work, and its conversion can be aborted", async () => {
    const breaking = new AbortController();
    const converting = htmlToMarkdown("<p>a</p>".repeat(MEGA / 4), {
      url: "https://example.com/",
      signal: breaking.signal,
    });
    setImmediate(() => breaking.abort(new Error("enough")));
    await expect(converting).rejects.toThrow("enough");
  });
});
