import { describe } from 'vitest'
import { openLevelJournal } from '../../../src/state/level-journal.js'
import { openDiskLedger } from '../../support/disk-ledger.js'
import { createLocalLedger } from '../../support/ledgers.js'
import { describePaymentBreaks } from '../../support/payment-breaks.js'

const now = () => Date.now()

describe('a ledger in memory', () => {
  describePaymentBreaks(() => ({ ledger: createLocalLedger({ now }), restart: null }), {
    isShared: false,
  })
})

describe('a ledger on disk', () => {
  describePaymentBreaks(
    async () => {
      const { ledger, dataDir, close } = await openDiskLedger(now)
      return {
        ledger,
        async restart() {
          await close()
          return createLocalLedger({ now, journal: await openLevelJournal(dataDir) })
        },
      }
    },
    { isShared: false },
  )
})
