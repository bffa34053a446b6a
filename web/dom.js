// Access to the elements of the page.

export const element = (id) => document.getElementById(id);

// Leaves an unchanged text alone, so that screen readers do not announce it again.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
