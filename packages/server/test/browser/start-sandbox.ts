/** One sandbox for all files of the suite; ends with the run, however the workers end. */
import type { TestProject } from 'vitest/node'
import { startWithBaseUrl } from './start-with-base-url.js'

declare module 'vitest' {
  interface ProvidedContext {
    sandboxUrl: string
  }
}

export async function setup({ provide }: TestProject) {
  const service = await startWithBaseUrl({})
  provide('sandboxUrl', service.url)
  return () => void service.process.kill('SIGKILL')
}
