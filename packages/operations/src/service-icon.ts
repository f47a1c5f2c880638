/** An envelope: on the website, and in MCP hosts beside the server and its tools. */
export const ICON_PATH = '/favicon.svg'

export const ICON_SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><title>Mailgrade</title><rect width="32" height="32" rx="7" fill="#0b5bb5"/><path d="M6 9.5h20v13H6zM6.5 10.5 16 17.5l9.5-7" fill="none" stroke="#fff" stroke-width="2.2" stroke-linejoin="round"/></svg>'
