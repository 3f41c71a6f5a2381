/**
 * The document that the worker sends for every address of the page: the frame that is seen before the script has run.
 * Nothing of a caller or a run is in it, so it is the same for everybody: a text, without the renderer that would make
 * it. Pure: no I/O, no clock.
 */

/** Of the one style element that the chart library writes (chart-draw.ts); a test compares it with what is written. */
export const CHART_STYLE_HASH = "sha256-zrfVyvY1E/5V+DXZunsRZW8XTqTsuIZzp8dBDThhSn8=";

const SHELL = `<!doctype html><html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="Ask a database a question in plain words and see where every figure comes from.">
<title>Querent</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/style.css">
<script type="module" src="/assets/main.js"></script>
</head>
<body>
<div id="app">
<header class="bar"><a class="brand" href="/">Querent</a></header>
<main class="page">
<noscript>
<p class="notice">This page needs JavaScript. The same can be done over the API: its contract is at /openapi.json.</p>
</noscript>
</main>
</div>
</body>
</html>
`;

/** The document's text. */
export function renderShell(): string {
  return SHELL;
}
