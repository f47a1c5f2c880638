/** The attributes of a field for names and addresses, which no browser or phone should change. */
export const VERBATIM_INPUT = {
  autocomplete: 'off',
  autocapitalize: 'none',
  spellcheck: false,
} as const
