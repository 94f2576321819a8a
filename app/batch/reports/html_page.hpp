// The frame of an HTML report, around its cases.
#pragma once

#include <string_view>

namespace tscatter::app {

// A format of title and style.
inline constexpr std::string_view html_front = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}: tscatter {command}</title>
<style>{style}</style>
</head>
<body>
<header>
)";

// The filter: the checked radio button hides the cases of the other states.
inline constexpr std::string_view html_style = R"(
:root { --back: #fff; --text: #1c2128; --dim: #57606a; --line: #d0d7de; --panel: #f6f8fa; --shade: #1c212840;
  --passed: #116329; --failed: #a40e26; --xfailed: #7d4e00; --updated: #0550ae; --dimmed: #57606a; }
@media (prefers-color-scheme: dark) { :root { --back: #0d1117; --text: #e6edf3; --dim: #9198a1;
  --line: #3d444d; --panel: #151b23; --shade: #e6edf366; --passed: #56d364; --failed: #ff7b72; --xfailed: #e3b341;
  --updated: #79c0ff; --dimmed: #9198a1; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; background: var(--back); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; overflow-wrap: anywhere; }
p { margin: .3rem 0; overflow-wrap: anywhere; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; }
.verdict { font-weight: 600; } .verdict span, .about { color: var(--dim); font-weight: 400; }
.verdict.good { color: var(--passed); } .verdict.bad { color: var(--failed); }
fieldset { border: 0; margin: .5rem 0 0; padding: .5rem 0; position: sticky; top: 0; z-index: 1; background: var(--back); display: flex; flex-wrap: wrap; gap: .4rem; }
legend { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
fieldset input[type=radio] { position: absolute; opacity: 0; }
fieldset label { border: 1px solid var(--line); border-radius: 1rem; padding: .25rem .75rem; cursor: pointer; }
fieldset input:checked + label { background: var(--text); color: var(--back); border-color: var(--text); }
fieldset input:focus-visible + label { outline: 3px solid var(--updated); outline-offset: 2px; }
#search { flex: 1 1 12rem; min-width: 0; border: 1px solid var(--line); border-radius: 1rem; padding: .25rem .75rem;
  font: inherit; background: var(--back); color: var(--text); }
.groups { display: flex; flex-wrap: wrap; gap: .5rem 2rem; align-items: flex-start; margin: 0 0 1rem; }
.groups table { border-collapse: collapse; font-size: .9rem; } .groups th { text-align: left; color: var(--dim); font-weight: 400; }
.groups td, .groups th { padding: .2rem .6rem .2rem 0; vertical-align: baseline; overflow-wrap: anywhere; }
.groups .count { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.groups tbody tr { border-top: 1px solid var(--line); }
.why { flex: 3 1 32rem; } .words { flex: 1 1 16rem; }
.why td:first-child { padding-left: 1.6rem; text-indent: -1.6rem; min-width: 15rem; }
.why input { accent-color: var(--failed); width: 1rem; margin: 0 .6rem 0 0; } .why label { cursor: pointer; font-weight: 500; }
.smallest a { color: var(--updated); } .smallest span { color: var(--dim); }
.share { width: 6rem; } .share i { display: block; height: .6rem; border-radius: .2rem; background: var(--failed); opacity: .7; }
button.word { all: unset; cursor: pointer; color: var(--updated); text-decoration: underline; } button.word:focus-visible { outline: 3px solid var(--updated); }
main:has(#show-all:checked, #show-passed:checked) .groups { display: none; }
#cases { list-style: none; margin: 0; padding: 0; border-top: 1px solid var(--line); }
.case { border-bottom: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 2.2rem; }
.row { display: grid; grid-template-columns: 7rem 1fr auto auto; gap: 0 .75rem; padding: .3rem .25rem; align-items: baseline; }
.state::before { content: ""; display: inline-block; width: 1rem; }
summary .state::before { content: "\25b8"; color: var(--dim); } details[open] > summary .state::before { content: "\25be"; }
summary.row { cursor: pointer; } summary.row:hover { background: var(--panel); }
.name { overflow-wrap: anywhere; white-space: pre-wrap; font-weight: 500; }
.place, .time { color: var(--dim); font-size: .85rem; } .time { text-align: right; min-width: 4.5rem; }
.state { font-weight: 600; }
.passed .state, .written .state { color: var(--passed); }
.failed .state, .xpassed .state { color: var(--failed); }
.xfailed .state { color: var(--xfailed); } .updated .state, .to_write .state { color: var(--updated); }
.resumed .state, .not_run .state, .skipped .state { color: var(--dimmed); }
details > :not(summary) { margin-left: 8rem; margin-right: .25rem; }
details[open] { padding-bottom: .75rem; }
.message { font-weight: 500; } .rule, .again { color: var(--dim); }
.rule code, .again code, dd { color: var(--text); } .again code { user-select: all; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: .5rem 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.values dd { font: .85rem/1.6 ui-monospace, monospace; } .values { border-left: 3px solid var(--line); padding-left: .75rem; }
.case:target { box-shadow: inset 3px 0 0 var(--updated); display: block !important; }
.census { display: flex; flex-wrap: wrap; gap: .75rem; align-items: flex-start; }
.census pre { flex: 0 1 auto; max-width: 100%; margin: .3rem 0; padding: .6rem;
  border-radius: .4rem; overflow-x: auto; }
.census pre { background: linear-gradient(to right, var(--panel) 1rem, transparent 2rem),
  linear-gradient(to left, var(--panel) 1rem, transparent 2rem) 100% 0,
  linear-gradient(to right, var(--shade), transparent .6rem), linear-gradient(to left, var(--shade), transparent .6rem) 100% 0,
  var(--panel); background-attachment: local, local, scroll, scroll, scroll; }
.picture { flex: 0 1 auto; min-width: 0; max-width: 100%; margin-top: .3rem; cursor: zoom-in; }
.picture input { position: absolute; opacity: 0; }
.picture span { display: block; max-width: 28rem; border: 1px solid var(--line); overflow-x: auto; }
.picture::after { content: "click to enlarge"; color: var(--dim); font-size: .85rem; }
.picture:has(:checked)::after { content: "click to shrink"; }
.picture svg { display: block; max-width: 100%; height: auto; }
.picture input:checked + span { max-width: none; cursor: zoom-out; }
.picture input:checked + span svg { max-width: none; width: max(100%, 48rem); }
.picture input:focus-visible + span { outline: 3px solid var(--updated); outline-offset: 2px; }
main:has(#show-failures:checked) .case:not(.failed, .xpassed),
main:has(#show-passed:checked) .case:not(.passed), main:has(#show-xfailed:checked) .case:not(.xfailed),
main:has(#show-updated:checked) .case:not(.updated), main:has(#show-written:checked) .case:not(.written),
main:has(#show-resumed:checked) .case:not(.resumed), main:has(#show-not_run:checked) .case:not(.not_run),
main:has(#show-skipped:checked) .case:not(.skipped), main:has(#show-to_write:checked) .case:not(.to_write),
.case.hidden { display: none; }
@media (max-width: 40rem) { body { padding: .6rem; } .row { grid-template-columns: 1fr auto; }
  .name { grid-column: 1 / -1; grid-row: 2; } .place { text-align: right; } .time { grid-row: 1; grid-column: 2; }
  .place { grid-row: 3; grid-column: 1 / -1; text-align: left; } .state { grid-row: 1; }
  fieldset { position: static; } details > :not(summary) { margin-left: .25rem; }
  .census pre { font-size: .7rem; }
  .why thead { display: none; } .why tr { display: grid; grid-template-columns: 1fr auto; } .smallest { grid-column: 1 / -1; }
  .groups .smallest { padding-top: 0; } .groups, .why, .words { width: 100%; } dl { grid-template-columns: 1fr; } dd { margin-bottom: .2rem; } }
@media print { fieldset { display: none; } }
)";

// The search box exists only if scripts run.
inline constexpr std::string_view html_end = R"(</ul>
</main>
<script>
const box = document.createElement("input");
box.type = "search";
box.id = "search";
box.placeholder = "part of a name";
box.setAttribute("aria-label", "show only names with");
document.querySelector("fieldset").append(box);
const cases = [...document.querySelectorAll(".case")].map(
  item => [item, `${item.querySelector(".name").textContent} ${item.dataset.words ?? ""}`.toLowerCase()]);
box.addEventListener("input", () => {
  const part = box.value.toLowerCase();
  for (const [item, name] of cases) item.classList.toggle("hidden", !name.includes(part));
});
for (const word of document.querySelectorAll("span.word")) {
  const button = document.createElement("button");
  button.className = "word";
  button.textContent = word.textContent;
  button.addEventListener("click", () => { box.value = word.textContent; box.dispatchEvent(new Event("input")); });
  word.replaceWith(button);
}
const unfold = () => document.getElementById(location.hash.slice(1))?.querySelector("details")?.setAttribute("open", "");
addEventListener("hashchange", unfold);
</script>
</body>
</html>
)";

}  // namespace tscatter::app
