/** People pay with the wallet in their browser; the service runs in earnest, on a chain of its own. */
import { expect, test } from 'vitest'
import {
  openPageRecordingStatus,
  PAID_STATUS,
  recordPayments,
  waitForReport,
  waitForStatus,
} from './buyer-page.js'
import { LIVE_CHAIN_ID, setUpLiveBrowser } from './live-browser-environment.js'
import { visibleText, visibleTexts } from './page-text.js'
import { injectWallet, type TestWalletOptions } from './test-wallet.js'

const stage = setUpLiveBrowser(`
acme.test. MX 10 mx.acme.test.
acme.test. TXT "v=spf1 mx -all"
_dmarc.acme.test. TXT "v=DMARC1; p=reject"
mx.acme.test. A 192.0.2.1
`)
const SCORE = '/reports/score?domain=acme.test'
const CENT = 10_000n
const DOLLAR = 1_000_000n

/** A person with a wallet, on the page of the score. */
async function enter(options: Partial<TestWalletOptions> & { units?: bigint } = {}) {
  const { units, ...wallet } = options
  const account = await stage.newAccount(units)
  const context = await stage.newContext()
  const asked = await injectWallet(context, {
    name: 'Fox',
    account,
    chainId: LIVE_CHAIN_ID,
    discoveredVia: 'window.ethereum',
    ...wallet,
  })
  const page = await openPageRecordingStatus(context, SCORE)
  const payments = recordPayments(page)
  const earnedBefore = await stage.revenue()
  return {
    page,
    asked,
    payments,
    press: () => page.getByRole('button', { name: 'Buy for 0.01 USDC' }).click(),
    /** What the payee has got since, and what the payer has left. */
    accounts: async () => ({
      earned: (await stage.revenue()) - earnedBefore,
      left: await stage.balanceOf(account.address),
    }),
  }
}

test.each(['window.ethereum', 'announced'] as const)(
  'a wallet that is %s signs and pays',
  async (found) => {
    const { page, press, asked, accounts } = await enter({ discoveredVia: found })
    await press()
    await waitForStatus(page, PAID_STATUS)
    const report = await waitForReport(page, 'score')
    expect(await visibleText(report.locator('.score'))).toMatch(/^[A-F] \d+ of 100$/)
    expect(await accounts()).toEqual({ earned: CENT, left: DOLLAR - CENT })
    expect(asked).toEqual(['eth_requestAccounts', 'eth_chainId', 'eth_signTypedData_v4'])
    const receipt = report.locator('.meta a')
    expect(await receipt.getAttribute('href')).toBe(
      `https://sepolia.basescan.org/tx/${await visibleText(receipt)}`,
    )
  },
)

test('a wallet on another chain is asked to switch', async () => {
  const { page, press, asked, accounts } = await enter({ chainId: 1 })
  await press()
  await waitForStatus(page, PAID_STATUS)
  expect(asked).toEqual([
    'eth_requestAccounts',
    'eth_chainId',
    'wallet_switchEthereumChain',
    'eth_signTypedData_v4',
  ])
  expect(await accounts()).toEqual({ earned: CENT, left: DOLLAR - CENT })
})

test('a wallet that does not know the chain is asked to add it', async () => {
  const { page, press, asked, accounts } = await enter({ chainId: 1, isChainUnknown: true })
  await press()
  await waitForStatus(page, PAID_STATUS)
  expect(asked.slice(2)).toEqual([
    'wallet_switchEthereumChain',
    'wallet_addEthereumChain',
    'eth_signTypedData_v4',
  ])
  expect(await accounts()).toEqual({ earned: CENT, left: DOLLAR - CENT })
})

test('who does not want to switch is told what to do', async () => {
  const { page, press, payments, accounts } = await enter({
    chainId: 1,
    rejectedMethod: 'wallet_switchEthereumChain',
  })
  await press()
  await waitForStatus(page, 'Switch the wallet to Base Sepolia, and try again.')
  expect(payments).toEqual([])
  expect(await accounts()).toEqual({ earned: 0n, left: DOLLAR })
})

test.each(['eth_requestAccounts', 'eth_signTypedData_v4'])(
  'who rejects %s pays nothing',
  async (rejects) => {
    const { page, press, payments, accounts } = await enter({ rejectedMethod: rejects })
    await press()
    await waitForStatus(page, 'You declined in the wallet. Nothing was paid.')
    expect(payments).toEqual([])
    expect(await accounts()).toEqual({ earned: 0n, left: DOLLAR })
    // Ready to be pressed again, without a search for it.
    expect(await visibleText(page.locator('button:focus:enabled'))).toBe('Buy for 0.01 USDC')
  },
)

test('a wallet with too little in it: the reason is shown, nothing is charged', async () => {
  const { page, press, payments, accounts } = await enter({ units: CENT - 1n })
  await press()
  await waitForStatus(
    page,
    'The payer does not have enough of the token. You were not charged. Add funds and sign again. Nothing was paid.',
  )
  expect(payments).toHaveLength(1)
  expect(await accounts()).toEqual({ earned: 0n, left: CENT - 1n })
  expect(await page.locator('[data-report]').count()).toBe(0)
})

test('of two wallets the person chooses one', async () => {
  const { page, press, asked, accounts } = await enter({ discoveredVia: 'announced' })
  const other = await stage.newAccount()
  const askedOther = await injectWallet(page.context(), {
    name: 'Otter',
    account: other,
    chainId: LIVE_CHAIN_ID,
    discoveredVia: 'announced',
  })
  await page.reload()
  await press()
  await waitForStatus(page, 'Which wallet?')
  expect(await visibleTexts(page.locator('.buy div button'))).toEqual([
    'Fox',
    'Otter',
    'None of them',
  ])
  expect(await visibleText(page.locator(':focus'))).toBe('Fox')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await waitForStatus(page, PAID_STATUS)
  expect(asked).toEqual([])
  expect(askedOther.at(-1)).toBe('eth_signTypedData_v4')
  expect(await accounts()).toEqual({ earned: CENT, left: DOLLAR })
  expect(await stage.balanceOf(other.address)).toBe(DOLLAR - CENT)
})

test('a browser without a wallet says so', async () => {
  const page = await openPageRecordingStatus(await stage.newContext(), SCORE)
  await page.getByRole('button', { name: 'Buy for 0.01 USDC' }).click()
  await waitForStatus(
    page,
    'This browser has no Ethereum wallet. Install one, or pay by an x402 client.',
  )
})
