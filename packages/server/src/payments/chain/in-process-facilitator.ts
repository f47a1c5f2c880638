/** A facilitator in this process: verifies payments and settles them from an account that pays gas. */
import type { PaymentRequirements, SettleResponse, VerifyResponse } from '@x402/core/types'
import type { FacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import {
  type Abi,
  BaseError,
  type Chain,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  concatHex,
  ExecutionRevertedError,
  encodeFunctionData,
  type LocalAccount,
  type PublicClient,
  type Transport,
  type VerifyTypedDataParameters,
} from 'viem'
import type { Facilitator, SettleClaim, VerifyResult } from '../facilitator.js'
import { toPaymentErrorReason } from '../payment-problems.js'
import type { HexText } from '../payment-terms.js'
import { createGasPayer, TooMuchGas } from './gas-payer.js'

export type ChainClient = PublicClient<Transport, Chain>

const CONFIRMATION_TIMEOUT_MS = 30_000
/** Each call makes several RPC requests; more at once would hit the endpoint's limits. */
const MAX_CONCURRENT_CALLS = 50

export function createInProcessFacilitator(
  client: ChainClient,
  account: LocalAccount,
  { confirmationTimeoutMs = CONFIRMATION_TIMEOUT_MS } = {},
): Facilitator {
  const gasPayer = createGasPayer(client, account)
  // Apart, so payments that are verified do not delay those that are settled.
  const limitVerify = limitConcurrentCalls(MAX_CONCURRENT_CALLS)
  const limitSettle = limitConcurrentCalls(MAX_CONCURRENT_CALLS)

  /** One for each call, to keep its faults apart from those of other calls. */
  function openScheme(send: FacilitatorEvmSigner['sendTransaction']) {
    const signer = createSigner(client, account.address, {
      send,
      resetNonce: gasPayer.resetNonce,
      timeout: confirmationTimeoutMs,
    })
    const tracked = createFaultTrackingSigner(signer)
    return { scheme: new ExactEvmScheme(tracked.signer), fault: tracked.fault }
  }

  return {
    recordsTransactions: true,
    async verify({ payload }, requirements) {
      const { scheme, fault } = openScheme(rejectToSend)
      try {
        const response = await limitVerify(() => scheme.verify(payload, requirements))
        return toVerifyResult(response, fault())
      } catch {
        // The scheme throws for some signatures that neither a key nor a wallet can have made.
        const cause = fault()
        return cause
          ? { kind: 'unavailable', cause }
          : { kind: 'invalid', reason: 'invalid_signature' }
      }
    },
    async settle({ payload }, requirements, recordTransaction) {
      let sent: string | null = null
      const { scheme, fault } = openScheme((request) =>
        gasPayer.send({
          ...request,
          maxGas: maxGasFor(requirements),
          async recordTransaction(hash) {
            await recordTransaction(hash)
            sent = hash
          },
        }),
      )
      const response = await limitSettle(() => scheme.settle(payload, requirements)).catch(
        (error: unknown) => ({ success: false, errorReason: errorName(error) }),
      )
      return toSettleClaim(response, sent, fault())
    },
    async healthProblem() {
      try {
        const [chainId, balance] = await Promise.all([
          client.getChainId(),
          client.getBalance({ address: account.address }),
        ])
        if (chainId !== client.chain.id) return `the RPC endpoint serves chain ${chainId}`
        return balance > 0n ? null : 'the facilitator account has no funds to pay gas'
      } catch {
        return 'the RPC endpoint does not answer'
      }
    },
  }
}

function toVerifyResult(
  { isValid, invalidReason }: VerifyResponse,
  fault: string | null,
): VerifyResult {
  if (fault) return { kind: 'unavailable', cause: fault }
  return isValid
    ? { kind: 'valid' }
    : { kind: 'invalid', reason: toPaymentErrorReason(invalidReason) }
}

function toSettleClaim(
  { success, errorReason }: Pick<SettleResponse, 'success' | 'errorReason'>,
  transaction: string | null,
  fault: string | null,
): SettleClaim {
  const cause = fault ?? errorReason ?? 'no reason'
  return transaction === null
    ? { kind: 'notSent', reason: fault ? null : toPaymentErrorReason(errorReason), cause }
    : { kind: 'sent', isClaimedPaid: success, transaction, cause }
}

/**
 * Units of gas: five ordinary transfers for a cent, and room for any wallet contract for a dollar.
 * The payer's contract decides how much gas its signature check takes, and we pay for it.
 */
function maxGasFor({ amount }: PaymentRequirements): bigint {
  return 400_000n + (BigInt(amount) * 11n) / 10n
}

function rejectToSend(): Promise<never> {
  return Promise.reject(new Error('verifying sends nothing'))
}

interface SignerOptions {
  readonly send: FacilitatorEvmSigner['sendTransaction']
  readonly resetNonce: () => void
  readonly timeout: number
}

function createSigner(
  client: ChainClient,
  address: HexText,
  { send, resetNonce, timeout }: SignerOptions,
): FacilitatorEvmSigner {
  // The signer's interface types ABIs and typed data loosely; the casts pass them to viem as is.
  return {
    getAddresses: () => [address],
    readContract: (args) => client.readContract({ ...args, abi: args.abi as Abi }),
    verifyTypedData: (args) => client.verifyTypedData(args as VerifyTypedDataParameters),
    writeContract({ address: to, abi, functionName, args, dataSuffix }) {
      const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
      return send({ to, data: dataSuffix ? concatHex([data, dataSuffix]) : data })
    },
    sendTransaction: send,
    waitForTransactionReceipt: ({ hash }) =>
      client.waitForTransactionReceipt({ hash, timeout }).catch((error) => {
        resetNonce()
        throw error
      }),
    getCode: memoizeGetCode((args) => client.getCode(args)),
  }
}

/** The scheme reads the code of the same account several times in one call. */
function memoizeGetCode(getCode: FacilitatorEvmSigner['getCode']): FacilitatorEvmSigner['getCode'] {
  const codes = new Map<string, ReturnType<typeof getCode>>()
  return ({ address }) => {
    const code = codes.get(address) ?? getCode({ address })
    codes.set(address, code)
    return code
  }
}

/** Runs at most `limit` calls at once; the others wait in order. */
export function limitConcurrentCalls(limit: number) {
  const waiters: (() => void)[] = []
  let free = limit
  return async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiters.push(resolve))
    try {
      return await call()
    } finally {
      // Passed on directly, so a new call cannot overtake those that wait.
      const next = waiters.shift()
      if (next) next()
      else free += 1
    }
  }
}

