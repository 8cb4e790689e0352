/** The stylesheet of an exported page: readable on a phone and on paper, in light and dark. */

export const stylesheet = `
:root {
  color-scheme: light dark;
  --back: #fff; --fore: #1f2328; --dim: #59636e; --line: #d1d9e0; --soft: #f6f8fa; --mine: #ddf4ff;
  --red: #cf222e; --green: #1a7f37; --blue: #0550ae; --purple: #8250df; --orange: #953800;
  --added: #dafbe1; --removed: #ffebe9;
  background: var(--back); color: var(--fore); font: 16px/1.6 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0d1117; --fore: #e6edf3; --dim: #9198a1; --line: #3d444d; --soft: #151b23; --mine: #12243a;
    --red: #ff7b72; --green: #7ee787; --blue: #79c0ff; --purple: #d2a8ff; --orange: #ffa657;
    --added: #12301f; --removed: #3b1618;
  }
}
body { box-sizing: border-box; margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem 4rem; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1.5rem; padding-bottom: 0.75rem; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 0.75rem; overflow-wrap: anywhere; }
h2 { color: var(--dim); display: inline; font-size: 0.8rem; font-weight: 600; overflow-wrap: anywhere; }
h3, h4, h5, h6 { font-size: 1.05rem; line-height: 1.3; margin: 1.25rem 0 0.5rem; }
dl { color: var(--dim); display: grid; font-size: 0.8rem; gap: 0 1rem; grid-template-columns: max-content 1fr; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
label { color: var(--dim); display: none; font-size: 0.8rem; margin-top: 0.5rem; }
@supports selector(details::details-content) {
  label { display: inline-block; }
  body:has(#expand:checked) details::details-content { content-visibility: visible; }
}
nav { border-bottom: 1px solid var(--line); font-size: 0.8rem; margin-bottom: 1.5rem; max-height: 14rem; overflow: auto; padding-bottom: 0.75rem; }
nav a { border-left: 2px solid transparent; color: var(--dim); display: block; overflow: hidden; padding: 0.1rem 0.5rem; text-decoration: none; text-overflow: ellipsis; white-space: nowrap; }
nav a:hover { border-color: var(--blue); color: var(--fore); }
nav .user { color: var(--fore); font-weight: 600; }
nav .user:not(:first-child) { margin-top: 0.4rem; }
nav .change, nav .failure { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; padding-left: 1.25rem; }
nav .failure { color: var(--red); }
nav .summary { color: var(--orange); }
@media (min-width: 72rem) {
  body:has(nav) { column-gap: 2.5rem; display: grid; grid-template: auto 1fr / 17rem minmax(0, 52rem); justify-content: center; max-width: none; }
  nav { align-self: start; border: 0; grid-column: 1; grid-row: 1 / 3; margin: 0; max-height: calc(100vh - 3rem); padding: 0; position: sticky; top: 1.5rem; }
  header, main { grid-column: 2; }
}
time { color: var(--dim); font-size: 0.75rem; }
.link { margin-left: 0.75rem; text-decoration: none; }
.link:hover time { text-decoration: underline; }
article { margin-top: 1.25rem; scroll-margin-top: 1rem; }
article.continued { margin-top: 0.25rem; }
article:target { border-radius: 4px; outline: 2px solid var(--blue); outline-offset: 6px; }
article.user { background: var(--mine); border-radius: 8px; padding: 0.6rem 1rem; }
article.summary { border-left: 3px solid var(--orange); padding-left: 1rem; }
article.failure summary, .failed { color: var(--red); }
p, ul, ol, blockquote { margin: 0.5rem 0; }
li > p { margin: 0; }
blockquote { border-left: 3px solid var(--line); color: var(--dim); padding-left: 1rem; }
.text { overflow-wrap: anywhere; white-space: pre-wrap; }
.markdown { overflow-wrap: anywhere; }
.url { color: var(--dim); font-size: 0.85em; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
pre, code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
code { background: var(--soft); border-radius: 4px; font-size: 0.85em; padding: 0.1em 0.3em; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; font-size: 0.8rem; line-height: 1.45; margin: 0.5rem 0; max-height: 32rem; overflow: auto; padding: 0.75rem; }
pre code { background: none; display: block; font-size: 1em; min-width: max-content; padding: 0; }
.diff { padding: 0.5rem 0; }
.row { display: block; padding: 0 0.75rem; }
.added { background: var(--added); }
.removed { background: var(--removed); }
.gutter { color: var(--dim); user-select: none; }
.added > .gutter { color: var(--green); }
.removed > .gutter { color: var(--red); }
details { margin: 0.5rem 0; }
details.call { margin: 0.25rem 0; }
summary { color: var(--dim); cursor: pointer; font-size: 0.85rem; overflow-wrap: anywhere; }
.tool { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.tool > b { color: var(--fore); }
.amount, .failed { font-size: 0.8rem; margin-left: 0.5rem; }
img { max-width: 100%; }
.hljs-keyword, .hljs-selector-tag, .hljs-tag, .hljs-name, .hljs-literal, .hljs-deletion { color: var(--red); }
.hljs-string, .hljs-regexp, .hljs-addition { color: var(--green); }
.hljs-number, .hljs-attr, .hljs-attribute, .hljs-property, .hljs-built_in { color: var(--blue); }
.hljs-title, .hljs-function, .hljs-section { color: var(--purple); }
.hljs-type, .hljs-symbol, .hljs-variable { color: var(--orange); }
.hljs-comment, .hljs-doctag, .hljs-quote, .hljs-meta { color: var(--dim); }
@media (max-width: 40rem) { body { padding: 1rem 0.75rem 3rem; } h1 { font-size: 1.25rem; } }
@media print { nav, label { display: none; } pre { max-height: none; white-space: pre-wrap; } pre code { min-width: 0; } }
`;
