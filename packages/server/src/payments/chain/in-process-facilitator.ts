/** A facilitator in this process: verifies payments and settles them from an account that pays gas. */
import type { PaymentRequirements, SettleResponse, VerifyResponse } from '@x402/core/types'
import { authorizationTypes, type FacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { isAddressEqual, type LocalAccount, parseAbi, recoverTypedDataAddress } from 'viem'
import { createFairSemaphore, type ReleasePermit } from '../../state/fair-semaphore.js'
import type {
  Facilitator,
  Purchase,
  RecordTransaction,
  SettleClaim,
  VerifyContext,
  VerifyResult,
} from '../facilitator.js'
import type { Payment } from '../payment.js'
import { type PaymentErrorReason, toPaymentErrorReason } from '../payment-problems.js'
import { type HexText, NETWORKS, type NetworkId, toUsd } from '../payment-terms.js'
import type { NodeWork } from '../trouble-budget.js'
import { lowerCase } from './authorization-state.js'
import type { ChainClient } from './chain-client.js'
import { createFaultTrackingSigner, createSigner, errorName } from './facilitator-signer.js'
import { createGasPayer } from './gas-payer.js'

const CONFIRMATION_TIMEOUT_MS = 30_000
/**
 * Each makes several RPC requests; more at once would hit the endpoint's limits. A wallet that is
 * emptied meanwhile makes all of its transactions fail that are not mined yet, so it has few.
 */
const SETTLEMENTS = { permits: 50, maxPerCaller: 10, maxWaiting: 1_000, maxWaitMs: 20_000 }
const BALANCE_ABI = parseAbi(['function balanceOf(address owner) view returns (uint256)'])
const WEI_PER_ETH = 10 ** 18

/**
 * A contract decides how long a node takes to check it, up to the gas that we would pay for. With
 * one of each caller at a time, the node stays free for others.
 */
const CONTRACTS = { permits: 3, maxPerCaller: 1, maxWaiting: 200, maxWaitMs: 5_000 }
const TOO_MANY_CONTRACTS = 'too many contracts'

/** What a check took of the node. */
const CHEAP: readonly NodeWork[] = ['balance']
const FULL: readonly NodeWork[] = ['balance', 'contract']

interface CheapCheck {
  readonly found: PaymentErrorReason | 'plain' | 'contract'
  /** The balance of the payer. */
  readonly funds: bigint
}

type UnverifiedPayment = Exclude<VerifyResult, { readonly kind: 'valid' }>

interface Admission {
  readonly kind: 'admitted'
  readonly funds: bigint
  readonly release: ReleasePermit
}

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
  const contracts = createFairSemaphore(CONTRACTS)
  const settlements = createFairSemaphore(SETTLEMENTS)

  /** One for each call, to keep its faults apart from those of other calls. */
  function openScheme(
    requirements: PaymentRequirements,
    send: FacilitatorEvmSigner['sendTransaction'],
  ) {
    const signer = createSigner(client, account.address, {
      maxGas: maxGasFor(requirements),
      send,
      resetNonce: gasPayer.resetNonce,
      timeout: confirmationTimeoutMs,
    })
    const tracked = createFaultTrackingSigner(signer)
    return { scheme: new ExactEvmScheme(tracked.signer), fault: tracked.fault }
  }

  const hasContract = async ({ authorization, signature }: Payment) =>
    signature.length !== PLAIN_SIGNATURE_LENGTH ||
    (await client.getCode({ address: lowerCase(authorization.from) })) !== undefined

  /** What is cheap comes first: most payments that are invalid are found by these two calls. */
  async function checkCheaply(
    payment: Payment,
    { asset, amount }: PaymentRequirements,
  ): Promise<CheapCheck> {
    const from = lowerCase(payment.authorization.from)
    const [funds, hasCode] = await Promise.all([
      client.readContract({
        address: asset as HexText,
        abi: BALANCE_ABI,
        functionName: 'balanceOf',
        args: [from],
      }),
      hasContract(payment),
    ])
    if (funds < BigInt(amount)) return { found: 'insufficient_funds', funds }
    if (hasCode) return { found: 'contract', funds }
    const signer = await recoverSigner(payment, asset as HexText)
    const isSigner = signer && isAddressEqual(signer, from)
    return { found: isSigner ? 'plain' : 'invalid_signature', funds }
  }

  /** Asks nothing of the payer's contract yet, but waits for its turn. */
  async function admit(
    payment: Payment,
    { offer: { requirements }, caller }: Purchase,
    { allowsContracts }: VerifyContext,
  ): Promise<Admission | UnverifiedPayment> {
    const { found, funds } = await checkCheaply(payment, requirements)
    if (found === 'plain') return { kind: 'admitted', funds, release: () => {} }
    if (found !== 'contract') return { kind: 'invalid', reason: found, work: CHEAP }
    if (!allowsContracts) return { kind: 'invalid', reason: 'payment_refused', work: CHEAP }
    const release = await contracts.acquire(caller)
    return release
      ? { kind: 'admitted', funds, release }
      : { kind: 'unavailable', cause: TOO_MANY_CONTRACTS, work: CHEAP }
  }

  async function verify(
    payment: Payment,
    purchase: Purchase,
    context: VerifyContext,
  ): Promise<VerifyResult> {
    const admission = await admit(payment, purchase, context).catch(
      (error): UnverifiedPayment => ({ kind: 'unavailable', cause: errorName(error), work: CHEAP }),
    )
    if (admission.kind !== 'admitted') return admission
    const { requirements } = purchase.offer
    const { scheme, fault } = openScheme(requirements, rejectToSend)
    try {
      const response = await scheme.verify(payment.payload, requirements)
      return toVerifyResult(response, fault(), admission.funds)
    } catch {
      // The scheme throws for some signatures that neither a key nor a wallet can have made.
      return toVerifyResult({ isValid: false, invalidReason: 'invalid_signature' }, fault(), 0n)
    } finally {
      admission.release()
    }
  }

  async function settle(
    payment: Payment,
    { offer: { requirements }, caller }: Purchase,
    recordTransaction: RecordTransaction,
  ): Promise<SettleClaim> {
    let sent: string | null = null
    let isContract = false
    let release: ReleasePermit | null = null
    const { scheme, fault } = openScheme(requirements, (request) =>
      gasPayer.send({
        ...request,
        maxGas: maxGasFor(requirements),
        maxCost: BigInt(Math.floor((toUsd(requirements.amount) / ethUsd) * WEI_PER_ETH)),
        async recordTransaction(hash, cost) {
          // What follows is work of the chain, and no longer of its node.
          release?.()
          await recordTransaction(hash, {
            gasUsd: (Number(cost) / WEI_PER_ETH) * ethUsd,
            isContract,
          })
          sent = hash
        },
      }),
    )
    try {
      isContract = await hasContract(payment)
      if (isContract) {
        release = await contracts.acquire(caller)
        if (!release) return { kind: 'notSent', reason: null, cause: TOO_MANY_CONTRACTS }
      }
      const response = await scheme.settle(payment.payload, requirements)
      return toSettleClaim(response, sent, fault())
    } catch (error) {
      const cause = errorName(error)
      return toSettleClaim({ success: false, errorReason: cause }, sent, fault() ?? cause)
    } finally {
      release?.()
    }
  }

  return {
    recordsTransactions: true,
    verify,
    async settle(payment, ...purchase) {
      const release = await settlements.acquire(payment.payer.toLowerCase())
      if (!release) return { kind: 'notSent', reason: null, cause: 'too many settlements' }
      return settle(payment, ...purchase).finally(release)
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
  { isValid, invalidReason }: Pick<VerifyResponse, 'isValid' | 'invalidReason'>,
  fault: string | null,
  funds: bigint,
): VerifyResult {
  if (fault) return { kind: 'unavailable', cause: fault, work: FULL }
  return isValid
    ? { kind: 'valid', funds }
    : { kind: 'invalid', reason: toPaymentErrorReason(invalidReason), work: FULL }
}

function toSettleClaim(
  { success, errorReason }: Pick<SettleResponse, 'success' | 'errorReason'>,
  sent: string | null,
  fault: string | null,
): SettleClaim {
  const cause = fault ?? errorReason ?? 'no reason'
  return sent === null
    ? { kind: 'notSent', reason: fault ? null : toPaymentErrorReason(errorReason), cause }
    : { kind: 'sent', isClaimedPaid: success, transaction: sent, cause }
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

/** Of a key: r, s and v in hexadecimal digits, after `0x`. */
const PLAIN_SIGNATURE_LENGTH = 2 + 2 * 65

interface SignedPayload {
  readonly authorization: Payment['authorization']
  readonly signature: HexText
}

/** Null if no key can have made the signature. */
async function recoverSigner(
  { payload: { accepted, payload } }: Payment,
  asset: HexText,
): Promise<HexText | null> {
  const { chainId, eip712Domain } = NETWORKS[accepted.network as NetworkId]
  const { authorization, signature } = payload as unknown as SignedPayload
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
