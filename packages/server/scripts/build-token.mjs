/**
 * Compiles the sandbox's contracts into src/sandbox/token/*.ts, so the sandbox needs no compiler. A
 * test compiles them again and compares.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import solc from 'solc'

const FOLDER = new URL('../src/sandbox/token/', import.meta.url)

const CONTRACTS = [
  { contract: 'TestUsdc', file: 'test-usdc.ts', prefix: 'TEST_USDC', hasAbi: true },
  { contract: 'TestMulticall', file: 'test-multicall.ts', prefix: 'TEST_MULTICALL', hasAbi: false },
]

/** Reproducible: no metadata, and a fixed EVM version. */
const SETTINGS = {
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 200 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: { '*': { '*': ['abi', 'evm.deployedBytecode.object'] } },
}

/** Returns the deployed bytecode and the ABI. */
export function compileContract(contract) {
  const file = `${contract}.sol`
  const content = readFileSync(new URL(file, FOLDER), 'utf8')
  const input = { language: 'Solidity', sources: { [file]: { content } }, settings: SETTINGS }
  const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input)))
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join('\n'))
  const { abi, evm } = contracts[file][contract]
  return { code: `0x${evm.deployedBytecode.object}`, abi: abi.map(removeInternalTypes) }
}

/** Callers do not need `internalType`, the Solidity name of a type. */
function removeInternalTypes(item) {
  return JSON.parse(
    JSON.stringify(item, (key, value) => (key === 'internalType' ? undefined : value)),
  )
}

function sourceText({ contract, prefix, hasAbi }) {
  const { code, abi } = compileContract(contract)
  const lines = code.match(/.{1,92}/g).map((line) => `'${line}',`)
  return [
    `/** Generated from ${contract}.sol with \`npm run token\`. */`,
    "import type { Hex } from 'viem'",
    '',
    '/** The deployed bytecode. */',
    `export const ${prefix}_CODE = [`,
    ...lines,
    "].join('') as Hex",
    '',
    ...(hasAbi ? [`export const ${prefix}_ABI = ${JSON.stringify(abi)} as const`, ''] : []),
  ].join('\n')
}

function writeAll() {
  const paths = CONTRACTS.map((entry) => {
    const path = fileURLToPath(new URL(entry.file, FOLDER))
    writeFileSync(path, sourceText(entry))
    return path
  })
  const biome = fileURLToPath(new URL('../../../node_modules/.bin/biome', import.meta.url))
  execFileSync(biome, ['check', '--write', ...paths], { stdio: 'inherit' })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeAll()
