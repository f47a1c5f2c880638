/** All code of the package, in one file once it is bundled. What a command needs is run on demand. */
export { describeVerdict, FINDINGS } from '@mailgrade/core'
export { failed, toQueryMethod } from '@mailgrade/doh/dns'
export { createZoneDns } from '@mailgrade/doh/zone'
export {
  checkAddress,
  checkDkim,
  checkDmarc,
  checkDomain,
  checkMx,
  checkSpf,
  createDoh,
  evaluateSpf,
  planDomain,
  scoreDomain,
} from './library.js'

export async function loadProgram() {
  return import('./command-line/program.js')
}
