/** Paying with a wallet in the browser, on a live service with its own chain. */
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

const environment = setUpLiveBrowser(`
acme.test. MX 10 mx.acme.test.
acme.test. TXT "v=spf1 mx -all"
_dmarc.acme.test. TXT "v=DMARC1; p=reject"
mx.acme.test. A 192.0.2.1
`)
const SCORE = '/reports/score?domain=acme.test'
const CENT = 10_000n
const DOLLAR = 1_000_000n

/** Opens the page of the score in a browser with a wallet. */
async function openWithWallet(options: Partial<TestWalletOptions> & { units?: bigint } = {}) {
  const { units, ...wallet } = options
  const account = await environment.newAccount(units)
  const context = await environment.newContext()
  const walletRequests = await injectWallet(context, {
    name: 'Fox',
    account,
    chainId: LIVE_CHAIN_ID,
    discoveredVia: 'window.ethereum',
    ...wallet,
  })
  const page = await openPageRecordingStatus(context, SCORE)
  const payments = recordPayments(page)
  const earnedBefore = await environment.revenue()
  return {
    page,
    walletRequests,
    payments,
    press: () => page.getByRole('button', { name: 'Buy for 0.01 USDC' }).click(),
    /** What the payee received since, and what the payer has left. */
    accounts: async () => ({
      earned: (await environment.revenue()) - earnedBefore,
      left: await environment.balanceOf(account.address),
    }),
  }
}

test.each(['window.ethereum', 'announced'] as const)(
  'pays with a wallet found via %s',
  async (discoveredVia) => {
    const { page, press, walletRequests, accounts } = await openWithWallet({ discoveredVia })
    await press()
    await waitForStatus(page, PAID_STATUS)
    const report = await waitForReport(page, 'score')
    expect((await report.locator('.mark text').allTextContents()).join(' ')).toMatch(
      /^[A-F] \d+ of 100$/,
    )
    expect(await accounts()).toEqual({ earned: CENT, left: DOLLAR - CENT })
    expect(walletRequests).toEqual(['eth_requestAccounts', 'eth_chainId', 'eth_signTypedData_v4'])
    const receipt = report.locator('.meta a')
    expect(await receipt.getAttribute('href')).toBe(
      `https://sepolia.basescan.org/tx/${await visibleText(receipt)}`,
    )
  },
)

test('asks a wallet on another chain to switch', async () => {
  const { page, press, walletRequests, accounts } = await openWithWallet({ chainId: 1 })
  await press()
  await waitForStatus(page, PAID_STATUS)
  expect(walletRequests).toEqual([
    'eth_requestAccounts',
    'eth_chainId',
    'wallet_switchEthereumChain',
    'eth_signTypedData_v4',
  ])
  expect(await accounts()).toEqual({ earned: CENT, left: DOLLAR - CENT })
})

test('asks a wallet without the chain to add it', async () => {
  const { page, press, walletRequests, accounts } = await openWithWallet({
    chainId: 1,
    isChainUnknown: true,
  })
  await press()
  await waitForStatus(page, PAID_STATUS)
  expect(walletRequests.slice(2)).toEqual([
    'wallet_switchEthereumChain',
    'wallet_addEthereumChain',
    'eth_signTypedData_v4',
  ])
  expect(await accounts()).toEqual({ earned: CENT, left: DOLLAR - CENT })
})

test('says what to do if the person declines to switch', async () => {
  const { page, press, payments, accounts } = await openWithWallet({
    chainId: 1,
    rejectedMethod: 'wallet_switchEthereumChain',
  })
  await press()
  await waitForStatus(page, 'Switch your wallet to Base Sepolia and try again.')
  expect(payments).toEqual([])
  expect(await accounts()).toEqual({ earned: 0n, left: DOLLAR })
})

test.each(['eth_requestAccounts', 'eth_signTypedData_v4'])(
  'charges nothing if the person rejects %s',
  async (rejectedMethod) => {
    const { page, press, payments, accounts } = await openWithWallet({ rejectedMethod })
    await press()
    await waitForStatus(page, 'You declined the payment in your wallet. You weren’t charged.')
    expect(payments).toEqual([])
    expect(await accounts()).toEqual({ earned: 0n, left: DOLLAR })
    // The button has the focus again.
    expect(await visibleText(page.locator('button:focus:enabled'))).toBe('Buy for 0.01 USDC')
  },
)

test('shows the reason and charges nothing if the wallet has too little', async () => {
  const { page, press, payments, accounts } = await openWithWallet({ units: CENT - 1n })
  await press()
  await waitForStatus(
    page,
    'The payer doesn’t have enough of the token. You weren’t charged. Add funds and send the same payment again.',
  )
  expect(payments).toHaveLength(1)
  expect(await accounts()).toEqual({ earned: 0n, left: CENT - 1n })
  expect(await page.locator('[data-report]').count()).toBe(0)
})

test('lets the person choose between two wallets', async () => {
  const { page, press, walletRequests, accounts } = await openWithWallet({
    discoveredVia: 'announced',
  })
  const other = await environment.newAccount()
  const otherWalletRequests = await injectWallet(page.context(), {
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
  expect(walletRequests).toEqual([])
  expect(otherWalletRequests.at(-1)).toBe('eth_signTypedData_v4')
  expect(await accounts()).toEqual({ earned: CENT, left: DOLLAR })
  expect(await environment.balanceOf(other.address)).toBe(DOLLAR - CENT)
})

test.each([SCORE, '/?domain=acme.test'])(
  '%s has no button without a wallet, but says how to pay',
  async (path) => {
    const page = await openPageRecordingStatus(await environment.newContext(), path)
    expect(await page.locator('.buy button:visible').count()).toBe(0)
    expect(await visibleTexts(page.locator('[data-without-wallet]').first())).toEqual([
      'To buy here, you need JavaScript and a wallet in your browser. Other ways to pay 0.01 USDC',
    ])
  },
)

test('a wallet replaces the hint with the button', async () => {
  const { page } = await openWithWallet()
  expect(await page.locator('[data-without-wallet]:visible').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Buy for 0.01 USDC' }).isVisible()).toBe(true)
})
