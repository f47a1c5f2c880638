/** The controls of a bought plan: its progress, and a check for each step. */

/** @param {Element} report */
export function enablePlanControls(report) {
  for (const button of report.querySelectorAll('[data-checks], [data-print]')) {
    if (!(button instanceof HTMLButtonElement)) continue
    button.hidden = false
    // A report may have been saved while a check was running.
    button.disabled = false
  }
  for (const link of report.querySelectorAll('[data-check-link]'))
    link.toggleAttribute('hidden', true)
  for (const status of report.querySelectorAll('.check [role=status]')) status.textContent = ''
  showProgress(report)
  report.addEventListener('change', () => showProgress(report))
  report.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-checks]') : null
    if (button instanceof HTMLButtonElement) void check(button)
  })
}

/** @param {Element} report */
function showProgress(report) {
  const steps = countTicks(report, 'input[data-counted]')
  const stages = countTicks(report, 'input[data-stage]')
  const ofStages = stages.all > 0 ? `, ${stages.done} of ${stages.all} stages` : ''
  const text = report.querySelector('[data-progress]')
  if (text)
    text.textContent = `${steps.done} of ${steps.all} ${steps.all === 1 ? 'step' : 'steps'} done${ofStages}`
  report.querySelector('progress')?.setAttribute('value', `${steps.done + stages.done}`)
}

/**
 * @param {Element} report
 * @param {string} selector
 */
function countTicks(report, selector) {
  const boxes = [...report.querySelectorAll(selector)]
  const done = boxes.filter((box) => box instanceof HTMLInputElement && box.checked).length
  return { done, all: boxes.length }
}

/** @param {HTMLButtonElement} button */
async function check(button) {
  const step = button.closest('li')
  const status = step?.querySelector('[role=status]')
  const box = step?.querySelector('input')
  if (!status || !box) return
  button.disabled = true
  status.textContent = 'Checking…'
  try {
    const { checkStep } = await import('./check-step.js')
    const { isDone, message } = await checkStep(button.dataset)
    status.replaceChildren(...message)
    // What a person ticked stays ticked, whatever DNS shows.
    if (isDone && !box.checked) {
      box.checked = true
      box.dispatchEvent(new Event('change', { bubbles: true }))
    }
  } catch {
    status.textContent = 'The check didn’t load. Try again in a moment.'
  } finally {
    button.disabled = false
    // Disabled buttons lose the focus.
    if (document.activeElement === document.body) button.focus()
  }
}
