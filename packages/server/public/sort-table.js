/** Sorts the table of several domains in place, so nothing is checked again. */

const section = document.querySelector('[data-sorted]')
if (section instanceof HTMLElement) enableSorting(section)

/** @param {HTMLElement} section */
function enableSorting(section) {
  const note = section.querySelector('.sorting small')
  if (note) note.remove()
  for (const link of section.querySelectorAll('a[data-sort]')) {
    const button = createButton(link.textContent ?? '', () => sort(link.getAttribute('data-sort')))
    button.dataset.sort = link.getAttribute('data-sort') ?? ''
    link.replaceWith(button)
  }
  for (const heading of section.querySelectorAll('th[data-sort]')) {
    const order = heading.getAttribute('data-sort')
    const isSorted = () => section.dataset.sorted === order
    const isAscending = () => heading.getAttribute('aria-sort') === 'ascending'
    heading.replaceChildren(
      createButton(heading.textContent ?? '', () => sort(order, isSorted() && isAscending())),
    )
  }
  showOrder(section.dataset.sorted ?? '', false)

  /**
   * @param {string | null} order
   * @param {boolean} isReversed
   */
  function sort(order, isReversed = false) {
    const body = section.querySelector('tbody')
    if (!body || !order) return
    const rows = [...body.rows].sort((a, b) => compareRows(a, b, order))
    body.replaceChildren(...(isReversed ? rows.reverse() : rows))
    section.dataset.sorted = order
    showOrder(order, isReversed)
  }

  /**
   * @param {string} order
   * @param {boolean} isReversed
   */
  function showOrder(order, isReversed) {
    for (const heading of section.querySelectorAll('th[data-sort]')) {
      const direction = isReversed ? 'descending' : 'ascending'
      const isSorted = heading.getAttribute('data-sort') === order
      heading.setAttribute('aria-sort', isSorted ? direction : 'none')
    }
    for (const button of section.querySelectorAll('button[data-sort]')) {
      const isPressed = button.getAttribute('data-sort') === order && !isReversed
      button.setAttribute('aria-pressed', String(isPressed))
    }
  }
}

/**
 * @param {string} text
 * @param {() => void} act
 */
function createButton(text, act) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'sort'
  button.textContent = text.trim()
  button.addEventListener('click', act)
  return button
}

/**
 * Equal rows stay in the order entered, as on the server.
 * @param {HTMLTableRowElement} a
 * @param {HTMLTableRowElement} b
 * @param {string} order
 */
function compareRows({ dataset: a }, { dataset: b }, order) {
  const [one = '', other = ''] = [a[order], b[order]]
  const byOrder =
    order === 'name' ? (one < other ? -1 : Number(one > other)) : Number(one) - Number(other)
  return byOrder || Number(a.entered) - Number(b.entered)
}
