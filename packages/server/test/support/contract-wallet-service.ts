/** The whole service, and a payer that is a contract. */
import {
  type ContractPayer,
  type ContractWalletKind,
  createContractPayer,
} from './contract-wallets.js'
import type { PaidResponse } from './paid-responses.js'
import {
  ACME_SCORE_PATH,
  openPaidService,
  type PaidService,
  type PaidServiceOptions,
  type PaymentBackendKind,
} from './paid-service.js'
import type { PaymentOverrides } from './test-payer.js'

export interface ContractWalletService extends PaidService {
  readonly payer: ContractPayer
}

export async function openContractWalletService(
  kind: PaymentBackendKind,
  walletKind: ContractWalletKind,
  options: PaidServiceOptions = {},
): Promise<ContractWalletService> {
  const service = await openPaidService(kind, options)
  const payer = await createContractPayer(service.chain, walletKind)
  return {
    ...service,
    payer,
    async sign(overrides: PaymentOverrides = {}, path = ACME_SCORE_PATH) {
      const { paymentRequired } = await service.send(path)
      return payer.sign(paymentRequired, overrides)
    },
  }
}

export interface FailedTransaction extends ContractWalletService {
  readonly payment: string
  readonly response: PaidResponse
}

/** A payment whose transaction was mined and failed, at the cost of the facilitator. */
export async function failWhenMined(
  kind: PaymentBackendKind,
  options: PaidServiceOptions = {},
): Promise<FailedTransaction> {
  const service = await openContractWalletService(
    kind,
    kind === 'in-process' ? 'gas-left' : 'honest',
    options,
  )
  const { chain, facilitator, payer } = service
  const payment = await service.sign()
  const send: PaidService['send'] = (...args) => {
    if (kind === 'remote') {
      // Each time the payer changes the wallet after the estimate and before the block.
      facilitator.onStep('sending', () => chain.holdMining())
      facilitator.onStep('sent', async () => {
        await payer.setMode('rejecting')
        await chain.releaseMining()
        await payer.setMode('honest')
      })
    }
    return service.send(...args)
  }
  return { ...service, send, payment, response: await send(ACME_SCORE_PATH, payment) }
}
