// Everything shown comes from the data element and goes into text nodes: names in it are never markup.
const data = JSON.parse(document.getElementById("data").textContent);
const root = document.documentElement;
const redraws = [];

const make = (tag, text, className) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  return element;
};
const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const number = (value) => value.toLocaleString("en");
const decoded = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
