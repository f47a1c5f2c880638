/** Our own facilitator: checks payments and sends them to the chain from an account that pays the gas. */
import type { SettleResponse, VerifyResponse } from '@x402/core/types'
import type { FacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { type Abi, concatHex, encodeFunctionData, type LocalAccount, type PublicClient } from 'viem'
import type { Facilitator, SettleResult, VerifyResult } from '../facilitator.js'
import { toPaymentErrorReason } from '../payment-error-reasons.js'
import { createFaultTrackingSigner } from './fault-tracking-signer.js'
import { createGasPayer } from './gas-payer.js'
import { limitConcurrentCalls } from './limit-concurrency.js'

const CONFIRMATION_TIMEOUT_MS = 30_000
/** Each makes several calls; more at once would only have the endpoint turn them away. */
const MAX_AT_ONCE = 50

/** The scheme's word for a transaction that was mined and failed, or that could not be sent at all. */
const FAILED = 'invalid_exact_evm_transaction_failed'

export function createInProcessFacilitator(
  client: PublicClient,
  account: LocalAccount,
  { confirmationTimeoutMs = CONFIRMATION_TIMEOUT_MS } = {},
): Facilitator {
  const signer = signerOf(client, account, confirmationTimeoutMs)
  const atOnce = limitConcurrentCalls(MAX_AT_ONCE)

  /** Made for each call, so that its faults are known from those of others. */
  function openScheme() {
    const { signer: watched, fault } = createFaultTrackingSigner({
      ...signer,
      getCode: askOnce(signer.getCode),
    })
    return { scheme: new ExactEvmScheme(watched), fault }
  }

  return {
    async verify({ payload }, requirements) {
      const { scheme, fault } = openScheme()
      try {
        const response = await atOnce(() => scheme.verify(payload, requirements))
        return verified(response, fault())
      } catch {
        // The scheme trips over some signatures that can be read neither as a key's nor a wallet's.
        const cause = fault()
        return cause
          ? { kind: 'unavailable', cause }
          : { kind: 'invalid', reason: 'invalid_signature' }
      }
    },
    async settle({ payload }, requirements) {
      const { scheme, fault } = openScheme()
      try {
        const response = await atOnce(() => scheme.settle(payload, requirements))
        return settled(response, fault())
      } catch (error) {
        return { kind: 'unknown', cause: error instanceof Error ? error.name : typeof error }
      }
    },
    async healthProblem() {
      try {
        const [chainId, balance] = await Promise.all([
          client.getChainId(),
          client.getBalance({ address: account.address }),
        ])
        if (chainId !== client.chain?.id) return `the RPC endpoint serves chain ${chainId}`
        return balance > 0n ? null : 'the facilitator account has nothing to pay gas with'
      } catch {
        return 'the RPC endpoint does not answer'
      }
    },
  }
}

/** The scheme asks for the same account's code several times within a call. */
function askOnce(getCode: FacilitatorEvmSigner['getCode']): FacilitatorEvmSigner['getCode'] {
  const codes = new Map<string, ReturnType<typeof getCode>>()
  return ({ address }) => {
    const code = codes.get(address) ?? getCode({ address })
    codes.set(address, code)
    return code
  }
}

function verified({ isValid, invalidReason }: VerifyResponse, fault: string | null): VerifyResult {
  if (fault) return { kind: 'unavailable', cause: fault }
  return isValid
    ? { kind: 'valid' }
    : { kind: 'invalid', reason: toPaymentErrorReason(invalidReason) }
}

function settled(response: SettleResponse, fault: string | null): SettleResult {
  const { success, transaction, errorReason } = response
  if (success) return { kind: 'settled', transaction }
  if (fault) return { kind: 'unknown', cause: fault }
  // Sent but not refused by the chain: only a transaction that was mined and failed is over.
  const isOpen = (errorReason === FAILED) === (transaction === '')
  return isOpen
    ? { kind: 'unknown', cause: errorReason ?? 'no reason' }
    : { kind: 'refused', reason: toPaymentErrorReason(errorReason) }
}

function signerOf(
  client: PublicClient,
  account: LocalAccount,
  timeout: number,
): FacilitatorEvmSigner {
  const { send, resetNonce } = createGasPayer(client, account)
  return {
    getAddresses: () => [account.address],
    readContract: (args) => client.readContract({ ...args, abi: args.abi as Abi }),
    verifyTypedData: (args) => client.verifyTypedData(args as never),
    writeContract({ address, abi, functionName, args, dataSuffix }) {
      const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
      return send({ to: address, data: dataSuffix ? concatHex([data, dataSuffix]) : data })
    },
    sendTransaction: send,
    waitForTransactionReceipt: ({ hash }) =>
      client.waitForTransactionReceipt({ hash, timeout }).catch((error) => {
        resetNonce()
        throw error
      }),
    getCode: (args) => client.getCode(args),
  }
}
