/** The public library API. */
export { checkDomain } from '@mailgrade/core'
export { createDohDns } from '@mailgrade/doh'
