/** The chain as the x402 scheme uses it: calls cost what we would pay for, and failures are told from answers. */
import type { FacilitatorEvmSigner } from '@x402/evm'
import {
  type Abi,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  concatHex,
  ExecutionRevertedError,
  encodeFunctionData,
  type ReadContractParameters,
  type VerifyTypedDataParameters,
} from 'viem'
import type { HexText } from '../payment-terms.js'
import type { ChainClient } from './chain-client.js'
import { TooMuchGas } from './gas-payer.js'

interface SignerOptions {
  /** Units that a node may spend on one call: no more than we would pay for. */
  readonly maxGas: bigint
  readonly send: FacilitatorEvmSigner['sendTransaction']
  readonly resetNonce: () => void
  readonly timeout: number
}

export function createSigner(
  client: ChainClient,
  address: HexText,
  { maxGas, send, resetNonce, timeout }: SignerOptions,
): FacilitatorEvmSigner {
  // The signer's interface types ABIs and typed data loosely; the casts pass them to viem as is.
  return {
    getAddresses: () => [address],
    readContract: (args) =>
      client.readContract({
        ...args,
        abi: args.abi as Abi,
        gas: maxGas,
      } as ReadContractParameters),
    verifyTypedData: (args) =>
      client.verifyTypedData({ ...args, gas: maxGas } as VerifyTypedDataParameters),
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

export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

function isChainAnswer(error: unknown): boolean {
  if (error instanceof TooMuchGas) return true
  if (!(error instanceof BaseError)) return false
  // A contract that takes more than it may is refused by some nodes without a revert.
  if (/out of gas|gas required exceeds/i.test(error.message)) return true
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
