/**
 * A setup file: the seed of property tests that have none of their own. It is fixed by default,
 * because whether a change lands must not depend on luck. With PROPERTY_RUNS it is new in each run,
 * to find new cases; the message of a failure has it, and PROPERTY_SEED repeats it.
 */
import fc from 'fast-check'

const DEFAULT_SEED = 7208
const { PROPERTY_RUNS, PROPERTY_SEED } = process.env

if (PROPERTY_SEED !== undefined) fc.configureGlobal({ seed: Number(PROPERTY_SEED) })
else if (PROPERTY_RUNS === undefined) fc.configureGlobal({ seed: DEFAULT_SEED })