export interface FaultTrackingSigner {
  readonly signer: FacilitatorEvmSigner
  /** The name of the first error that did not come from the chain itself. */
  fault(): string | null
}

/**
 * Distinguishes an answer of the chain from a failed connection. The x402 scheme reports both as
 * an invalid signature or a failed simulation.
 */
export function createFaultTrackingSigner(signer: FacilitatorEvmSigner): FaultTrackingSigner {
  let fault: string | null = null
  const track =
    <Args, Result>(call: (args: Args) => Promise<Result>) =>
    async (args: Args) => {
      try {
        return await call(args)
      } catch (error) {
        if (!isChainAnswer(error)) fault ??= errorName(error)
        throw error
      }
    }
  return {
    signer: {
      getAddresses: signer.getAddresses,
      readContract: track(signer.readContract),
      verifyTypedData: track(signer.verifyTypedData),
      writeContract: track(signer.writeContract),
      sendTransaction: track(signer.sendTransaction),
      waitForTransactionReceipt: track(signer.waitForTransactionReceipt),
      // The scheme may finish before this call does; its rejection would then be unhandled.
      getCode: (args) => track(signer.getCode)(args).catch(() => undefined),
    },
    fault: () => fault,
  }
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

function isChainAnswer(error: unknown): boolean {
  if (error instanceof TooMuchGas) return true
  if (!(error instanceof BaseError)) return false
  const answer = error.walk(
    (cause) =>
      isRevert(cause) ||
      cause instanceof ContractFunctionZeroDataError ||
      cause instanceof ExecutionRevertedError,
  )
  return answer !== null
}

/** viem reports every internal error of a node as a revert; a real one has data or says so. */
function isRevert(cause: unknown): boolean {
  if (!(cause instanceof ContractFunctionRevertedError)) return false
  return cause.raw !== undefined || /revert/i.test(cause.reason ?? '')
}
