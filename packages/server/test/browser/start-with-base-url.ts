/** The service for a browser. */
import { findFreePort } from '@mailgrade/testing/free-port'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'

/** Sets the base URL, so links of the service lead back to it. */
export async function startWithBaseUrl(env: Record<string, string>): Promise<ServiceProcess> {
  const port = await findFreePort()
  return startServiceProcess({
    PORT: `${port}`,
    BASE_URL: `http://127.0.0.1:${port}`,
    RATE_LIMIT_PER_MINUTE: '10000',
    // Resolvers answer, however busy this machine is.
    DNS_TIMEOUT_MS: '60000',
    ...env,
  })
}
