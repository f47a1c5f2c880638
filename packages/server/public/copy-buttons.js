/** Copy buttons. They stay hidden if the browser has no clipboard. */

/** @param {ParentNode} root */
export function enableCopyButtons(root) {
  if (!navigator.clipboard) return
  for (const button of root.querySelectorAll('button[data-copy]')) {
    if (!(button instanceof HTMLButtonElement)) continue
    button.hidden = false
    // A report may have been saved while the label said "Copied".
    if (button.firstChild) button.firstChild.textContent = 'Copy'
    button.addEventListener('click', () => void copy(button))
  }
}

/** @param {HTMLButtonElement} button */
async function copy(button) {
  const label = button.firstChild
  if (!label) return
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? '')
    label.textContent = 'Copied'
  } catch {
    label.textContent = 'Not allowed'
  }
  setTimeout(() => {
    label.textContent = 'Copy'
  }, 2_000)
}
