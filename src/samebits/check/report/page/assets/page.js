// What a person can do on the page: choose a theme, copy, filter.
// The theme: the system's, until somebody chooses.
const theme = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
const showTheme = () => {
  const other = isDark() ? "Light" : "Dark";
  theme.textContent = other;
  theme.setAttribute("aria-label", `${other} theme`);
  redraws.forEach((redraw) => redraw());
};
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  showTheme();
});
system.addEventListener("change", showTheme);

const listSections = () => {
  const list = document.getElementById("sections");
  const named = new Set();
  for (const section of document.querySelectorAll("section[data-section]:not([hidden])")) {
    const name = section.dataset.section;
    if (named.has(name)) continue;
    named.add(name);
    const heading = section.querySelector("h2");
    const link = make("a", name);
    link.href = `#${heading.id}`;
    const item = make("li");
    item.append(link);
    list.append(item);
  }
};

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", () => {
    const code = button.parentElement.querySelector("code");
    const said = (text) => { button.textContent = text; };
    const select = () => {
      getSelection().selectAllChildren(code);
      said(document.execCommand("copy") ? "Copied" : "Selected");
    };
    // From disk the clipboard may be out of reach: then the text is selected, to be copied by hand.
    if (navigator.clipboard) {
      navigator.clipboard.writeText(code.textContent).then(() => said("Copied"), select);
    } else select();
  });
}

const filter = document.getElementById("ledger-filter");
if (filter) {
  const rows = [...document.querySelectorAll("#ledger tbody tr")];
  const count = document.getElementById("ledger-count");
  const apply = () => {
    const wanted = filter.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = wanted ? `${shown} of ${rows.length} rows` : "";
  };
  filter.addEventListener("input", apply);
}

listSections();
showTheme();
root.dataset.ready = "yes";
