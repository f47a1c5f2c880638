/**
 * Tells a chain that says no from one that says nothing. The x402 scheme takes a call that breaks
 * off for a bad signature or a failed simulation, so whoever calls it must know how its calls ended.
 */
import type { FacilitatorEvmSigner } from '@x402/evm'
import {
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  ExecutionRevertedError,
} from 'viem'

export interface FaultTrackingSigner {
  readonly signer: FacilitatorEvmSigner
  /** The name of the first error that was not an answer of the chain's. */
  fault(): string | null
}

export function createFaultTrackingSigner(signer: FacilitatorEvmSigner): FaultTrackingSigner {
  let fault: string | null = null
  const watch =
    <Args, Result>(call: (args: Args) => Promise<Result>) =>
    async (args: Args) => {
      try {
        return await call(args)
      } catch (error) {
        if (!isAnswer(error)) fault ??= error instanceof Error ? error.name : typeof error
        throw error
      }
    }
  return {
    signer: {
      getAddresses: signer.getAddresses,
      readContract: watch(signer.readContract),
      verifyTypedData: watch(signer.verifyTypedData),
      writeContract: watch(signer.writeContract),
      sendTransaction: watch(signer.sendTransaction),
      waitForTransactionReceipt: watch(signer.waitForTransactionReceipt),
      // The scheme begins this call early and may end without it; a rejection would then be nobody's.
      getCode: (args) => watch(signer.getCode)(args).catch(() => undefined),
    },
    fault: () => fault,
  }
}

function isAnswer(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const answer = error.walk(
    (cause) =>
      isRevert(cause) ||
      cause instanceof ContractFunctionZeroDataError ||
      cause instanceof ExecutionRevertedError,
  )
  return answer !== null
}

/** viem takes every internal error of a node for a revert; a real one has data, or says so. */
function isRevert(cause: unknown): boolean {
  if (!(cause instanceof ContractFunctionRevertedError)) return false
  return cause.raw !== undefined || /revert/i.test(cause.reason ?? '')
}
