/**
 * The sandbox's wallets, from the default mnemonic of Ethereum tools:
 *
 *     test test test test test test test test test test test junk
 *
 * Their keys are public. Anything sent to them on a real chain is stolen at once.
 */
import type { Address, Hex } from 'viem'

export interface TestWallet {
  readonly address: Address
  readonly privateKey: Hex
}

/** Settles payments and pays their gas. */
export const FACILITATOR_WALLET: TestWallet = {
  address: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  privateKey: '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
}

/** Pays for reports; starts with a thousand test dollars. */
export const DEMO_PAYER_WALLET: TestWallet = {
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  privateKey: '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
}

/** Receives the payments and never signs. */
export const SANDBOX_PAYEE: Address = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'

/** Mints test dollars; separate from the facilitator to leave its nonces alone. */
export const FAUCET_WALLET: TestWallet = {
  address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
  privateKey: '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
}
