/** A facilitator in this process: verifies payments and settles them from an account that pays gas. */
import type { PaymentPayload, SettleResponse, VerifyResponse } from '@x402/core/types'
import { authorizationTypes, type FacilitatorEvmSigner } from '@x402/evm'
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
  isAddressEqual,
  type LocalAccount,
  type PublicClient,
  parseAbi,
  type ReadContractParameters,
  recoverTypedDataAddress,
  type Transport,
  type VerifyTypedDataParameters,
} from 'viem'
import type { Facilitator, SettleClaim, VerifyContext, VerifyResult } from '../facilitator.js'
import type { Payment } from '../payment.js'
import type { PaymentOffer } from '../payment-offer.js'
import { type PaymentErrorReason, toPaymentErrorReason } from '../payment-problems.js'
import { type HexText, NETWORKS, type NetworkId, toUsd } from '../payment-terms.js'
import type { NodeWork } from '../trouble-budget.js'
import { lowerCase } from './authorization-state.js'
import { createGasPayer, TooMuchGas } from './gas-payer.js'

export type ChainClient = PublicClient<Transport, Chain>

const CONFIRMATION_TIMEOUT_MS = 30_000
/** Each call makes several RPC requests; more at once would hit the endpoint's limits. */
const MAX_CONCURRENT_CALLS = 50
const BALANCE_ABI = parseAbi(['function balanceOf(address owner) view returns (uint256)'])
const WEI_PER_ETH = 10 ** 18

export interface InProcessFacilitatorOptions {
  /** What one ETH is worth at most, in US dollars: gas is not to cost more than a report earns. */
  readonly ethUsd: number
  readonly confirmationTimeoutMs?: number
}

export function createInProcessFacilitator(
  client: ChainClient,
  account: LocalAccount,
  { ethUsd, confirmationTimeoutMs = CONFIRMATION_TIMEOUT_MS }: InProcessFacilitatorOptions,
): Facilitator {
  const gasPayer = createGasPayer(client, account)
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

  /** What is cheap comes first: most payments that are invalid are found by these two calls. */
  async function checkCheaply(
    { authorization, payload, signature }: Payment,
    { requirements }: PaymentOffer,
    allowsContracts: boolean,
  ): Promise<PaymentErrorReason | null> {
    const from = lowerCase(authorization.from)
    const [balance, code] = await Promise.all([
      client.readContract({
        address: requirements.asset as HexText,
        abi: BALANCE_ABI,
        functionName: 'balanceOf',
        args: [from],
      }),
      client.getCode({ address: from }),
    ])
    if (balance < BigInt(requirements.amount)) return 'insufficient_funds'
    const isPlain = code === undefined && signature.length === PLAIN_SIGNATURE_LENGTH
    if (!isPlain) return allowsContracts ? null : 'payment_refused'
    const signer = await recoverSigner(payload, requirements.asset as HexText)
    return signer && isAddressEqual(signer, from) ? null : 'invalid_signature'
  }

  async function verify(
    payment: Payment,
    offer: PaymentOffer,
    { allowsContracts }: VerifyContext,
  ): Promise<VerifyResult> {
    let work: readonly NodeWork[] = ['balance']
    const { scheme, fault } = openScheme(rejectToSend)
    try {
      const reason = await checkCheaply(payment, offer, allowsContracts)
      if (reason) return { kind: 'invalid', reason, work }
      work = ['balance', 'contract']
      const response = await scheme.verify(payment.payload, offer.requirements)
      const result = toVerifyResult(response, fault())
      return result.kind === 'valid' ? result : { ...result, work }
    } catch (error) {
      // The scheme throws for some signatures that neither a key nor a wallet can have made.
      const cause = fault() ?? (work.length === 1 ? errorName(error) : null)
      return cause
        ? { kind: 'unavailable', cause, work }
        : { kind: 'invalid', reason: 'invalid_signature', work }
    }
  }

  return {
    recordsTransactions: true,
    verify,
    async settle({ payload }, { requirements }, recordTransaction) {
      let sent: string | null = null
      let gasUsd = 0
      const toCost = (usd: number) => BigInt(Math.floor((usd / ethUsd) * WEI_PER_ETH))
      const { scheme, fault } = openScheme((request) =>
        gasPayer.send({
          ...request,
          maxGas: maxGasFor(requirements.amount),
          maxCost: toCost(toUsd(requirements.amount)),
          async recordTransaction(hash, cost) {
            await recordTransaction(hash)
            sent = hash
            gasUsd = (Number(cost) / WEI_PER_ETH) * ethUsd
          },
        }),
      )
      const response = await limitSettle(() => scheme.settle(payload, requirements)).catch(
        (error: unknown) => ({ success: false, errorReason: errorName(error) }),
      )
      return toSettleClaim(response, { sent, gasUsd }, fault())
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
  { sent, gasUsd }: { readonly sent: string | null; readonly gasUsd: number },
  fault: string | null,
): SettleClaim {
  const cause = fault ?? errorReason ?? 'no reason'
  return sent === null
    ? { kind: 'notSent', reason: fault ? null : toPaymentErrorReason(errorReason), cause }
    : { kind: 'sent', isClaimedPaid: success, transaction: sent, cause, gasUsd }
}

/** Of a key: r, s and v in hexadecimal digits, after `0x`. */
const PLAIN_SIGNATURE_LENGTH = 2 + 2 * 65

/** Null if no key can have made the signature. */
async function recoverSigner(
  { accepted, payload }: PaymentPayload,
  asset: HexText,
): Promise<HexText | null> {
  const { chainId, eip712Domain } = NETWORKS[accepted.network as NetworkId]
  const { authorization, signature } = payload as unknown as Payment['payload']['payload'] & {
    readonly authorization: Payment['authorization']
    readonly signature: HexText
  }
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  try {
    return await recoverTypedDataAddress({
      domain: { ...eip712Domain, chainId, verifyingContract: asset },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: lowerCase(from),
        to: lowerCase(to),
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
        nonce,
      },
      signature,
    })
  } catch {
    return null
  }
}

/**
 * Units of gas: five ordinary transfers for a cent, and room for any wallet contract for a dollar.
 * The payer's contract decides how much gas its signature check takes, and we pay for it.
 */
function maxGasFor(amount: string): bigint {
  return 400_000n + (BigInt(amount) * 11n) / 10n
}

/** What a node may spend on one call for us: more than any transaction that we send may take. */
const MAX_CALL_GAS = 2_000_000n

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
    readContract: (args) =>
      client.readContract({
        ...args,
        abi: args.abi as Abi,
        gas: MAX_CALL_GAS,
      } as ReadContractParameters),
    verifyTypedData: (args) =>
      client.verifyTypedData({ ...args, gas: MAX_CALL_GAS } as VerifyTypedDataParameters),
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
