/** How an exported page looks. Text only. */

export const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; }
header { border-bottom: 1px solid #8886; margin-bottom: 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { display: inline; font-size: 0.9rem; overflow-wrap: anywhere; }
dl { display: grid; gap: 0 1rem; grid-template-columns: max-content 1fr; font-size: 0.85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
time { color: #888; font-size: 0.75rem; margin-left: 0.75rem; }
article { border-left: 3px solid #8884; margin: 1rem 0; padding: 0.1rem 0 0.1rem 1rem; }
article.user { border-color: #2a7ae2; }
article.assistant { border-color: #2a9d5c; }
article.summary { border-color: #b8860b; }
article.failure { border-color: #c0392b; }
.text { overflow-wrap: anywhere; white-space: pre-wrap; }
pre { background: #8881; border-radius: 4px; font-size: 0.8rem; max-height: 30rem; overflow: auto; padding: 0.6rem; white-space: pre-wrap; }
summary { color: #888; cursor: pointer; font-size: 0.85rem; }
img { max-width: 100%; }
`;
